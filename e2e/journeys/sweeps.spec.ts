import { devices, expect, test } from '../harness/journey.ts';
import { expectReachable } from '../harness/reachable.ts';
import { readFile } from 'node:fs/promises';

// What other journeys make elsewhere would be found here as well: a house of its own.
test.use({ settings: { HOLDFAST_UNDO_MS: '2' } });

const rowOf = (word: string): RegExp => new RegExp(word);

// Red when: a press asks for nothing, what was found is not shown or leads nowhere, or the file holds something else.
test('an operator has the ledgers compared, sees what was made elsewhere, and takes it away as a file', async ({
  house,
  visit,
}) => {
  const { payment } = await house.sell({ name: 'swept', minor: 9_900 });
  const page = await visit('operator');
  await page.goto(`${house.origin}/sweeps`);
  await expect(page.getByText('Nothing has been compared yet.', { exact: false })).toBeVisible();
  await expectReachable(page, 'sweeps, none yet');

  await page.getByRole('button', { name: 'Sweep now' }).click();
  await expect(page.getByRole('row', { name: rowOf('Compared') }).first()).toContainText('Nothing', {
    timeout: 60_000,
  });

  await house.provider.post('/fake/refunds', { payment_intent: payment, amount: 1_234 });
  const [byHand] = await house.provider.refunds(payment);
  // By keyboard alone.
  await page.getByRole('button', { name: 'Sweep now' }).focus();
  await page.keyboard.press('Enter');
  const found = page.getByRole('row', { name: rowOf('1 finding') });
  await expect(found).toBeVisible({ timeout: 60_000 });
  await expectReachable(page, 'sweeps');
  await found.getByRole('link').focus();
  await page.keyboard.press('Enter');
  const finding = page.getByRole('row', { name: rowOf('Made elsewhere') });
  await expect(finding).toContainText('EUR 12.34');
  await expect(finding).toContainText(String(byHand?.id));
  await expectReachable(page, 'what a sweep found');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download as CSV' }).click(),
  ]);
  const file = await readFile(await download.path(), 'utf8');
  expect(file.trimEnd().split('\r\n')).toHaveLength(2);
  expect(file).toContain(`"foreign","${String(byHand?.id)}","${payment}"`);
  for (const viewport of [devices.agent.viewport, devices.approver.viewport]) {
    if (viewport === undefined || viewport === null) continue;
    await page.setViewportSize(viewport);
    await expectReachable(page, `what a sweep found, ${String(viewport.width)} wide`);
  }
});
