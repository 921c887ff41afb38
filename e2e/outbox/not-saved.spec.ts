import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { mintId } from '../harness/many-items.ts';
import { expect, test, type FaultyHouse } from '../harness/outbox-test.ts';
import { graveFindings } from '../harness/reachable.ts';
import { expectInside, expectOneRefund, fillRefund } from '../harness/steps.ts';

/** The browser finds no place for databases any more: each is refused, as in some private modes and on a full disk. */
const breakDatabases = async (profile: string): Promise<void> => {
  const place = path.join(profile, 'Default', 'IndexedDB');
  await rm(place, { recursive: true, force: true });
  await writeFile(place, 'no folder');
};

const expectReachable = async (page: Page): Promise<void> => {
  expect(await graveFindings(page)).toEqual([]);
};

const commandsSeen = (house: FaultyHouse): readonly string[] =>
  house.network
    .seen()
    .filter(({ path: asked }) => asked === '/v1/commands')
    .map(({ body }) => body);

/** Whether the browser asks before it leaves this page. */
const isAskedBeforeLeaving = async (page: Page): Promise<boolean> => {
  const asked = page
    .waitForEvent('dialog', { timeout: 2_000 })
    .then((dialog) => dialog.dismiss())
    .then(
      () => true,
      () => false,
    );
  await page.close({ runBeforeUnload: true });
  return asked;
};

const sizes = [
  { width: 390, height: 844 },
  { width: 1024, height: 768 },
  { width: 1440, height: 900 },
];

// Red when: the form forgets what was typed, says "saved" or "sent", or hides the button; when a second press mints
// another ID; when leaving is not asked about, or still is once Holdfast has it.
test('F022: with no storage at all the form says so, is sent from the screen, and asked about again as the same refund', async ({
  house,
  deviceOf,
  serverRows,
}) => {
  const order = await house.sell({ name: 'not-saved', minor: 5_200 });
  const device = await deviceOf('agent');
  await breakDatabases(device.profile);
  const page = await device.start();
  await page.goto(`${house.origin}/orders/${order.id}`);
  await expectInside(page);
  await fillRefund(page, order);
  const form = page.getByRole('dialog');
  await form.getByLabel('Reason').selectOption('returned');
  await form.getByLabel('Note').fill('The left side is silent.');
  await expect(form.getByRole('alert').filter({ hasText: 'Not saved' })).toContainText(
    'This device cannot store anything right now.',
  );
  await expect(form).not.toContainText('Saved on this device');
  const send = form.getByRole('button', { name: 'Send now, without a copy on this device' });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const size of sizes) {
      await page.setViewportSize(size);
      await send.scrollIntoViewIfNeeded();
      await expectReachable(page);
    }
  }

  house.network.decide(({ path: asked }) => (asked === '/v1/commands' ? 'lose-answer' : 'pass'));
  await send.focus();
  await page.keyboard.press('Enter');
  await expect(form).toContainText('It may have been sent. Keep this screen open');
  await expect(form.getByRole('button', { name: 'Send now' })).toHaveCount(0);
  await expectReachable(page);
  expect(await isAskedBeforeLeaving(page)).toBe(true);
  await expect(form.getByLabel('Note')).toHaveValue('The left side is silent.');

  house.network.decide(() => 'pass');
  await form.getByRole('button', { name: 'Ask about it again' }).focus();
  await page.keyboard.press('Enter');
  await expect(form.getByRole('status').filter({ hasText: 'Holdfast has it.' })).toBeVisible();
  const bodies = commandsSeen(house);
  expect(bodies.length).toBeGreaterThanOrEqual(2);
  expect(new Set(bodies).size).toBe(1);
  const [stored, ...more] = await serverRows.operationsOf([order.id]);
  expect(more).toEqual([]);
  if (stored === undefined) throw new Error('Holdfast has no operation of this order');
  expect(bodies[0]).toContain(stored.id);
  const { fingerprint } = (await house.operation(stored.id)) as unknown as { fingerprint: string };
  const approval = { commandId: mintId(), fingerprint };
  await house.askAsPerson('approver', `/v1/operations/${stored.id}/approve`, approval);
  await expectOneRefund(house, order, stored.id, 5_200);
});
