import { expect, test } from 'vitest';
import { createScriptedProvider, pspN } from '../../test/scripted-provider.ts';
import { eventually } from '../../test/postgres-rig.ts';
import { gate, scriptedHouse } from '../../test/scripted-house.ts';
import { createWorkerHouse, shortSettings, whileRunning } from '../../test/worker-house.ts';

const { house, provider, newOrder, figures, inLedger, changeAtProvider, statesOf, accountBy } =
  await scriptedHouse();

/** A running worker asks about the payment and reads the list as well; whichever comes first settles it. */
const readings = ['look-up', 'listing'];

// Red when: `bytesFor` encodes anew for a later attempt, or a claim derives its key from the attempt's number.
test('F001: every request of an operation carries the same key and bytes, also after a restart, and makes one refund', async () => {
  const { order, payment } = await newOrder();
  provider.script.push({ do: 'execute-then-lose' });
  provider.hidden = 1_000;
  const id = await house.approved(order, 2_500);
  await whileRunning(house.worker(), async () => {
    await house.settled(id, 'outcome_unknown');
  });
  await whileRunning(house.worker(), async () => {
    await house.settled(id, 'confirmed');
  });
  const ours = provider.requests;
  expect(ours.length).toBeGreaterThanOrEqual(2);
  const [first] = ours;
  for (const request of ours) expect(request).toEqual(first);
  expect(inLedger(payment)).toHaveLength(1);
  const attempts = await house.database.admin<{ number: number }[]>`
    select (data->>'attempt')::int as number from audit
    where operation_id = ${id} and type in ('claim', 'resubmit') order by sequence`;
  expect(attempts.map(({ number }) => number)).toEqual(ours.map((_, index) => index + 1));
});

// Red when: an answer that did not come is settled as failed.
test('F004: an answer that comes too late leaves the outcome unknown, never failed, until a reading of the provider confirms it', async () => {
  const { order, payment } = await newOrder();
  provider.script.push({ do: 'execute-then-lose' });
  const id = await house.approved(order, 1_250);
  await whileRunning(house.worker(), async () => {
    await house.settled(id, 'confirmed');
  });
  expect(await statesOf(id)).toEqual(['proposed', 'approved', 'submitting', 'outcome_unknown', 'confirmed']);
  expect(inLedger(payment)).toHaveLength(1);
  const [counted] = await house.database.admin<{ times: number }[]>`
    select count(*)::int as times from counted
    where operation_id = ${id} and name = 'reconciliation_seconds' and label in ${house.database.admin(readings)}`;
  expect(counted?.times).toBe(1);
});

// Red when: the decision, the check before the first byte and the constraint on attempts all let it through.
test('F006: a provider without keys that executes and answers 500 gets exactly one request', async () => {
  const keyless = createScriptedProvider(pspN(true).contract, pspN(true).ways);
  const own = await createWorkerHouse(keyless.adapter);
  try {
    await own.order('order-1', 'pi_1', 10_000);
    keyless.script.push({ do: 'execute-then-500' });
    keyless.hidden = 5;
    const id = await own.approved('order-1', 1_500);
    await whileRunning(own.worker(), async () => {
      await own.settled(id, 'confirmed');
    });
    expect(keyless.requests).toHaveLength(1);
    expect(keyless.ledger).toHaveLength(1);
  } finally {
    await own.close();
  }
});

// Red when: one empty look-up is enough for a resubmission (`emptyReadsBeforeResubmission`).
test('F010: a first look-up that finds nothing starts no new request; the second finds the refund and confirms it', async () => {
  const { order, payment } = await newOrder();
  provider.script.push({ do: 'execute-then-lose' });
  const id = await house.approved(order, 1_100);
  // Asked once before the send, so the first look-up afterwards is the one that sees nothing.
  await house.worker().runOnce();
  expect((await house.operation(id)).state).toBe('outcome_unknown');
  provider.hidden = 1;
  await whileRunning(house.worker(), async () => {
    await house.settled(id, 'confirmed');
  });
  expect(provider.requests).toHaveLength(1);
  expect(inLedger(payment)).toHaveLength(1);
  const findings = await house.database.admin<{ source: string; kind: string }[]>`
    select source, finding->>'kind' as kind from observations where operation_id = ${id} order by observed_at, id`;
  expect(findings.map(({ kind }) => kind)).toContain('absent-yet');
  expect(findings.some(({ source, kind }) => readings.includes(source) && kind === 'found')).toBe(true);
});

// Red when: the key comes from payment and amount, or a claim does not check the state under its lock.
test('F015: one operation delivered to many workers is one refund; an equal second one is another', async () => {
  const { order, payment } = await newOrder();
  const first = await house.approved(order, 2_000);
  const second = await house.approved(order, 2_000, { differentFrom: [first] });
  for (let round = 0; round < 6; round += 1) {
    await Promise.all([house.worker().runOnce(), house.worker().runOnce()]);
    await house.database
      .admin`update operations set wake_at = now() where id in (${first}, ${second}) and state = 'approved'`;
  }
  expect((await house.operation(first)).state).toBe('confirmed');
  expect((await house.operation(second)).state).toBe('confirmed');
  expect(inLedger(payment)).toHaveLength(2);
  const keys = provider.requests.map(({ idempotencyKey }) => idempotencyKey);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(2);
});

// Red when: a claim past its lease goes back to approved instead of losing sight of its outcome.
test('F032: a request that outlives its lease is never claimed afresh; one refund, one key, confirmed', async () => {
  const { order, payment } = await newOrder();
  const answer = gate();
  provider.script.push({ do: 'execute-then-wait', until: answer.opened });
  const id = await house.approved(order, 3_300);
  const slow = house.worker({ settings: { ...shortSettings, leaseMs: 1_500 } }).runOnce();
  await house.settled(id, 'submitting');
  provider.hidden = 1_000;
  await whileRunning(house.worker(), async () => {
    await house.settled(id, 'confirmed');
  });
  const before = await house.operation(id);
  answer.open();
  await slow;
  const after = await house.operation(id);
  expect(after).toMatchObject({ state: 'confirmed', fence: before.fence, version: before.version });
  expect(new Set(provider.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect(inLedger(payment)).toHaveLength(1);
  expect(await statesOf(id)).toContain('outcome_unknown');
  // The late answer of the worker that lost its claim is evidence all the same.
  const late = await house.database.admin`
    select 1 from observations where operation_id = ${id} and source = 'response' and attempt_number = 1`;
  expect(late).toHaveLength(1);
});

// Red when: the provider is called before the claiming transaction has committed.
test('F038: the claim is committed before the first byte leaves, and a worker without it makes no request', async () => {
  const { order, payment } = await newOrder();
  const id = await house.approved(order, 1_900);
  const seenFromOutside: unknown[] = [];
  const { submit } = provider.adapter;
  const providers = accountBy({
    submit: async (...args: Parameters<typeof submit>) => {
      seenFromOutside.push(
        await house.database.admin`
          select o.state, a.number, a.ended_at from operations o join attempts a on a.operation_id = o.id
          where o.id = ${id}`,
      );
      return submit(...args);
    },
  });
  await Promise.all([1, 2, 3].map(() => house.worker({ providers }).runOnce()));
  expect(seenFromOutside).toEqual([
    [expect.objectContaining({ state: 'submitting', number: 1, ended_at: null })],
  ]);
  expect(inLedger(payment)).toHaveLength(1);
});

test('F038: a provider call that breaks does not make the claim vanish: the outcome is unknown and looked up', async () => {
  const { order, payment } = await newOrder();
  const id = await house.approved(order, 1_800);
  const { submit } = provider.adapter;
  let broken = false;
  const providers = accountBy({
    submit: async (...args: Parameters<typeof submit>) => {
      const report = await submit(...args);
      if (broken) return report;
      broken = true;
      throw new Error('the client library has a fault');
    },
  });
  await whileRunning(house.worker({ providers }), async () => {
    await house.settled(id, 'confirmed');
  });
  expect(await statesOf(id)).toContain('outcome_unknown');
  expect(inLedger(payment)).toHaveLength(1);
});

// Red when: "pending" is settled as failed or releases the reservation.
test('F053: what the provider has accepted and not finished is pending, stays reserved, and is confirmed later', async () => {
  const { order, payment } = await newOrder();
  provider.script.push({ do: 'pending' });
  const id = await house.approved(order, 9_900);
  await house.worker().runOnce();
  expect((await house.operation(id)).state).toBe('pending');
  expect(await figures(payment)).toMatchObject({ reserved: 9_900, refunded: 0 });
  changeAtProvider(inLedger(payment)[0]?.reference ?? '', { status: 'succeeded', statusText: 'succeeded' });
  await whileRunning(house.worker(), async () => {
    await house.settled(id, 'confirmed');
  });
  expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 9_900 });
  expect(provider.requests).toHaveLength(1);
});

// Red when: a refusal is booked as refunded, or any record of ours says confirmed before the provider does.
test('F121: a refusal of the provider is failed with its reason, and nothing here ever says refunded', async () => {
  const { order, payment } = await newOrder();
  provider.script.push({
    do: 'find',
    status: 402,
    finding: { kind: 'rejected', decline: 'not-enough-balance', code: 'balance_insufficient' },
  });
  const id = await house.approved(order, 4_000);
  await house.worker().runOnce();
  const row = await house.operation(id);
  expect(row.state).toBe('failed');
  expect(row.settlement).toMatchObject({ kind: 'failed', cause: { decline: 'not-enough-balance' } });
  expect(await statesOf(id)).toEqual(['proposed', 'approved', 'submitting', 'failed']);
  expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 0 });
});

test('an operation that is looked up again and again never lacks a wake-up time', async () => {
  const { order } = await newOrder();
  provider.script.push({ do: 'lose' });
  const id = await house.approved(order, 700);
  await house.worker().runOnce();
  provider.silent = true;
  await whileRunning(house.worker(), async () => {
    await eventually(async () => {
      const row = await house.operation(id);
      expect(row.wake_at).not.toBeNull();
      const [looks] = await house.database.admin<{ count: number }[]>`
        select count(*)::int as count from observations where operation_id = ${id} and source = 'look-up'`;
      return (looks?.count ?? 0) >= 5;
    });
  });
  expect((await house.operation(id)).state).toBe('outcome_unknown');
  expect(provider.requests).toHaveLength(1);
});
