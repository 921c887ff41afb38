import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../test/postgres-rig.ts';
import { gate, scriptedHouse } from '../../test/scripted-house.ts';
import { shortSettings, whileRunning } from '../../test/worker-house.ts';

const hourMs = 3_600_000;
const { house, provider, newOrder, inLedger, evidenceOf, accountBy, later } = await scriptedHouse();
// A worker that runs hours ahead leaves the mirror read in the future.
afterEach(() => house.database.admin`delete from mirror_positions`);

const patient = { ...shortSettings, needsPersonAfterMs: 100 * hourMs };
const emptyLooks = async (id: string): Promise<number> =>
  (await evidenceOf(id)).filter(({ kind }) => kind.startsWith('absent')).length;

// Red when: the window is reckoned from another time than the first send, or is longer than the contract's.
test('F016: after 25 hours away the key is not sent again, though the provider shows nothing; one refund', async () => {
  const { order, payment } = await newOrder();
  provider.script.push({ do: 'execute-then-lose' });
  const id = await house.approved(order, 1_600);
  await house.worker().runOnce();
  const first = await house.operation(id);
  expect(first.state).toBe('outcome_unknown');
  // The provider has forgotten the key by now: the same bytes would be a new refund.
  provider.aheadMs = 25 * hourMs;
  provider.hidden = 1_000;
  const returned = house.worker({ settings: patient, ...later(() => 25 * hourMs) });
  await whileRunning(returned, async () => {
    await eventually(async () => (await emptyLooks(id)) >= 4);
  });
  expect(await house.operation(id)).toMatchObject({
    ...{ state: 'outcome_unknown', attempt_count: 1, replay_deadline: first.replay_deadline },
  });
  expect(provider.requests).toHaveLength(1);
  // What is never sent again ends before a person.
  const overdue = { ...patient, needsPersonAfterMs: 1_000 };
  await whileRunning(house.worker({ settings: overdue, ...later(() => 25 * hourMs) }), async () => {
    await eventually(async () => (await house.operation(id)).attention.length > 0);
    provider.hidden = 0;
    await house.settled(id, 'confirmed');
  });
  expect(provider.requests).toHaveLength(1);
  expect(inLedger(payment)).toHaveLength(1);
});

// Red when: the time that a request may take is not added to now (`mayBeResubmitted`).
test('F016: a resubmission that would end after the window is not begun inside it', async () => {
  const { order, payment } = await newOrder();
  const exact = accountBy({ contract: { ...provider.adapter.contract, keyWindowMarginMs: 0 } });
  provider.script.push({ do: 'execute-then-lose' });
  const id = await house.approved(order, 1_600);
  await house.worker({ providers: exact }).runOnce();
  provider.hidden = 1_000;
  const minuteMs = 60_000;
  const slow = { ...patient, providerTimeoutMs: 5 * minuteMs, leaseMs: 10 * minuteMs };
  const aheadMs = 24 * hourMs - minuteMs;
  provider.aheadMs = aheadMs;
  await whileRunning(
    house.worker({ providers: exact, settings: slow, ...later(() => aheadMs) }),
    async () => {
      await eventually(async () => (await emptyLooks(id)) >= 4);
    },
  );
  expect(await house.operation(id)).toMatchObject({ state: 'outcome_unknown', attempt_count: 1 });
  expect(provider.requests).toHaveLength(1);
  expect(inLedger(payment)).toHaveLength(1);
});

// Red when: a batch is claimed as one, or work that was taken before the sleep is carried out after it unasked.
test('F033: a bulk job that sleeps five hours half done is taken over at once; every refund once', async () => {
  const ids = new Map<string, string>();
  for (let count = 0; count < 8; count += 1) {
    const { order, payment } = await newOrder();
    ids.set(payment, await house.approved(order, 3_300));
  }
  const asleep = gate();
  let held = 0;
  const sleepy = house.worker({
    width: 2,
    providers: accountBy({
      submit: async (...request) => {
        const report = await provider.adapter.submit(...request);
        held += 1;
        await asleep.opened;
        return report;
      },
    }),
  });
  const sleeping = sleepy.runOnce();
  await eventually(async () => held === 2);
  const [claims] = await house.database.admin<{ count: number }[]>`
    select count(*)::int as count from operations where state = 'submitting'`;
  expect(claims?.count).toBe(2);
  // The two that were sent are hidden from every look, so only their own keys can tell.
  provider.hidden = 1_000;
  await whileRunning(house.worker({ settings: patient, ...later(() => 5 * hourMs) }), async () => {
    for (const id of ids.values()) await house.settled(id, 'confirmed');
  });
  const before = provider.requests.length;
  asleep.open();
  await sleeping;
  expect(provider.requests).toHaveLength(before);
  expect(held).toBe(2);
  for (const [payment, id] of ids) {
    expect(inLedger(payment)).toHaveLength(1);
    expect((await house.operation(id)).state).toBe('confirmed');
  }
  expect(new Set(provider.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(ids.size);
});
