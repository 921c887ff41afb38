import { expect, test } from './harness/side-by-side.ts';
import { stillMirror } from './harness/provider-mirror.ts';
import {
  attentionOf,
  letPass,
  openRow,
  resultsOf,
  sameBytes,
  statesOf,
  wake,
} from './harness/provider-row.ts';
import { until } from '../harness/program.ts';

/** Days at the provider and here. One row after another: the provider's clock and our key are everybody's. */
test.beforeAll(({ providerHouse }) => stillMirror(providerHouse));

const hourMs = 60 * 60_000;
const ages = [
  { name: '25 hours', minutes: 25 * 60 },
  { name: '23 hours and 59 minutes', minutes: 23 * 60 + 59 },
] as const;
for (const { name, minutes } of ages) {
  // Red when: `mayBeResubmitted` forgets the deadline (the provider has then forgotten the key, and refunds twice).
  test(`F016: a key of ${name} is never sent again; it is looked up, then a person decides`, async ({
    providerHouse: house,
  }) => {
    const order = await openRow(house, `old-key-${String(minutes)}`);
    const release = await order.holdEvents();
    const show = await order.hideRefunds();
    await order.fault({ on: 'refund.create', do: 'drip_body', ms: 1_000 });
    const id = await order.approved(2_000);
    await until('the refund at the provider', async () => (await order.refunds())[0]);
    const speak = await order.silence();
    await order.reach(id, 'outcome_unknown');
    await letPass(house, id, minutes, { unknownSinceNow: true });
    await house.provider.post('/fake/clock', { advanceMs: minutes * 60_000 });
    await speak();
    const empty = async (): Promise<number> =>
      (await house.operation(id)).observations.filter(({ kind }) => kind.startsWith('absent')).length;
    await until('five empty look-ups', async () => ((await empty()) >= 5 ? true : undefined), 60_000);
    expect(await house.operation(id)).toMatchObject({ state: 'outcome_unknown', needsPerson: false });
    expect(await order.requests()).toHaveLength(1);
    await letPass(house, id, 20);
    const seen = await order.seen(id, 'before a person', ({ needsPerson }) => needsPerson);
    expect(attentionOf(seen)).toEqual(['outcome-unresolved']);
    expect(statesOf(seen)).not.toContain('failed');
    expect(await order.requests()).toHaveLength(1);
    expect(await order.order()).toMatchObject({ reserved: 2_000, refunded: 0 });
    // What is found after all settles it: one refund.
    await show();
    await wake(house, id);
    const done = await order.reach(id, 'confirmed');
    expect(await order.refunds()).toHaveLength(1);
    expect(done.provider.reference).toBe((await order.refunds())[0]?.id);
    await release();
  });
}

for (const status of ['failed', 'canceled'] as const) {
  // Red when: a confirmed refund is not looked at again, or its money is given back twice.
  test(`a refund that ends as ${status} on day 20, without a webhook, is reversed, corrected once, and its ticket told`, async ({
    providerHouse: house,
  }) => {
    const order = await openRow(house, `day-20-${status}`);
    const ticketId = `ticket-day-20-${status}`;
    const customerId = `customer-day-20-${status}`;
    const ticket = { subject: 'Where is my money?', customerId, orderId: order.orderId, status: 'open' };
    expect((await house.ask('shop', 'PUT', `/v1/tickets/${ticketId}`, ticket)).status).toBeLessThan(300);
    const release = await order.holdEvents();
    const id = await order.approved(2_000, { ticketId });
    const confirmed = await order.reach(id, 'confirmed');
    expect(await order.order()).toMatchObject({ refunded: 2_000, refundable: 3_000 });
    const reversals = await house.metric('holdfast_late_reversals_total');
    const toldBefore = await ticketFeed(house.sql, ticketId);
    await house.provider.post('/fake/clock', { advanceMs: 20 * 24 * hourMs });
    await house.provider.post(`/fake/refunds/${String(confirmed.provider.reference)}`, { status });
    await letPass(house, id, 20 * 24 * 60);
    const done = await order.reach(id, 'reversed');
    expect(done.sentence).toMatch(/^The refund did not last/);
    const corrected = { refunded: 0, refundedElsewhere: 0, reserved: 0, refundable: 5_000 };
    expect(await order.order()).toMatchObject(corrected);
    expect(await house.metric('holdfast_late_reversals_total')).toBe(reversals + 1);
    expect(await ticketFeed(house.sql, ticketId)).toBeGreaterThan(toldBefore);
    // The webhook that comes after all changes nothing more.
    await release();
    await until('the late events to be applied', async () => {
      const [left] = await house.sql`
        select count(*)::int as events, count(*) filter (where applied_at is null)::int as open,
          max(last_failure) as failure
        from provider_events where payment_reference = ${order.payment}`;
      if (Number(left?.['events']) >= 3 && left?.['open'] === 0) return true;
      throw new Error(JSON.stringify(left));
    });
    const after = await house.operation(id);
    expect(after.version).toBe(done.version);
    expect(statesOf(after).filter((state) => state === 'reversed')).toHaveLength(1);
    expect(await order.order()).toMatchObject(corrected);
    expect(await house.metric('holdfast_late_reversals_total')).toBe(reversals + 1);
    expect(await order.requests()).toHaveLength(1);
  });
}

// Red when: a later "pending" raises the same contradiction again and again, or a success after all is not seen.
test('what two people ended as failed while pending: contradicted once at most, and by the success for certain', async ({
  providerHouse: house,
}) => {
  const order = await openRow(house, 'pending-for-days');
  const release = await order.holdEvents();
  await order.fault({ on: 'refund.create', do: 'pending_then', ms: 29 * 24 * hourMs });
  const id = await order.approved(2_000);
  await order.reach(id, 'pending');
  await letPass(house, id, 6 * 24 * 60);
  const late = await order.seen(id, 'before a person', ({ needsPerson }) => needsPerson);
  expect(attentionOf(late)).toEqual(['pending-too-long']);
  const word = { outcome: 'failed', note: 'The bank says that it sent it back.' };
  expect((await order.resolve('operator', id, word)).status).toBe(202);
  expect((await order.resolve('secondOperator', id, word)).status).toBe(200);
  const settled = await order.reach(id, 'failed');
  expect(attentionOf(settled)).toEqual([]);
  expect(await order.order()).toMatchObject({ reserved: 0, refundable: 5_000 });
  const looks = (): number =>
    house.wire
      .requestLines()
      .filter((line) => line.endsWith(`/v1/refunds/${String(late.provider.reference)}`)).length;
  const before = looks();
  await until('three more looks that say pending', async () => {
    await wake(house, id);
    return looks() >= before + 3 ? true : undefined;
  });
  const watched = await house.operation(id);
  expect(watched.state).toBe('failed');
  const raised = watched.version - settled.version;
  expect(raised).toBeLessThanOrEqual(1);
  await house.provider.post(`/fake/refunds/${String(late.provider.reference)}`, { status: 'succeeded' });
  const done = await until('the success to be seen', async () => {
    await wake(house, id);
    const operation = await house.operation(id);
    return operation.state === 'confirmed' ? operation : undefined;
  });
  expect(attentionOf(done)).toEqual(['contradicted']);
  expect(await order.order()).toMatchObject({ refunded: 2_000, reserved: 0, refundable: 3_000 });
  await release();
});

const refusals = [
  { name: 'our key refused', fault: { do: 'error_before', status: 401 }, attention: ['provider-refuses-us'] },
  { name: 'rate limited', fault: { do: 'rate_limit', retryAfter: 1 }, attention: [] },
] as const;
for (const { name, fault, attention } of refusals) {
  // Red when: a deferral counts as sent (its window begins), or runs out, or is forgotten.
  test(`${name} for a day: waits in approved, says so, is sent when it may be; its window has not begun`, async ({
    providerHouse: house,
  }) => {
    const order = await openRow(house, `refused-${fault.do.replace('_', '-')}`);
    const mend = await order.fault({ on: 'refund.create', times: 'always', ...fault });
    const id = await order.approved(2_000);
    const waiting = await order.seen(
      id,
      'deferred and waiting',
      ({ state, attempts, waitingFor }) =>
        state === 'approved' && waitingFor === 'provider' && attempts[0]?.result === 'deferred',
    );
    expect(waiting.sentence).toContain('is not taking requests from us');
    expect(waiting.replayDeadline).toBeNull();
    expect(attentionOf(waiting)).toEqual(attention);
    await letPass(house, id, 24 * 60);
    const later = await order.seen(
      id,
      'refused again a day later',
      ({ state, attempts }) =>
        state === 'approved' &&
        attempts.length > waiting.attempts.length &&
        // The newest may be under way again by the time that it is read.
        attempts.every(({ result }) => result !== null),
    );
    expect(new Set(resultsOf(later))).toEqual(new Set(['deferred']));
    expect(later.replayDeadline).toBeNull();
    expect(await order.order()).toMatchObject({ reserved: 2_000 });
    expect(await order.refunds()).toEqual([]);
    await mend();
    const done = await order.reach(id, 'confirmed');
    expect(statesOf(done)).not.toContain('outcome_unknown');
    expect(attentionOf(done)).toEqual([]);
    expect(sameBytes(await order.requests())).toBe(true);
    expect(await order.refunds()).toHaveLength(1);
    const [row] = await house.sql`
      select replay_deadline > now() + interval '22 hours' as fresh from operations where id = ${id}`;
    expect(row?.['fresh']).toBe(true);
  });
}

/** How often the people who look at a ticket were told of it anew. */
const ticketFeed = async (
  sql: (strings: TemplateStringsArray, ...values: string[]) => Promise<readonly Record<string, unknown>[]>,
  ticketId: string,
): Promise<number> => {
  const [told] = await sql`
    select count(*)::int as times from feed where subject = 'ticket' and subject_id = ${ticketId}`;
  return Number(told?.['times']);
};
