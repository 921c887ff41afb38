import { saveMany, subjectOn } from '../harness/many-items.ts';
import { expect, test } from '../harness/outbox-test.ts';
import { until } from '../harness/program.ts';
import { eventsOf, queueRows, type LogRow, type QueueRows } from '../harness/queue-rows.ts';
import { expectInside } from '../harness/steps.ts';

const keyOf = (rows: QueueRows, id: string): string =>
  rows.entries.find(({ operationId }) => operationId === id)?.key ?? '';

const attemptsOf = (rows: QueueRows, id: string): readonly (string | undefined)[] =>
  rows.log
    .filter(({ entryKey, event }: LogRow) => entryKey === keyOf(rows, id) && event.kind === 'attempt-ended')
    .map(({ event }) => event.result);

// Red when: a 403 for one item holds up or ends the others, ends the item itself, is tried again by itself for ever, or
// the screen does not say what brings it on its way.
test('F086: a role is taken away while items wait: what it no longer allows is parked with its reason, the others go', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const orders = await Promise.all(
    ['blocked', 'allowed-1', 'allowed-2'].map((name) => house.sell({ name: `role-${name}`, minor: 1_700 })),
  );
  const orderIds = orders.map(({ id }) => id);
  const { email } = house.people.operator;
  const device = await deviceOf('operator');
  const page = await device.start();
  await page.goto(`${house.origin}/healthz`);
  const subject = await subjectOn(page);
  // Only operators may give this reason; the two after it any agent may.
  const [blocked = ''] = await saveMany(page, subject, orders.slice(0, 1), 1_700, Date.now(), 'fraudulent');
  const allowed = await saveMany(page, subject, orders.slice(1), 1_700);
  await serverRows.setRole(email, 'agent');

  await page.goto(house.origin);
  await expectInside(page);
  await until('the two others to have their verdicts', async () => {
    const rows = await queueRows(page);
    return allowed.every((id) => eventsOf(rows, keyOf(rows, id)).includes('verdict')) ? true : undefined;
  });
  const stored = await serverRows.operationsOf(orderIds);
  expect(stored.map(({ id }) => id).sort()).toEqual([...allowed].sort());
  await page.goto(`${house.origin}/device`);
  const card = page.getByRole('alert').filter({ hasText: 'Your role does not allow this now.' });
  await expect(card).toContainText('press “Send now” or open the app again');
  await page.goto(`${house.origin}/operations/${blocked}`);
  const sendNow = page.getByRole('main').getByRole('button', { name: 'Send now' });
  await expect(sendNow).toBeVisible();
  const parked = await queueRows(page);
  expect(parked.entries).toHaveLength(3);
  // A busy machine may have let an earlier try run out of time; what counts is that this is how it stands.
  expect(attemptsOf(parked, blocked)).toContain('not-allowed');
  expect(eventsOf(parked, keyOf(parked, blocked))).not.toContain('verdict');
  expect(await serverRows.operationsOf(orderIds)).toHaveLength(2);

  // Pressed too early it asks, and is refused again.
  const refusals = async (): Promise<number> =>
    attemptsOf(await queueRows(page), blocked).filter((result) => result === 'not-allowed').length;
  const before = await refusals();
  await sendNow.click();
  await until('the press to be refused', async () => ((await refusals()) > before ? true : undefined));
  expect(await serverRows.operationsOf(orderIds)).toHaveLength(2);

  // Being given the role back is nothing that the device hears of: whoever comes back to the window sends it by that
  // alone, or else by the button, which then is gone before it can be pressed.
  await serverRows.setRole(email, 'operator');
  await sendNow.click({ timeout: 10_000 }).catch(() => undefined);
  await until('the server to have all three', async () =>
    (await serverRows.operationsOf(orderIds)).length === 3 ? true : undefined,
  );
});
