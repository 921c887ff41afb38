import type { Page } from '@playwright/test';
import { saveMany, subjectOn } from '../harness/many-items.ts';
import { expect, test } from '../harness/outbox-test.ts';
import { queueRows } from '../harness/queue-rows.ts';
import { expectInside, signIn } from '../harness/steps.ts';
import { sellSome, untilVerdicts, verdictsOf } from '../harness/verdicts.ts';

/** By the account menu, saying yes where it is asked. */
const signOut = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'You', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'));
  const form = page.getByLabel('E-mail');
  await expect(dialog.getByRole('button', { name: 'Sign out' }).or(form)).toBeVisible();
  if (!(await form.isVisible())) await dialog.getByRole('button', { name: 'Sign out' }).click();
  await expect(form).toBeVisible();
};

// Red when: an item goes out under whoever is signed in, another person's items are listed, or a sign-out drops them.
test('two people on one tablet: each sends only their own, and sees of the other only that something waits', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const orders = await sellSome(house, 'shared-tablet', 3, 1_400);
  const device = await deviceOf('agent');
  const page = await device.start();
  await page.goto(`${house.origin}/healthz`);
  const agent = await subjectOn(page);
  const ids = await saveMany(page, agent, orders.slice(0, 2), 1_400);
  house.network.decide(({ path }) => (path === '/v1/commands' ? 'refuse' : 'pass'));
  await page.goto(house.origin);
  await expectInside(page);
  await signOut(page);
  house.network.decide(() => 'pass');
  await signIn(page, house.people.operator);
  await expectInside(page);
  await page.goto(`${house.origin}/device`);
  const main = page.getByRole('main');
  await expect(main).toContainText('2 items here belong to other people.');
  for (const id of ids) await expect(main.locator(`a[href*="${id}"]`)).toHaveCount(0);
  expect(await main.innerText()).not.toContain('14.00');

  // The operator proposes and sends something of their own meanwhile.
  await page.goto(`${house.origin}/healthz`);
  const operator = await subjectOn(page);
  expect(operator).not.toBe(agent);
  const own = await saveMany(page, operator, orders.slice(2), 1_400);
  await page.goto(`${house.origin}/device`);
  await untilVerdicts(page, own);
  expect(verdictsOf(await queueRows(page), ids)).toBe(0);
  // Nothing of the operator's own waits any more, and what waits is not theirs to send.
  await expect(page.getByRole('button', { name: 'Send now' })).toHaveCount(0);
  await expect(page.getByRole('link', { name: /All received/ })).toBeVisible();
  const stored = await serverRows.operationsOf(orders.map(({ id }) => id));
  expect(stored.map(({ id, proposed_by }) => [id, proposed_by])).toEqual([[own[0], operator]]);

  await signOut(page);
  await signIn(page, house.people.agent);
  await expectInside(page);
  await untilVerdicts(page, ids);
  const all = await serverRows.operationsOf(orders.slice(0, 2).map(({ id }) => id));
  expect(all.map(({ proposed_by }) => proposed_by)).toEqual([agent, agent]);
  expect((await queueRows(page)).entries).toHaveLength(3);
  // The session that other tests begin with a copy of was signed out here.
  await serverRows.endSessions(house.people.agent.email);
});
