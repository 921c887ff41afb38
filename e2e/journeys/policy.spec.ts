import type { Browser, Page } from '@playwright/test';
import type { House, Person } from '../harness/house.ts';
import { devices, expect, test } from '../harness/journey.ts';
import { rowsOf } from '../harness/passkey.ts';
import { expectReachable } from '../harness/reachable.ts';
import { card, expectInside, expectOneRefund, openProposal, propose, signIn } from '../harness/steps.ts';

// The policy is the whole organisation's: a house of its own, so that no other journey meets these rules.
test.use({ settings: { HOLDFAST_UNDO_MS: '1' } });

const insideAs = async (browser: Browser, house: House, person: Person): Promise<Page> => {
  const context = await browser.newContext(devices.operator);
  const page = await context.newPage();
  await page.goto(house.origin);
  await signIn(page, person);
  await expectInside(page);
  await page.goto(`${house.origin}/settings/policy`);
  await expect(page.getByRole('heading', { name: /^In force: version/ })).toBeVisible();
  return page;
};
const inForce = (page: Page, version: number) =>
  page.getByRole('heading', { name: `In force: version ${version}` });
const limitLine = (page: Page) => page.getByRole('group', { name: 'Limits' });

/** By keys: through the line's fields, as somebody does it who types. */
const limitApprovers = async (page: Page, most: string): Promise<void> => {
  await page.getByRole('button', { name: 'Add a line: Limits' }).press('Enter');
  const limits = limitLine(page);
  await limits.getByLabel('For').selectOption({ label: 'Each of the approvers' });
  await limits.getByLabel('May').selectOption('approve');
  await limits.getByLabel('Per').selectOption('operation');
  await limits.getByLabel('Up to').fill(most);
};

const decidedUnder = (house: House, id: string) =>
  rowsOf<{ version: number }>(
    house,
    (sql) =>
      sql`select policy_version::int as version from approvals where operation_id = ${id} and voided_at is null`,
  );

// Red when: a looser policy is in force with one admin's word, or a decision names the version before.
test('a limit is loosened by two admins: one shows what it would have done and asks, the other agrees on their own device, and the next approval is given under it', async ({
  house,
  browser,
  visit,
}) => {
  const ada = await house.welcome('admin', { email: 'ada@example.test', name: 'Ada Admin' });
  const bo = await house.welcome('admin', { email: 'bo@example.test', name: 'Bo Admin' });
  const first = await insideAs(browser, house, ada);
  await limitApprovers(first, '50.00');
  await first.getByLabel('Why').fill('While the new team learns.');
  await first.getByRole('button', { name: 'Save and put in force' }).press('Enter');
  await expect(inForce(first, 2)).toBeVisible();

  const order = await house.sell({ name: 'limited', minor: 8_000 });
  const id = await propose(await visit('agent'), order);
  const approver = await visit('approver');
  await openProposal(approver, order);
  await approver.getByRole('button', { name: 'Approve' }).click();
  await approver.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click();
  await expect(approver.getByText(/EUR 50\.00/).first()).toBeVisible();
  expect(await decidedUnder(house, id)).toEqual([]);

  await limitLine(first).getByLabel('Up to').fill('100.00');
  await expect(first.getByText('a second admin has to agree')).toBeVisible();
  await first.getByRole('button', { name: 'Show what it would have done' }).press('Enter');
  const preview = first.getByRole('region', { name: 'The last 30 days under these rules' });
  await expect(preview).toContainText('One operation was looked at');
  await expectReachable(first, 'policy, changed');
  await first.getByLabel('Why').fill('The team has learned.');
  await first.getByRole('button', { name: 'Lay it before a second admin' }).press('Enter');
  await expect(first.getByText('You proposed it, so another admin has to approve it.')).toBeVisible();
  await expect(inForce(first, 2)).toBeVisible();
  await expect(first.getByRole('button', { name: 'Approve as second admin' })).toHaveCount(0);
  await expectReachable(first, 'policy, waiting');

  const second = await insideAs(browser, house, bo);
  await expect(inForce(second, 2)).toBeVisible();
  await expect(second.getByText('Ada Admin proposed it against version 2.')).toBeVisible();
  await second.getByRole('button', { name: 'Approve as second admin' }).press('Enter');
  const asked = second.getByRole('alertdialog', { name: 'Put this change in force?' });
  await asked.getByRole('button', { name: 'Approve as second admin' }).press('Enter');
  await expect(inForce(second, 3)).toBeVisible();
  await expect(second.getByText('By Ada Admin, approved by Bo Admin')).toBeVisible();

  await openProposal(approver, order);
  await approver.getByRole('button', { name: 'Approve' }).click();
  await approver.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click();
  await expect(card(approver)).toContainText(/Approved|Submitting|refunded/);
  await expectOneRefund(house, order, id, 8_000);
  expect(await decidedUnder(house, id)).toEqual([{ version: 3 }]);
  for (const page of [first, second]) await page.context().close();
});

test('how an approver is told can be read and chosen by everyone, on a phone and on a tablet', async ({
  visit,
  house,
}) => {
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 1024, height: 768 },
  ]) {
    const page = await visit('approver', { viewport });
    await page.goto(`${house.origin}/you/notifications`);
    await expect(page.getByRole('heading', { level: 1, name: 'Notices' })).toBeVisible();
    const way = page.getByLabel('Tell me');
    await way.selectOption({ label: 'By mail only' });
    await expect(page.getByText('Saved.')).toBeVisible();
    await expectReachable(page, `notices, ${viewport.width}`);
    await way.selectOption({ label: 'In my browsers; by mail when I have none' });
    await expect(page.getByText('Saved.')).toBeVisible();
  }
});
