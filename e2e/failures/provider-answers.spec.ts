import { expect, sideBySide, test } from './harness/side-by-side.ts';
import { attentionOf, openRow, resultsOf, sameBytes, statesOf, wake } from './harness/provider-row.ts';
import { stillMirror } from './harness/provider-mirror.ts';
import { until } from '../harness/program.ts';

/** What the provider answers to a submission, or does not: each row has a payment of its own. */
const row = sideBySide();
test.beforeAll(({ providerHouse }) => stillMirror(providerHouse));

// Red when: a rate limit counts as an unknown outcome (`deferralOf` knows no StripeRateLimitError).
row('429 is deferred: back to approved, sent later under the same key, one refund', async (house) => {
  const order = await openRow(house, 'rate-limited');
  await order.fault({ on: 'refund.create', do: 'rate_limit', retryAfter: 1 });
  const id = await order.approved(2_000);
  const done = await order.reach(id, 'confirmed');
  expect(resultsOf(done)).toEqual(['deferred', 'accepted']);
  expect(statesOf(done)).not.toContain('outcome_unknown');
  const requests = await order.requests();
  expect(requests.map(({ status }) => status)).toEqual([429, 200]);
  expect(sameBytes(requests)).toBe(true);
  expect((await order.refunds()).map(({ amount }) => amount)).toEqual([2_000]);
  expect(await order.order()).toMatchObject({ refunded: 2_000, reserved: 0, refundable: 3_000 });
});

const lostAnswers: readonly [string, Record<string, unknown>][] = [
  ['a 500 saved behind a carried-out refund', { do: 'execute_then_500' }],
  ['HTML of a gateway', { do: 'html_502', execute: true }],
  ['half a body', { do: 'truncated_body' }],
  ['a body that drips past the deadline', { do: 'drip_body', ms: 1_000 }],
  ['an empty 200', { do: 'empty_200' }],
];
for (const [index, [what, fault]] of lostAnswers.entries()) {
  // Red when: an answer that cannot be read counts as refused or accepted (`classifyError`, `classifyBody`).
  row(`${what} is unknown, never failed; the look-up confirms the one refund`, async (house) => {
    const order = await openRow(house, `lost-answer-${String(index)}`);
    const release = await order.holdEvents();
    await order.fault({ on: 'refund.create', ...fault });
    const id = await order.approved(2_000);
    const done = await order.reach(id, 'confirmed');
    expect(statesOf(done)).toContain('outcome_unknown');
    expect(statesOf(done)).not.toContain('failed');
    expect(resultsOf(done)).toEqual(['unknown']);
    expect(await order.requests()).toHaveLength(1);
    const [refund, ...others] = await order.refunds();
    expect(others).toEqual([]);
    expect(done.provider.reference).toBe(refund?.id);
    expect(await order.order()).toMatchObject({ refunded: 2_000, refundedElsewhere: 0, reserved: 0 });
    await release();
  });
}

// Red when: a 503 counts as "nothing was done" and goes back to approved.
row(
  '503 before anything was done is unknown; the same bytes go out again and make one refund',
  async (house) => {
    const order = await openRow(house, 'unavailable');
    await order.fault({ on: 'refund.create', do: 'error_before', status: 503 });
    const id = await order.approved(2_000);
    const done = await order.reach(id, 'confirmed');
    expect(statesOf(done)).toContain('outcome_unknown');
    expect(resultsOf(done)).toEqual(['unknown', 'accepted']);
    const requests = await order.requests();
    expect(requests.map(({ status }) => status)).toEqual([503, 200]);
    expect(sameBytes(requests)).toBe(true);
    expect(await order.refunds()).toHaveLength(1);
  },
);

// Red when: a record of another amount confirms (`byRecords` leaves out `differing`), or one operator's word is enough.
row(
  'another amount than approved asks for a person; two operators book what the provider paid',
  async (house) => {
    const order = await openRow(house, 'wrong-amount');
    await order.fault({ on: 'refund.create', do: 'wrong_amount', amount: 700 });
    const id = await order.approved(2_000);
    const seen = await order.seen(id, 'before a person', ({ needsPerson }) => needsPerson);
    expect(seen.state).toBe('outcome_unknown');
    expect(attentionOf(seen)).toContain('amount-differs');
    expect(await order.order()).toMatchObject({ refunded: 0, reserved: 2_000 });
    const [refund] = await order.refunds();
    const word = { outcome: 'confirmed', providerReference: refund?.id };
    expect(await order.resolve('operator', id, word)).toMatchObject({
      status: 202,
      body: { resolution: { waiting: true } },
    });
    expect((await order.resolve('secondOperator', id, word)).status).toBe(200);
    expect((await house.operation(id)).state).toBe('confirmed');
    expect(await order.order()).toMatchObject({ refunded: 700, reserved: 0, refundable: 4_300 });
    expect(await order.requests()).toHaveLength(1);
  },
);

const secondAnswers: readonly [string, Record<string, unknown>, string][] = [
  ['429', { do: 'rate_limit', retryAfter: 1 }, 'deferred'],
  ['401', { do: 'error_before', status: 401 }, 'deferred'],
  ['400', { do: 'error_before', status: 400, code: 'charge_disputed' }, 'rejected'],
];
for (const [name, fault, result] of secondAnswers) {
  // Red when: `byAttempts` takes one attempt's definite end for the operation's while another one is ambiguous.
  row(
    `the first attempt ambiguous, the second answered ${name}: still unknown, reservation kept`,
    async (house) => {
      const order = await openRow(house, `second-answer-${name}`);
      await order.fault({ on: 'refund.create', do: 'drop_before' });
      await order.fault({ on: 'refund.create', ...fault });
      // From the third request on nothing is answered, so that what the second one left can be looked at.
      const mend = await order.fault({ on: 'refund.create', do: 'drop_before', times: 'always' });
      const id = await order.approved(2_000);
      const seen = await order.seen(id, 'answered twice', (operation) => resultsOf(operation)[1] === result);
      expect(resultsOf(seen)[0]).toBe('unknown');
      const since = statesOf(seen).indexOf('outcome_unknown');
      expect(since).toBeGreaterThan(0);
      for (const state of statesOf(seen).slice(since))
        expect(['outcome_unknown', 'submitting']).toContain(state);
      expect(await order.order()).toMatchObject({ reserved: 2_000, refunded: 0 });
      await mend();
      const done = await order.reach(id, 'confirmed');
      for (const ended of ['failed', 'approved', 'proposed'])
        expect(statesOf(done).slice(since)).not.toContain(ended);
      expect(sameBytes(await order.requests())).toBe(true);
      expect(await order.refunds()).toHaveLength(1);
      expect(await order.order()).toMatchObject({ reserved: 0, refunded: 2_000 });
    },
  );
}

// Red when: `idempotency_key_in_use` counts as a refusal.
row(
  'F019: a request with this key still in progress leaves it unknown; asked again, it is one refund',
  async (house) => {
    const order = await openRow(house, 'in-progress');
    const release = await order.holdEvents();
    await order.hideRefunds();
    // The first request is heard of by nobody for longer than we wait; those after it meet its key in use.
    await order.fault({ on: 'refund.create', do: 'drip_body', ms: 1_000 });
    const inUse = { status: 409, code: 'idempotency_key_in_use', times: 2 };
    await order.fault({ on: 'refund.create', do: 'error_before', ...inUse });
    const id = await order.approved(2_000);
    const waiting = await order.seen(id, 'in progress elsewhere', (operation) =>
      resultsOf(operation).includes('in-flight-elsewhere'),
    );
    expect(statesOf(waiting)).toContain('outcome_unknown');
    expect(await order.order()).toMatchObject({ reserved: 2_000 });
    const done = await order.reach(id, 'confirmed');
    expect(statesOf(done)).not.toContain('failed');
    const requests = await order.requests();
    expect(requests.map(({ status }) => status)).toContain(409);
    expect(sameBytes(requests)).toBe(true);
    expect(await order.refunds()).toHaveLength(1);
    await release();
  },
);

// Red when: `decideKnown` takes a question without an answer for a reference that vanished.
row(
  'F012: a failed follow-up never lowers a confirmed refund, and offers it to nobody again',
  async (house) => {
    const order = await openRow(house, 'follow-up');
    const release = await order.holdEvents();
    const id = await order.approved(2_000);
    const confirmed = await order.reach(id, 'confirmed');
    const reference = String(confirmed.provider.reference);
    for (const on of ['refund.retrieve', 'refund.list'])
      await order.fault({ on, do: 'error_before', status: 503, times: 'always' });
    await release();
    const followUps = (): number =>
      house.wire.requestLines().filter((line) => line === `GET /v1/refunds/${reference}`).length;
    await until('three follow-ups without an answer', async () => {
      await wake(house, id);
      return followUps() >= 3 ? true : undefined;
    });
    const after = await house.operation(id);
    expect(after).toMatchObject({ state: 'confirmed', version: confirmed.version, needsPerson: false });
    expect(await order.requests()).toHaveLength(1);
    expect(await order.order()).toMatchObject({ refunded: 2_000, reserved: 0 });
  },
);
