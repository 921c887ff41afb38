import { describe, expect, test } from 'vitest';
import type { AttemptFinding, LookUpFinding, Observation } from '@holdfast/operation';
import { pspL } from '../../test/scripted-provider.ts';
import { eventually } from '../../test/postgres-rig.ts';
import { gate, scriptedHouse } from '../../test/scripted-house.ts';
import { shortSettings, whileRunning } from '../../test/worker-house.ts';
import { addObservation, settleOperation } from '../postgres/observation-store.ts';

const scripted = await scriptedHouse();
const { house, provider, newOrder, figures, inLedger, statesOf, evidenceOf, sentenceOf, wakeNow } = scripted;
const { another, accountBy, ask } = scripted;

describe('F019: a first request that runs on at the provider after we stopped listening', () => {
  // Red when: "a request with this key is running" is settled as failed, or sent again under another key.
  test('is in use for every retry, and confirmed once its saved answer is replayed', async () => {
    const { order, payment } = await newOrder();
    const done = gate();
    provider.script.push({ do: 'outlive', until: done.opened });
    provider.hidden = 1_000;
    const id = await house.approved(order, 2_000);
    const inUse = async (): Promise<number> =>
      (await evidenceOf(id)).filter(({ kind }) => kind === 'in-flight-elsewhere').length;
    await whileRunning(house.worker(), async () => {
      await eventually(async () => (await inUse()) >= 3);
      expect(inLedger(payment)).toHaveLength(0);
      expect(await figures(payment)).toMatchObject({ reserved: 2_000, refunded: 0 });
      done.open();
      await house.settled(id, 'confirmed');
    });
    expect(await statesOf(id)).not.toContain('failed');
    expect(new Set(provider.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect((await evidenceOf(id)).at(-1)).toEqual({ source: 'response', kind: 'accepted' });
    expect(inLedger(payment)).toHaveLength(1);
  });

  // Red when: retries that only ever hear "in use" end as anything but unknown.
  test('stays unknown and goes before a person when that never ends', async () => {
    const { order, payment } = await newOrder();
    provider.script.push({ do: 'outlive', until: new Promise(() => undefined) });
    const id = await house.approved(order, 2_000);
    const impatient = { ...shortSettings, needsPersonAfterMs: 1_500 };
    await whileRunning(house.worker({ settings: impatient }), async () => {
      await eventually(async () => (await house.operation(id)).attention.length > 0);
    });
    expect(await house.operation(id)).toMatchObject({
      ...{ state: 'outcome_unknown', attention: [expect.objectContaining({ reason: 'outcome-unresolved' })] },
    });
    expect(await figures(payment)).toMatchObject({ reserved: 2_000, refunded: 0 });
  });
});

describe('F064: a provider that answers a second request with 409 and undoes the first', () => {
  // Red when: anything after the first request of an operation sends its bytes to a provider without keys.
  test('never gets a second one: not for an unknown outcome, not after the end, not from a restarted worker', async () => {
    const { order, payment } = await newOrder();
    const l = another(pspL);
    l.provider.script.push({ do: 'execute-then-lose' });
    l.provider.hidden = 4;
    const id = await house.approved(order, 6_200);
    await whileRunning(house.worker({ providers: l.providers }), async () => {
      await house.settled(id, 'confirmed');
    });
    await house.propose(order, 6_200, { operationId: id, commandId: id });
    expect((await house.approve(id)).problem?.type).toMatch(/too-late$/);
    for (let restarts = 0; restarts < 3; restarts += 1) {
      await wakeNow(id);
      await house.worker({ providers: l.providers }).runOnce();
    }
    expect(l.provider.requests).toHaveLength(1);
    expect(l.provider.ledger.map(({ status }) => status)).toEqual(['succeeded']);

    // The stray duplicate itself: what it undid shows as undone.
    const [request] = l.provider.requests;
    if (request === undefined) throw new Error('no request');
    await l.provider.adapter.submit(
      request,
      {
        ...{ organisationId: house.organisationId, operationId: id, paymentReference: payment },
        ...{ idempotencyKey: request.idempotencyKey, amount: { minor: 6_200, currency: 'EUR' }, reason: '' },
      },
      Date.now() + 1_000,
    );
    await wakeNow(id);
    await house.worker({ providers: l.providers }).runOnce();
    expect((await house.operation(id)).state).toBe('reversed');
    expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 0 });
  });

  // Red when: a refusal settles the operation although an earlier request of it may have worked.
  test('is looked up after any refusal of a request whose predecessor may have worked, before the state is set', async () => {
    const { order, payment } = await newOrder();
    // Its contract promised keys, and it does not keep them.
    const l = another({ ...pspL, contract: {} });
    l.provider.script.push({ do: 'execute-then-lose' });
    l.provider.hidden = 1_000;
    const shownAfterTheSecond = accountBy({
      ...l.provider.adapter,
      submit: async (...request) => {
        const report = await l.provider.adapter.submit(...request);
        if (l.provider.requests.length === 2) l.provider.hidden = 0;
        return report;
      },
    });
    const id = await house.approved(order, 6_200);
    await whileRunning(house.worker({ providers: shownAfterTheSecond }), async () => {
      await house.settled(id, 'failed');
    });
    const evidence = await evidenceOf(id);
    const refusedAt = evidence.findIndex(({ kind }) => kind === 'rejected');
    expect(refusedAt).toBeGreaterThan(0);
    expect(evidence.slice(refusedAt).some(({ kind }) => kind === 'found')).toBe(true);
    const [end] = await house.database.admin<{ data: { evidence: number } }[]>`
      select data from audit where operation_id = ${id} and state = 'failed' order by sequence limit 1`;
    expect(end?.data.evidence).toBeGreaterThan(refusedAt + 1);
    // By the refund that was undone, not by the word of the refusal.
    expect((await house.operation(id)).settlement).toMatchObject({
      cause: { kind: 'provider-failed', reference: l.provider.ledger[0]?.reference },
    });
    expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 0 });
  });
});

/** A confirmed refund of 50.00, as its first answer confirmed it. */
const confirmed = async () => {
  const { order, payment } = await newOrder();
  const id = await house.approved(order, 5_000);
  await house.worker().runOnce();
  const row = await house.operation(id);
  expect(row.state).toBe('confirmed');
  return { order, payment, id, row, sentence: await sentenceOf(id) };
};

// Red when: a look at something confirmed that has no answer is taken for its absence, or its failure lowers the state.
test('F012: what fails after the accepted answer, however often, leaves it confirmed and is tried again later', async () => {
  const { order, payment, id, row, sentence } = await confirmed();
  const noAnswer = { kind: 'no-answer', because: 'answer 503', ourKeyRefused: false } as const;
  const troubles = [
    () => Promise.resolve(noAnswer),
    () => Promise.resolve({ ...noAnswer, because: 'timeout' }),
    () => Promise.resolve({ ...noAnswer, because: 'answer 401', ourKeyRefused: true }),
    () => Promise.reject(new Error('the adapter broke')),
  ];
  for (const trouble of troubles) {
    await wakeNow(id);
    await house.database.admin`update mirror_positions set next_listing_at = now()`;
    const failing = accountBy({ askAboutRefund: trouble, askAboutPayment: trouble, listSince: trouble });
    await house.worker({ providers: failing }).runOnce();
    const now = await house.operation(id);
    expect(now).toMatchObject({ state: 'confirmed', version: row.version, attention: [] });
    expect(now.wake_at?.getTime()).toBeGreaterThan(Date.now() - 1_000);
  }
  // Not even a reference that the provider says it does not know takes the refund back: a person looks.
  await wakeNow(id);
  const forgetful = accountBy({ askAboutRefund: () => Promise.resolve({ kind: 'not-found' }) });
  await house.worker({ providers: forgetful }).runOnce();
  expect(await house.operation(id)).toMatchObject({
    ...{ state: 'confirmed', attention: [expect.objectContaining({ reason: 'conflicting-evidence' })] },
  });
  expect(await sentenceOf(id)).toContain(sentence);
  expect((await ask(order, 5_000)).problem).toBeDefined();
  expect(provider.requests).toHaveLength(1);
  expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 5_000 });
});

const refusal: AttemptFinding = { kind: 'rejected', decline: 'invalid-request', code: 'fee_reversal_failed' };
const lookUps: readonly LookUpFinding[] = [
  { kind: 'absent-yet' },
  { kind: 'absent-final' },
  { kind: 'no-answer', because: 'timeout' },
  { kind: 'exhausted-elsewhere', refunds: [] },
  { kind: 'unattributed', refunds: [], operations: [] },
];
const follows: readonly (readonly [Observation['source'], AttemptFinding | LookUpFinding])[] = [
  ...lookUps.map((finding) => ['look-up', finding] as const),
  ...lookUps.map((finding) => ['listing', finding] as const),
  ['response', refusal],
  ['response', { kind: 'rejected', decline: 'already-refunded', code: null }],
  ['response', { kind: 'deferred', because: 'rate-limited', retryAfterMs: null }],
  ['response', { kind: 'not-sent', because: 'no time left' }],
  ['response', { kind: 'unknown', because: 'reset' }],
];

// Red when: settling asks the ends of requests, or an absence, before the provider's record.
test('F063: a second step that is refused, and anything else that follows, leaves the accepted refund confirmed', async () => {
  const { order, payment, id, row, sentence } = await confirmed();
  const [account] = house.providers.accounts();
  for (const [source, finding] of follows) {
    for (const attemptNumber of source === 'response' ? [1, 2] : [undefined]) {
      await house.inOrganisation(house.organisationId, async (tx) => {
        await addObservation(tx, {
          ...{ operationId: id, source, finding },
          ...(attemptNumber === undefined ? {} : { attemptNumber }),
        });
        await settleOperation(tx, id, account, shortSettings);
      });
      expect(await house.operation(id), JSON.stringify(finding)).toMatchObject({
        ...{ state: 'confirmed', version: row.version, attention: [], settlement: row.settlement },
      });
    }
  }
  expect(await sentenceOf(id)).toBe(sentence);
  expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 5_000, elsewhere: 0 });
  // Nobody is invited to refund it once more.
  expect((await ask(order, 5_000)).problem?.operations?.map((operation) => operation.id)).toEqual([id]);
});
