import { describe, expect, test } from 'vitest';
import { formatAmount, type AttemptFinding } from '@holdfast/operation';
import { pspN } from '../../test/scripted-provider.ts';
import { eventually } from '../../test/postgres-rig.ts';
import { gate, scriptedHouse, vanishing, vanishingOnceSent } from '../../test/scripted-house.ts';
import { shortSettings, whileRunning } from '../../test/worker-house.ts';
import { changeOperation } from '../postgres/change-operation.ts';
import { readMetrics } from '../postgres/metrics-reader.ts';

const scripted = await scriptedHouse();
const { house, provider, newOrder, figures, inLedger, statesOf, evidenceOf, wakeNow, ask } = scripted;
const { another, accountBy } = scripted;

const shortLease = { ...shortSettings, leaseMs: 1_500 };

// Red when: what is unresolved is not named where too little is left, or a lost claim is never looked after.
test('F003: a process that dies before its request leaves 80.00 that is said to be unresolved, then settled, once', async () => {
  const { order, payment } = await newOrder();
  const id = await house.approved(order, 8_000);
  void house.worker({ providers: accountBy(vanishing), settings: shortLease }).runOnce();
  await house.settled(id, 'submitting');
  const unresolved = `${formatAmount({ minor: 8_000, currency: 'EUR' })} is unresolved on this payment (${id})`;
  expect((await ask(order, 3_000)).problem?.detail).toContain(unresolved);

  provider.silent = true;
  await whileRunning(house.worker(), async () => {
    await house.settled(id, 'outcome_unknown');
  });
  const duplicate = (await ask(order, 3_000)).problem;
  expect(duplicate?.type).toMatch(/possible-duplicate$/);
  expect(duplicate?.operations).toEqual([
    expect.objectContaining({ id, state: 'outcome_unknown', amount: { minor: 8_000, currency: 'EUR' } }),
  ]);
  const different = (await ask(order, 3_000, { differentFrom: [id] })).problem;
  expect(different?.type).toMatch(/exceeds-refundable$/);
  expect(different?.detail).toContain(unresolved);
  await house.database
    .admin`update operations set unknown_since = now() - interval '90 seconds' where id = ${id}`;
  const { samples } = await house.inOrganisation(house.organisationId, readMetrics);
  const oldest = samples.find(({ name }) => name === 'holdfast_oldest_unresolved_seconds');
  expect(oldest?.value).toBeGreaterThanOrEqual(89);

  provider.silent = false;
  await house.database.admin`update operations set unknown_since = now() where id = ${id}`;
  await wakeNow(id);
  await whileRunning(house.worker(), async () => {
    await house.settled(id, 'confirmed');
  });
  expect(inLedger(payment)).toHaveLength(1);
  expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 8_000 });
});

// Red when: a late answer writes its state over the row (`settle` not asked), or a write does not compare the version.
test('F013: a worker that comes back with "failed" and an old copy changes nothing of what was confirmed meanwhile', async () => {
  const { order, payment } = await newOrder();
  const late = gate();
  const id = await house.approved(order, 1_400);
  const slow = house
    .worker({
      providers: accountBy({
        submit: async (...request) => {
          const report = await provider.adapter.submit(...request);
          await late.opened;
          return { ...report, status: 400, finding: refused };
        },
      }),
    })
    .runOnce();
  await eventually(async () => inLedger(payment).length === 1);
  const old = await house.operation(id);
  await house.database.admin`update mirror_positions set next_listing_at = now()`;
  await whileRunning(house.worker(), async () => {
    await house.settled(id, 'confirmed');
  });
  const confirmed = await house.operation(id);
  late.open();
  await slow;
  expect(await house.operation(id)).toMatchObject({
    ...{ state: 'confirmed', version: confirmed.version, attempt_count: 1 },
    provider_reference: inLedger(payment)[0]?.reference,
  });
  // The whole old copy, as a program without evidence would save it.
  const written = await house.inOrganisation(house.organisationId, (tx) =>
    changeOperation(tx, {
      ...{ operationId: id, expectedVersion: old.version, by: { actorId: null } },
      ...{ event: { type: 'evidence-failed' }, patch: { attemptCount: 2 } },
    }),
  );
  expect(written.kind).toBe('conflict');
  expect(await statesOf(id)).toEqual(['proposed', 'approved', 'submitting', 'confirmed']);
  // What it had to say is kept beside the rest, and shown.
  expect(await evidenceOf(id)).toContainEqual({ source: 'response', kind: 'rejected' });
  expect(provider.requests).toHaveLength(1);
  expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 1_400 });
});

const refused: AttemptFinding = { kind: 'rejected', decline: 'invalid-request', code: null };

describe('F014: a node that vanishes after its request was written', () => {
  // Red when: the second worker encodes anew, or its key holds the attempt or the worker.
  test('with a provider that keeps keys: the same key again, one refund', async () => {
    const { order, payment } = await newOrder();
    provider.hidden = 1_000;
    const id = await house.approved(order, 1_500);
    void house.worker({ providers: accountBy(vanishingOnceSent(provider)), settings: shortLease }).runOnce();
    await eventually(async () => provider.requests.length === 1);
    await whileRunning(house.worker(), async () => {
      await house.settled(id, 'confirmed');
    });
    expect(provider.requests.length).toBeGreaterThanOrEqual(2);
    expect(new Set(provider.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(inLedger(payment)).toHaveLength(1);
  });

  // Red when: a contract without keys lets the stored bytes be sent again.
  test.each([
    ['that names the operation', pspN(true), 'confirmed'],
    ['that names nobody', pspN(false), 'outcome_unknown'],
  ] as const)('with a provider without keys %s: looked up, never sent again', async (_names, kind, state) => {
    const { order, payment } = await newOrder();
    const other = another(kind);
    other.provider.hidden = 4;
    const id = await house.approved(order, 1_500);
    const dying = accountBy({ ...other.provider.adapter, ...vanishingOnceSent(other.provider) });
    void house.worker({ providers: dying, settings: shortLease }).runOnce();
    await eventually(async () => other.provider.requests.length === 1);
    await whileRunning(house.worker({ providers: other.providers }), async () => {
      await eventually(async () => {
        const row = await house.operation(id);
        return row.state === state && (state === 'confirmed' || row.attention.length > 0);
      });
    });
    expect(other.provider.requests).toHaveLength(1);
    expect(other.provider.ledger.filter(({ paymentReference }) => paymentReference === payment)).toHaveLength(
      1,
    );
  });

  // Red when: an attempt without a recorded end counts for a final absence.
  test('with a provider without keys that never got it: no absence is final, a person decides, nothing is sent', async () => {
    const { order, payment } = await newOrder();
    const other = another({
      ...pspN(true),
      contract: { ...pspN(true).contract, finalAbsenceProves: 'nothing-happened', quietPeriodMs: 1 },
    });
    const id = await house.approved(order, 1_500);
    const dying = accountBy({ ...other.provider.adapter, ...vanishing });
    void house.worker({ providers: dying, settings: shortLease }).runOnce();
    await house.settled(id, 'submitting');
    const impatient = { ...shortSettings, needsPersonAfterMs: 1_000 };
    await whileRunning(house.worker({ providers: other.providers, settings: impatient }), async () => {
      await eventually(async () => (await house.operation(id)).attention.length > 0);
    });
    expect(await house.operation(id)).toMatchObject({
      state: 'outcome_unknown',
      attention: [expect.objectContaining({ reason: 'outcome-unresolved' })],
    });
    expect((await evidenceOf(id)).filter(({ kind }) => kind === 'absent-yet').length).toBeGreaterThan(2);
    expect(other.provider.requests).toHaveLength(0);
    expect(await figures(payment)).toMatchObject({ reserved: 1_500 });
  });
});

/** One attempt stalls before it reaches the provider; the same worker, started again, has the next one in flight. */
const succeededByItself = async (finding: AttemptFinding) => {
  const { order, payment } = await newOrder();
  const woken = gate();
  const answered = gate();
  const id = await house.approved(order, 3_400);
  const name = 'host-1/0';
  const stalled = house
    .worker({
      ...{ name, settings: shortLease },
      providers: accountBy({
        submit: async () => {
          await woken.opened;
          return { finding, status: null, requestId: null, replayed: false, providerDateMs: null };
        },
      }),
    })
    .runOnce();
  await house.settled(id, 'submitting');
  provider.script.push({ do: 'execute-then-wait', until: answered.opened });
  provider.hidden = 1_000;
  const stop = new AbortController();
  const running = house.worker({ name }).run(stop.signal);
  await eventually(async () => provider.requests.length === 1);
  return {
    ...{ id, payment },
    wake: async () => {
      woken.open();
      await stalled;
      await eventually(async () => (await evidenceOf(id)).some(({ kind }) => kind === finding.kind));
    },
    finish: async () => {
      answered.open();
      await house.settled(id, 'confirmed');
      stop.abort();
      await running;
    },
  };
};

// Red when: settling lets an older attempt's end decide while the newest is under way, or the fence is not compared.
test.each<[string, AttemptFinding]>([
  ['gives its claim back', { kind: 'not-sent', because: 'stalled' }],
  ['puts it off', { kind: 'deferred', because: 'rate-limited', retryAfterMs: null }],
])('F034: an abandoned attempt that wakes and %s leaves its successor its claim', async (_does, finding) => {
  const { id, payment, wake, finish } = await succeededByItself(finding);
  const before = await house.operation(id);
  await wake();
  const after = await house.operation(id);
  expect(after).toMatchObject({ state: 'submitting', fence: 2, version: before.version });
  expect(after.lease_until).toEqual(before.lease_until);
  const stale = await house.inOrganisation(house.organisationId, (tx) =>
    changeOperation(tx, {
      ...{ operationId: id, expectedVersion: after.version, fence: 1, by: { actorId: null } },
      event: { type: 'lose-sight' },
    }),
  );
  expect(stale.kind).toBe('conflict');
  await finish();
  expect(inLedger(payment)).toHaveLength(1);
});

// Red when: a refusal of an earlier attempt settles the operation that a later one has in flight.
test('F035: "failed" from a worker whose claim is another’s by now is not the result; the current one’s stands', async () => {
  const { id, payment, wake, finish } = await succeededByItself(refused);
  await wake();
  expect(await house.operation(id)).toMatchObject({ state: 'submitting', fence: 2 });
  expect(await figures(payment)).toMatchObject({ reserved: 3_400, refunded: 0 });
  await finish();
  expect(await statesOf(id)).not.toContain('failed');
  expect(inLedger(payment)).toHaveLength(1);
  expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 3_400 });
});

// Red when: none of three looks at the state as it is: the claim under its lock, the table, and the check before the
// first byte. Each alone stops it.
test('F037: what a worker read before another acted never decides: one claim, one request', async () => {
  const { order, payment } = await newOrder();
  const id = await house.approved(order, 3_700);
  const lag = gate();
  let asked = 0;
  const lagging = accountBy({
    askAboutPayment: async (...question) => {
      const answer = await provider.adapter.askAboutPayment(...question);
      if (question[0] !== payment) return answer;
      asked += 1;
      await lag.opened;
      return answer;
    },
  });
  const behind = house.worker({ providers: lagging }).runOnce();
  await eventually(async () => asked === 1);
  await wakeNow(id);
  await house.worker().runOnce();
  expect((await house.operation(id)).state).toBe('confirmed');
  const confirmed = await house.operation(id);
  lag.open();
  await behind;
  expect(await house.operation(id)).toMatchObject({ version: confirmed.version, attempt_count: 1 });
  expect(provider.requests).toHaveLength(1);
  expect(inLedger(payment)).toHaveLength(1);
});
