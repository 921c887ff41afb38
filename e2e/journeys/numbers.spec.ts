import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import postgres from 'postgres';
import type { House, Order } from '../harness/house.ts';
import { expect, test } from '../harness/journey.ts';
import { expectReachable } from '../harness/reachable.ts';
import { reach } from '../harness/steps.ts';

test.use({ settings: { HOLDFAST_CHECK_BACKOFF_MS: '1000,2000,600000' } });

/** A UUIDv7, as a device mints one. */
const mintId = (): string => {
  const hex = Date.now().toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** Proposed and approved by people elsewhere, each of them twice, as a bad connection does it. */
const refundTwice = async (house: House, order: Order): Promise<string> => {
  const operationId = mintId();
  const propose = {
    ...{ type: 'propose', commandId: operationId, operationId, kind: 'refund', orderId: order.id },
    ...{ amount: { minor: 1_000, currency: 'EUR' }, reason: 'returned' },
  };
  await house.askAsPerson('agent', '/v1/commands', { commands: [propose] });
  await house.askAsPerson('agent', '/v1/commands', { commands: [propose] });
  const { fingerprint } = (await house.operation(operationId)) as unknown as { fingerprint: string };
  const approve = { type: 'approve', commandId: mintId(), operationId, fingerprint };
  await house.askAsPerson('approver', '/v1/commands', { commands: [approve] });
  await house.askAsPerson('approver', '/v1/commands', { commands: [approve] });
  return operationId;
};

const inDatabase = async (house: House, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> => {
  const sql = postgres(await house.databaseUrl(), { max: 1, onnotice: () => undefined });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
};

const figureOf = (page: Page, title: string) =>
  page.locator('dl > div').filter({ has: page.getByText(title, { exact: true }) });

test('an operator reads the numbers, follows one to the operations behind it, and reads the last ones without a connection', async ({
  house,
  visit,
}) => {
  const page = await visit('operator');
  await page.goto(`${house.origin}/numbers`);
  await expect(page.getByText('Nothing yet.')).toBeVisible();
  await expectReachable(page, 'numbers, nothing yet');

  const settled = await refundTwice(house, await house.sell({ name: 'numbers-well', minor: 5_000 }));
  await reach(house, settled, 'confirmed');
  const lost = await house.sell({ name: 'numbers-lost', minor: 5_000 });
  const faults = { times: 'always', paymentIntent: lost.payment } as const;
  await house.provider.fault({ on: 'refund.create', do: 'drop_before', ...faults });
  const unknown = await refundTwice(house, lost);
  await reach(house, unknown, 'outcome_unknown');

  await page.goto(`${house.origin}/numbers?days=7`);
  const absorbed = figureOf(page, 'Double actions that did not happen');
  await expect(absorbed).toContainText('4');
  await expect(absorbed).toContainText('changed nothing');
  // A zero is claimed only with the time of the last sweep that could have found one; where none has run, there is none.
  const duplicates = figureOf(page, 'Duplicate actions');
  await inDatabase(house, (sql) => sql`update sweeps set state = 'given-up' where state = 'done'`);
  await page.reload();
  await expect(duplicates).toContainText('No sweep has run yet');
  await expect(duplicates.getByText('0', { exact: true })).toHaveCount(0);
  await expect(page.getByText(/Days are those of .+ \(UTC/)).toBeVisible();
  await expectReachable(page, 'numbers');

  await absorbed.getByRole('link').click();
  await expect(page).toHaveURL(/\/numbers\/operations\?figure=absorbed/);
  await expect(page.getByRole('row')).toHaveCount(3);
  await expectReachable(page, 'the operations behind');
  await page.goBack();

  // The charts say the same as tables; the keyboard opens them.
  const table = page.getByRole('region', { name: 'How long the provider takes' });
  await expect(page.getByRole('img', { name: /How long the provider takes: a line chart/ })).toBeVisible();
  await page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'How long the provider takes' }) })
    .getByText('As a table')
    .press('Enter');
  await expect(table.getByRole('row')).toHaveCount(2);

  await house.network.cut();
  await page.reload();
  await expect(page.getByText('These are the numbers of the last time it was.')).toBeVisible();
  await expect(absorbed).toContainText('4');
  await house.network.mend();
});

test('F125: an operator puts submitting on hold with a reason, everybody reads it, and after a restore it is let go only with its steps', async ({
  house,
  visit,
}) => {
  const page = await visit('operator');
  await page.goto(`${house.origin}/hold`);
  await page.getByRole('button', { name: 'Put submitting on hold' }).click();
  const ask = page.getByRole('alertdialog');
  await expectReachable(page, 'hold?');
  await ask.getByRole('button', { name: 'Put on hold' }).click();
  await expect(ask).toContainText('Write why');
  await ask.getByRole('textbox').fill('The provider answers nonsense.');
  await ask.getByRole('button', { name: 'Put on hold' }).click();
  await expect(page.getByText('Why: The provider answers nonsense.')).toBeVisible();
  await expect(page.getByText(/by Otto Desk/)).toBeVisible();

  const order = await house.sell({ name: 'held', minor: 5_000 });
  const held = await refundTwice(house, order);
  const agent = await visit('agent');
  await expect(agent.getByText('Approved refunds wait; look-ups go on.')).toBeVisible();
  await expect(agent.getByText('The provider answers nonsense.')).toBeVisible();
  await agent.getByRole('link', { name: 'More' }).click();
  await expect(agent.getByText('Operators and admins put submitting on hold')).toBeVisible();
  await expect(agent.getByRole('button', { name: 'Let submitting go on' })).toHaveCount(0);
  await expect(page.getByText(/1 approved refund waits/)).toBeVisible({ timeout: 20_000 });

  // As a restore leaves it: a new generation of history, by nobody.
  await inDatabase(
    house,
    (sql) => sql`select begin_new_generation(${'put-back'}, ${'put back from a backup'})`,
  );
  await page.reload();
  await expect(page.getByText('The database was put back from a backup')).toBeVisible();
  await expect(
    page.getByText(
      /No sweep has been recorded since the hold began|The last sweep since the hold began ended/,
    ),
  ).toBeVisible();
  await expectReachable(page, 'hold after a restore');
  await page.getByRole('button', { name: 'Let submitting go on' }).click();
  await expect(page.getByText('Tick this once all of it is done.')).toBeVisible();
  expect((await house.operation(held)).state).toBe('approved');
  expect(await house.provider.refunds(order.payment)).toEqual([]);
  await page.getByRole('checkbox', { name: 'All of this is done' }).check();
  await page.getByRole('button', { name: 'Let submitting go on' }).click();
  await expect(page.getByText('Write why it goes on although this is open.')).toBeVisible();
  await expectReachable(page, 'hold after a restore, with something open');
  await page.getByLabel('Why it goes on all the same').fill('Nothing was sent since; we asked Stripe.');
  await page.getByRole('button', { name: 'Let submitting go on' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Let it go on' }).click();
  await expect(page.getByText('Approved refunds are sent as soon as it is their turn.')).toBeVisible();
  await expect(page.getByText('with this note: Nothing was sent since; we asked Stripe.')).toBeVisible();
  await reach(house, held, 'confirmed');
  expect(await house.provider.refunds(order.payment)).toHaveLength(1);
  await inDatabase(house, async (sql) => {
    const entries = await sql`select type from organisation_audit where subject = 'organisation'
      and type like 'hold-%' order by sequence`;
    expect(entries.map((one) => String(one['type']))).toEqual(['hold-on', 'hold-off']);
  });
});
