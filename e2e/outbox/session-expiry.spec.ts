import { saveMany, subjectOn } from '../harness/many-items.ts';
import { expect, test } from '../harness/outbox-test.ts';
import { until } from '../harness/program.ts';
import { queueRows } from '../harness/queue-rows.ts';
import { expectInside, signIn } from '../harness/steps.ts';
import { sellSome, untilVerdicts, verdictsOf } from '../harness/verdicts.ts';

// Red when: a 401 ends an item or costs it something, or what is parked does not go out with the next sign-in.
test('F086: the session ends while a batch goes out: the rest waits for a sign-in, then all go out once', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const orders = await sellSome(house, 'expired', 6, 1_300);
  const device = await deviceOf('agent');
  const page = await device.start();
  await page.goto(`${house.origin}/healthz`);
  const subject = await subjectOn(page);
  const before = await saveMany(page, subject, orders.slice(0, 3), 1_300);
  house.network.decide(({ path }) => (path === '/v1/commands' ? 'hold-answer' : 'pass'));
  await page.goto(house.origin);
  await expectInside(page);
  await until('the first batch to be at the server', async () =>
    house.network.seen().find(({ path, status }) => path === '/v1/commands' && status === 200),
  );
  // More is saved while the batch is under way, and the session ends before its answer is heard.
  const more = await device.newTab();
  await more.goto(`${house.origin}/healthz`);
  const after = await saveMany(more, subject, orders.slice(3), 1_300);
  await serverRows.endSessions(house.people.agent.email);
  house.network.decide(() => 'pass');
  house.network.release();
  await untilVerdicts(page, before.slice(0, 1));
  await page.goto(`${house.origin}/device`);
  // It asks for a sign-in first, and lets its person look at what is here without one.
  await page.getByText('Open what is on this device').click();
  const parked = /Sign in to send (what is|the \d+ items) saved here\.|Your session has ended\./;
  await expect(page.locator('body')).toContainText(parked);
  const atRest = await queueRows(more);
  expect(atRest.entries).toHaveLength(6);
  expect(verdictsOf(atRest, after)).toBe(0);
  const known = new Set((await serverRows.operationsOf(orders.map(({ id }) => id))).map(({ id }) => id));
  expect(after.filter((id) => known.has(id))).toEqual([]);

  await page.goto(`${house.origin}/sign-in`);
  await signIn(page, house.people.agent);
  await untilVerdicts(more, [...before, ...after]);
  const stored = await serverRows.operationsOf(orders.map(({ id }) => id));
  expect(stored.map(({ id }) => id).sort()).toEqual([...before, ...after].sort());
});
