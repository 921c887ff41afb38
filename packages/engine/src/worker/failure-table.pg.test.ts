import { expect, test } from 'vitest';
import { createScriptedProvider, type Behaviour } from '../../test/scripted-provider.ts';
import { eventually } from '../../test/postgres-rig.ts';
import { gate, scriptedHouse, vanishing } from '../../test/scripted-house.ts';
import { createWorkerHouse, mint, shortSettings, whileRunning } from '../../test/worker-house.ts';
import { storeAnswer } from '../postgres/attempt-store.ts';

const { house, provider, newOrder, figures, inLedger, refundByHand, changeAtProvider, wakeNow, accountBy } =
  await scriptedHouse();

/** Sends once with this behaviour and leaves the outcome unknown. */
const unknownAfter = async (
  behaviour: Behaviour,
  minor = 2_000,
): Promise<{ id: string; payment: string }> => {
  const { order, payment } = await newOrder();
  provider.script.push(behaviour);
  const id = await house.approved(order, minor);
  await house.worker().runOnce();
  expect((await house.operation(id)).state).toBe('outcome_unknown');
  return { id, payment };
};

// Red when: `lose-sight` is left out for a claim that never sent, or it is claimed afresh.
test('a process that dies between its claim and its request leaves an unknown outcome that ends in one refund', async () => {
  const { order, payment } = await newOrder();
  const id = await house.approved(order, 2_000);
  void house
    .worker({ providers: accountBy(vanishing), settings: { ...shortSettings, leaseMs: 1_500 } })
    .runOnce();
  await house.settled(id, 'submitting');
  await whileRunning(house.worker(), async () => {
    await house.settled(id, 'confirmed');
  });
  expect(inLedger(payment)).toHaveLength(1);
  const [audited] = await house.database.admin<{ states: string[] }[]>`
    select array_agg(state order by sequence) as states from audit where operation_id = ${id}`;
  expect(audited?.states).toContain('outcome_unknown');
});

// Red when: the fence or the lease is not asked right before sending (`judgeBeforeSend`).
test('a worker frozen past its lease is stopped before it sends', async () => {
  const { order, payment } = await newOrder();
  const id = await house.approved(order, 2_000);
  let frozen = true;
  const thaw = async (): Promise<void> => {
    while (frozen) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const sleepy = house.worker({
    settings: { ...shortSettings, leaseMs: 1_500 },
    // Freezes in the transaction that reads the claim right before the send: the first one after the claim committed.
    inOrganisation: async (organisationId, work) => {
      const row = await house.operation(id);
      if (row.state === 'submitting' && row.fence === 1 && frozen) await thaw();
      return house.inOrganisation(organisationId, work);
    },
  });
  const sleeping = sleepy.runOnce();
  await house.settled(id, 'submitting');
  await whileRunning(house.worker(), async () => {
    await house.settled(id, 'confirmed');
  });
  expect(provider.requests).toHaveLength(1);
  frozen = false;
  await sleeping;
  expect(provider.requests).toHaveLength(1);
  expect(inLedger(payment)).toHaveLength(1);
  const [first] = await house.database
    .admin`select result from attempts where operation_id = ${id} and number = 1`;
  expect(first).toEqual({ result: 'not-sent' });
});

// Red when: a resubmission goes by the mirror, its last check is left out, or the next look stays shown for when it was.
test('never sent, unknown, then refunded by hand: nothing is sent, a person decides', async () => {
  const { id, payment } = await unknownAfter({ do: 'lose' }, 8_000);
  refundByHand(payment, 8_000);
  await whileRunning(house.worker(), async () => {
    await eventually(async () => (await house.operation(id)).attention.length > 0);
  });
  const row = await house.operation(id);
  expect(row.state).toBe('outcome_unknown');
  expect(row.attention.map(({ reason }) => reason)).toEqual(['conflicting-evidence']);
  expect(provider.requests).toHaveLength(1);
  expect(row.wake_at).not.toBeNull();
  // What people are told of the next look is when it is.
  expect(row.next_check_at).toEqual(row.wake_at);
  expect(await figures(payment)).toMatchObject({ reserved: 8_000, elsewhere: 8_000 });
});

// Red when: a later attempt's refusal settles an earlier ambiguous one.
test.each<[string, Behaviour]>([
  [
    '429',
    { do: 'find', status: 429, finding: { kind: 'deferred', because: 'rate-limited', retryAfterMs: 60_000 } },
  ],
  [
    '401',
    { do: 'find', status: 401, finding: { kind: 'deferred', because: 'key-refused', retryAfterMs: null } },
  ],
  ['400', { do: 'find', status: 400, finding: { kind: 'rejected', decline: 'invalid-request', code: null } }],
])(
  'first attempt ambiguous, second answered %s: still unknown, reservation kept',
  async (_status, second) => {
    const { id, payment } = await unknownAfter({ do: 'lose' });
    provider.script.push(second);
    await whileRunning(house.worker(), async () => {
      await eventually(async () => provider.requests.length === 2);
      await house.settled(id, 'outcome_unknown');
    });
    const row = await house.operation(id);
    expect(row.state).toBe('outcome_unknown');
    expect(row.wake_at).not.toBeNull();
    expect(await figures(payment)).toMatchObject({ reserved: 2_000, refunded: 0 });
    await house.database
      .admin`update operations set wake_at = null, attention = '[{"reason":"outcome-unresolved","since":"2026-01-01T00:00:00.000Z"}]' where id = ${id}`;
  },
);

test('"already refunded" after our own lost answer is looked up and confirmed', async () => {
  const { order } = await newOrder();
  provider.script.push(
    { do: 'execute-then-lose' },
    {
      do: 'find',
      status: 400,
      finding: { kind: 'rejected', decline: 'already-refunded', code: 'charge_already_refunded' },
    },
  );
  provider.hidden = 4;
  const id = await house.approved(order, 10_000);
  await whileRunning(house.worker(), async () => {
    await house.settled(id, 'confirmed');
  });
  expect(new Set(provider.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
});

// Red when: a saved failure is not recognised as a replay, or a new key is made for it.
test('a saved 500 replayed under the key is sent no third time; a person decides, never "failed"', async () => {
  const own = createScriptedProvider();
  const ownHouse = await createWorkerHouse(own.adapter, { settings: { needsPersonAfterMs: 6_000 } });
  try {
    await ownHouse.order('order-1', 'pi_1', 10_000);
    own.script.push({ do: 'execute-then-500' }, { do: 'execute-then-500' });
    own.hidden = 100_000;
    const id = await ownHouse.approved('order-1', 2_000);
    await whileRunning(ownHouse.worker(), async () => {
      await eventually(async () => (await ownHouse.operation(id)).attention.length > 0);
    });
    const row = await ownHouse.operation(id);
    expect(row.state).toBe('outcome_unknown');
    expect(row.attention.map(({ reason }) => reason)).toEqual(['outcome-unresolved']);
    expect(own.requests).toHaveLength(2);
    expect(new Set(own.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    own.hidden = 0;
    await whileRunning(ownHouse.worker(), async () => {
      await ownHouse.settled(id, 'confirmed');
    });
  } finally {
    await ownHouse.close();
  }
});

// Red when: the decision, the check before the first byte and the constraint on attempts all let it through.
test('a key older than its window is never sent again; it is looked up, then a person is told', async () => {
  const own = createScriptedProvider({ keyWindowMs: 3_600_000, keyWindowMarginMs: 3_600_000 - 100 });
  const ownHouse = await createWorkerHouse(own.adapter, { settings: { needsPersonAfterMs: 1_000 } });
  try {
    await ownHouse.order('order-1', 'pi_1', 10_000);
    own.script.push({ do: 'lose' });
    const id = await ownHouse.approved('order-1', 2_000);
    await whileRunning(ownHouse.worker(), async () => {
      await eventually(async () => (await ownHouse.operation(id)).attention.length > 0);
    });
    expect(own.requests).toHaveLength(1);
    expect((await ownHouse.operation(id)).state).toBe('outcome_unknown');
  } finally {
    await ownHouse.close();
  }
});

// Red when: the last check is left out, or it goes by figures of the approval.
test('a refund by hand or a dispute between approval and claim sends it back with the reason, its reservation free', async () => {
  const one = await newOrder();
  const other = await newOrder();
  const refunded = await house.approved(one.order, 3_000);
  const disputed = await house.approved(other.order, 3_000);
  refundByHand(one.payment, 1_000);
  provider.disputes.push({
    reference: 'dp_1',
    paymentReference: other.payment,
    amount: { minor: 10_000, currency: 'EUR' },
    open: true,
    statusText: 'needs_response',
    createdAtMs: Date.now(),
  });
  await house.worker().runOnce();
  expect(await house.operation(refunded)).toMatchObject({
    state: 'proposed',
    sent_back: { reasons: ['refunded-elsewhere'] },
  });
  expect(await house.operation(disputed)).toMatchObject({
    state: 'proposed',
    sent_back: { reasons: ['disputed'] },
  });
  expect(await figures(one.payment)).toMatchObject({ reserved: 0, elsewhere: 1_000 });
  expect(await figures(other.payment)).toMatchObject({ reserved: 0, disputed: true });
  expect(provider.requests).toHaveLength(0);
  const [approvals] = await house.database.admin<{ standing: number }[]>`
    select count(*)::int as standing from approvals where operation_id = ${refunded} and voided_at is null`;
  expect(approvals?.standing).toBe(0);
});

test('a refund by hand larger than what is left is recorded at once, and what has not been sent stops', async () => {
  const { order, payment } = await newOrder();
  const id = await house.approved(order, 6_000);
  refundByHand(payment, 9_000);
  await house.worker().runOnce();
  expect(await figures(payment)).toMatchObject({ elsewhere: 9_000, reserved: 0 });
  expect((await house.operation(id)).sent_back?.reasons).toEqual(['refunded-elsewhere', 'too-little-left']);
});

test('without an answer to the last check nothing is sent, and it stays approved with a wake-up', async () => {
  const { order } = await newOrder();
  provider.silent = true;
  const id = await house.approved(order, 1_000);
  await house.worker().runOnce();
  const row = await house.operation(id);
  expect(row).toMatchObject({ state: 'approved', waiting_for: 'provider' });
  expect(row.wake_at).not.toBeNull();
  expect(provider.requests).toHaveLength(0);
});

// Red when: a deferral is settled as unknown, or the window begins with a request that was turned away.
test('a refused key waits in approved and says so; its window has not begun; it is sent when it may be', async () => {
  const { order } = await newOrder();
  provider.script.push({
    do: 'find',
    status: 401,
    finding: { kind: 'deferred', because: 'key-refused', retryAfterMs: null },
  });
  const id = await house.approved(order, 1_000);
  const worker = house.worker();
  await worker.runOnce();
  const waiting = await house.operation(id);
  expect(waiting).toMatchObject({ state: 'approved', first_sent_at: null, replay_deadline: null });
  expect(waiting.attention.map(({ reason }) => reason)).toEqual(['provider-refuses-us']);
  await whileRunning(worker, async () => {
    const row = await house.settled(id, 'confirmed');
    expect(row.attention).toEqual([]);
  });
});

// Red when: the limiter does not hold back the other operations of the account.
test('after a 429 no other operation of the account is submitted before the provider wants it', async () => {
  const one = await newOrder();
  const other = await newOrder();
  provider.script.push({
    do: 'find',
    status: 429,
    finding: { kind: 'deferred', because: 'rate-limited', retryAfterMs: 60_000 },
  });
  const first = await house.approved(one.order, 1_000);
  const worker = house.worker({ width: 1 });
  await worker.runOnce();
  expect((await house.operation(first)).state).toBe('approved');
  const second = await house.approved(other.order, 1_000);
  await worker.runOnce();
  expect(provider.requests).toHaveLength(1);
  expect(await house.operation(second)).toMatchObject({ state: 'approved', waiting_for: 'provider' });
  // The minute is over.
  await house.database.admin`delete from account_budgets`;
  await house.database.admin`
    update operations set deferred_until = null, wake_at = now() where id in (${first}, ${second})`;
  await whileRunning(house.worker(), async () => {
    await house.settled(first, 'confirmed');
    await house.settled(second, 'confirmed');
  });
});

test('two operations of one payment are never in flight together', async () => {
  const { order, payment } = await newOrder();
  const answer = gate();
  provider.script.push({ do: 'execute-then-wait', until: answer.opened });
  const first = await house.approved(order, 1_000);
  const second = await house.approved(order, 2_000, { returnId: undefined as never });
  const running = house.worker({ width: 1 }).runOnce();
  await eventually(async () => provider.requests.length === 1);
  // Not even the mirror may end it meanwhile.
  provider.hidden = 1_000;
  await house.worker().runOnce();
  const [inFlight] = await house.database.admin<{ count: number }[]>`
    select count(*)::int as count from operations where payment_reference = ${payment} and state = 'submitting'`;
  expect(inFlight?.count).toBe(1);
  provider.hidden = 0;
  answer.open();
  await running;
  await whileRunning(house.worker(), async () => {
    await house.settled(first, 'confirmed');
    await house.settled(second, 'confirmed');
  });
});

// Red when: an answer that could not be saved is dropped, or the request is made again to get it.
test('while an answer cannot be saved it stays in memory: one request in total, and it is confirmed in the end', async () => {
  const { order } = await newOrder();
  const answer = gate();
  provider.script.push({ do: 'execute-then-wait', until: answer.opened });
  const id = await house.approved(order, 1_000);
  const troubles: string[] = [];
  const running = house.worker({ log: (_level, message) => troubles.push(message) }).runOnce();
  await eventually(async () => provider.requests.length === 1);
  await house.database.admin`alter table observations rename to observations_away`;
  answer.open();
  await eventually(
    async () => troubles.filter((message) => message.includes('could not be saved')).length >= 3,
  );
  await house.database.admin`alter table observations_away rename to observations`;
  await running;
  await house.settled(id, 'confirmed');
  expect(provider.requests).toHaveLength(1);
});

// Red when: a woken operation is not settled from its stored evidence before anything else (`settleEvidence`).
test('an answer that was saved by a process that then died is settled by the next one, without a request', async () => {
  const { order, payment } = await newOrder();
  const id = await house.approved(order, 1_000);
  void house.worker({ providers: accountBy(vanishing) }).runOnce();
  await house.settled(id, 'submitting');
  const record = {
    reference: 're_saved',
    status: 'succeeded',
    statusText: 'succeeded',
    amount: { minor: 1_000, currency: 'EUR' },
    paymentReference: payment,
    failureReason: null,
    createdAtMs: Date.now(),
    organisationId: house.organisationId,
    operationId: id,
  } as const;
  const identity = { organisationId: house.organisationId, operationId: id, attemptNumber: 1, fence: 1 };
  await house.inOrganisation(house.organisationId, (tx) =>
    storeAnswer(tx, identity, {
      finding: { kind: 'accepted', record },
      status: 200,
      requestId: null,
      replayed: false,
      providerDateMs: null,
    }),
  );
  await house.worker().runOnce();
  expect(await house.operation(id)).toMatchObject({ state: 'confirmed', provider_reference: 're_saved' });
  expect(provider.requests).toHaveLength(0);
});

// Red when: confirmed operations are not looked at again, or a late failure is not `reversed`.
test('a refund that fails later is reversed and its money refundable again, without any webhook', async () => {
  const { order, payment } = await newOrder();
  const id = await house.approved(order, 5_000);
  await house.worker().runOnce();
  expect((await house.operation(id)).state).toBe('confirmed');
  changeAtProvider(inLedger(payment)[0]?.reference ?? '', {
    status: 'failed',
    statusText: 'failed',
    failureReason: 'expired_or_canceled_card',
  });
  await wakeNow(id);
  await house.worker().runOnce();
  expect((await house.operation(id)).state).toBe('reversed');
  expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 0 });
});

/** Nothing is sent since the provider turned out to be ahead of us; people have looked, and let it go on. */
const liftHold = async (): Promise<void> => {
  const [held] = await house.database.admin`select hold_on, hold_by from organisations`;
  expect(held).toEqual({ hold_on: true, hold_by: 'system' });
  await house.database.admin`update organisations set hold_on = false, hold_by = null`;
};

const generation = async (): Promise<unknown> =>
  (await house.database.admin`select generation from organisations`)[0]?.['generation'];

// Red when: the provider's side is taken in without being asked whether it is ahead of us.
test('a refund of ours that an older database knows nothing of settles its operation; nothing is sent, a new generation begins on hold', async () => {
  const { order, payment } = await newOrder();
  const before = await generation();
  const id = await house.approved(order, 5_000);
  refundByHand(payment, 5_000, {
    reference: 're_before_restore',
    organisationId: house.organisationId,
    operationId: id,
  });
  await house.worker().runOnce();
  const row = await house.operation(id);
  expect(row).toMatchObject({ state: 'confirmed', provider_reference: 're_before_restore' });
  expect(row.attention.map(({ reason }) => reason)).toEqual(['contradicted']);
  expect(provider.requests).toHaveLength(0);
  expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 5_000, elsewhere: 0 });
  expect(await generation()).not.toBe(before);
  await liftHold();
});

// Red when: the claim does not look for refunds of ours that no operation accounts for, or what waits for the end of a
// hold is not settled by evidence.
test('an operation retold after a restore, whose refund the mirror already holds, is settled by it and never sent', async () => {
  const { order, payment } = await newOrder();
  const id = mint();
  refundByHand(payment, 3_000, {
    reference: `re_kept_${id}`,
    organisationId: house.organisationId,
    operationId: id,
  });
  await house.database.admin`update mirror_positions set next_listing_at = now()`;
  await house.worker().runOnce();
  const [mirrored] = await house.database
    .admin`select 1 from mirror_refunds where metadata_operation_id = ${id}`;
  expect(mirrored).toBeDefined();
  await house.approved(order, 3_000, { operationId: id, commandId: id });
  await house.worker().runOnce();
  expect(await house.operation(id)).toMatchObject({
    state: 'confirmed',
    provider_reference: `re_kept_${id}`,
  });
  expect(provider.requests).toHaveLength(0);
  expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 3_000, elsewhere: 0 });
  await liftHold();
});

test('two records of the provider for one operation are a duplicate: counted once, and a person is told', async () => {
  const { order, payment } = await newOrder();
  const id = await house.approved(order, 2_500);
  await house.worker().runOnce();
  const [refund] = inLedger(payment);
  if (refund === undefined) throw new Error('no refund');
  provider.ledger.push({ ...refund, reference: 're_twice' });
  await house.database.admin`update mirror_positions set next_listing_at = now()`;
  await house.worker().runOnce();
  const row = await house.operation(id);
  expect(row.attention.map(({ reason }) => reason)).toEqual(['duplicate-action']);
  const [counted] = await house.database.admin<{ times: number }[]>`
    select count(*)::int as times from counted where name = 'duplicate_actions'`;
  expect(counted?.times).toBe(1);
});

test('proposals and approvals whose time is over expire, and an expired approval frees its reservation', async () => {
  const one = await newOrder();
  const other = await newOrder();
  const proposed = await house.propose(one.order, 1_000);
  const approved = await house.approved(other.order, 1_000);
  await house.database.admin`
    update operations set expires_at = now() - interval '1 second', wake_at = now() where id in (${proposed}, ${approved})`;
  await house.database.admin`
    update approvals set approved_at = now() - interval '8 days' where operation_id = ${approved}`;
  await house.worker().runOnce();
  expect((await house.operation(proposed)).state).toBe('expired');
  expect((await house.operation(approved)).state).toBe('expired');
  expect(await figures(other.payment)).toMatchObject({ reserved: 0 });
});

test('on hold nothing is submitted; off hold it goes by itself', async () => {
  const { order } = await newOrder();
  await house.database.admin`update organisations set hold_on = true`;
  const id = await house.approved(order, 1_000);
  await house.worker().runOnce();
  expect(await house.operation(id)).toMatchObject({ state: 'approved', waiting_for: 'hold' });
  expect(provider.requests).toHaveLength(0);
  await house.database.admin`update organisations set hold_on = false`;
  await wakeNow(id);
  await whileRunning(house.worker(), async () => {
    await house.settled(id, 'confirmed');
  });
});

test('an operation whose handling breaks is tried again, and its neighbours go on', async () => {
  const one = await newOrder();
  const other = await newOrder();
  const broken = await house.approved(one.order, 1_000);
  const fine = await house.approved(other.order, 1_000);
  const breaking = accountBy({
    encodeRefund: (request) => {
      if (request.operationId === broken) throw new Error('a promise of ours is broken');
      return provider.adapter.encodeRefund(request);
    },
  });
  await house.worker({ providers: breaking }).runOnce();
  expect((await house.operation(fine)).state).toBe('confirmed');
  const row = await house.operation(broken);
  expect(row.state).toBe('approved');
  expect(row.wake_at).not.toBeNull();
});
