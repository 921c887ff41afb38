import { expect, sideBySide, test } from './harness/side-by-side.ts';
import { stillMirror } from './harness/provider-mirror.ts';
import { attentionOf, letPass, openRow, statesOf } from './harness/provider-row.ts';
import { eventsOf, storedEvent, storedEvents } from './harness/provider-events.ts';
import { mintId, startProviderHouse } from './harness/provider-house.ts';
import { until } from '../harness/program.ts';

/** What the provider tells by itself: doubled, early, late, out of order, or not meant for us. */
const row = sideBySide();
test.beforeAll(({ providerHouse }) => stillMirror(providerHouse));

const confirmedOnce = (states: readonly (string | undefined)[]): number =>
  states.filter((state, index) => state === 'confirmed' && states[index - 1] !== 'confirmed').length;

// Red when: an event is known by anything but its ID, or a second delivery is applied again.
row('the same webhook twice is stored once and changes nothing the second time', async (house) => {
  const order = await openRow(house, 'webhook-twice');
  await order.fault({ on: 'webhook', do: 'duplicate', times: 'always' });
  const id = await order.approved(2_000);
  await order.reach(id, 'confirmed');
  const events = await until('every event to have come twice and been applied', async () => {
    const stored = await storedEvents(house, order.payment);
    const all = stored.length >= 2 && stored.every((event) => event.deliveries === 2 && event.applied_as);
    return all ? stored : undefined;
  });
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
  const after = await house.operation(id);
  expect(confirmedOnce(statesOf(after))).toBe(1);
  expect(after.needsPerson).toBe(false);
  expect(await order.order()).toMatchObject({ refunded: 2_000, refundedElsewhere: 0, reserved: 0 });
  expect(await house.metric('holdfast_replays_absorbed_total{at="webhook"}')).toBeGreaterThanOrEqual(2);
});

// Red when: an event that comes before its answer settles nothing, or the answer then changes it again.
row('a webhook before the response: one change, and the response adds nothing', async (house) => {
  const order = await openRow(house, 'webhook-first');
  await order.fault({ on: 'webhook', do: 'before_response', times: 'always' });
  await order.fault({ on: 'refund.create', do: 'delay', at: 'after', ms: 1_500 });
  const id = await order.approved(2_000);
  const early = await order.reach(id, 'confirmed');
  const whole = await order.seen(id, 'answered too', ({ attempts }) => attempts[0]?.result !== null);
  expect(whole.observations.map(({ source }) => source)).toContain('webhook');
  expect(whole.version).toBe(early.version);
  expect(confirmedOnce(statesOf(whole))).toBe(1);
  expect(await order.refunds()).toHaveLength(1);
  expect(await order.requests()).toHaveLength(1);
  expect(await order.order()).toMatchObject({ refunded: 2_000, reserved: 0 });
});

// Red when: the newest event to arrive wins over a record that is further on (`refundOf`, `pendingRow`).
row(
  'F043: an older "pending" that arrives after the success is kept as history and lowers nothing',
  async (house) => {
    const order = await openRow(house, 'webhook-order');
    const release = await order.holdEvents();
    await order.fault({ on: 'refund.create', do: 'pending_then', ms: 500 });
    const id = await order.approved(2_000);
    const [pending, succeeded] = await until('both events', async () => {
      const events = await eventsOf(house, order.payment);
      const told = (status: string) => events.find(({ data }) => data.object['status'] === status);
      const [first, second] = [told('pending'), events.find(({ type }) => type === 'refund.updated')];
      return first && second ? [first, second] : undefined;
    });
    expect(await house.deliver(succeeded)).toBe(200);
    const confirmed = await order.reach(id, 'confirmed');
    expect(await house.deliver(pending)).toBe(200);
    await until('the older event to be applied', async () =>
      (await storedEvent(house, pending.id))?.applied_as === 'applied' ? true : undefined,
    );
    const after = await house.operation(id);
    expect(after).toMatchObject({ state: 'confirmed', version: confirmed.version });
    expect(after.observations.filter(({ source }) => source === 'webhook')).toHaveLength(2);
    expect(await order.order()).toMatchObject({ refunded: 2_000, reserved: 0 });
    await release();
  },
);

// Red when: a second event for the same refund is a second refund, here or in the payment's figures.
row('F042: two events with different IDs about one refund are one refund', async (house) => {
  const order = await openRow(house, 'webhook-two-ids');
  await order.fault({ on: 'webhook', do: 'duplicate', newId: true, times: 'always' });
  const id = await order.approved(2_000);
  await order.reach(id, 'confirmed');
  const created = await until('two events of one refund, applied', async () => {
    const stored = await storedEvents(house, order.payment);
    const all = stored.filter(({ type }) => type === 'refund.created');
    return all.length === 2 && all.every((event) => event.applied_as === 'applied') ? all : undefined;
  });
  expect(new Set(created.map(({ operation_id }) => operation_id))).toEqual(new Set([id]));
  const mirrored = await house.sql`
    select reference from mirror_refunds where payment_reference = ${order.payment}`;
  expect(mirrored).toHaveLength(1);
  const after = await house.operation(id);
  expect(after).toMatchObject({ state: 'confirmed', needsPerson: false });
  expect(await order.order()).toMatchObject({ refunded: 2_000, refundedElsewhere: 0, reserved: 0 });
});

// Red when: an event that names an operation nobody knows is dropped, or what waits on that payment is sent beside it.
test('an event for an operation that we do not know is kept and shown, holds everything, and stops the payment', async () => {
  // It stops everything in its house, so it has one of its own.
  const house = await startProviderHouse();
  try {
    await stillMirror(house);
    const order = await openRow(house, 'webhook-unknown');
    const [organisation] = await house.sql<{ org_id: string }[]>`select org_id from orders limit 1`;
    const stranger = mintId();
    const metadata = { holdfast_organisation: String(organisation?.org_id), holdfast_operation: stranger };
    const reference = await order.refundByHand(1_000, metadata);
    const kept = await until('the event to be understood', async () =>
      (await storedEvents(house, order.payment)).find((event) => event.applied_as === 'unknown-operation'),
    );
    expect(kept.object_reference).toBe(reference);
    // It also proves that the provider is ahead of us: nothing is sent until people have looked.
    const held = await house.sql`select hold_on, hold_by from organisations`;
    expect([...held]).toEqual([{ hold_on: true, hold_by: 'system' }]);
    await house.sql`update organisations set hold_on = false, hold_by = null`;
    const id = await order.approved(2_000);
    const seen = await order.seen(id, 'before a person', ({ needsPerson }) => needsPerson);
    expect(seen.state).toBe('approved');
    expect(attentionOf(seen)).toEqual(['conflicting-evidence']);
    expect(await order.requests()).toEqual([]);
  } finally {
    await house.stop();
  }
});

// Red when: `eventDestination` lets another mode or account pass.
row('events of another mode or account are stored and ignored', async (house) => {
  const order = await openRow(house, 'webhook-foreign');
  const release = await order.holdEvents();
  const id = await order.approved(2_000);
  const before = await order.reach(id, 'confirmed');
  const [refund] = await order.refunds();
  const created = await until('the event', async () => (await eventsOf(house, order.payment))[0]);
  const failed = { ...created.data.object, status: 'failed', failure_reason: 'unknown' };
  const foreign = [
    { ...created, id: 'evt_of_live_mode', livemode: true, data: { object: failed } },
    { ...created, id: 'evt_of_another_account', account: 'acct_another', data: { object: failed } },
  ];
  for (const event of foreign) expect(await house.deliver(event)).toBe(200);
  for (const [event, as] of [
    [foreign[0], 'foreign-mode'],
    [foreign[1], 'foreign-account'],
  ] as const) {
    await until(`${as} to be understood`, async () =>
      (await storedEvent(house, String(event?.id)))?.applied_as === as ? true : undefined,
    );
  }
  expect(await house.operation(id)).toMatchObject({ state: 'confirmed', version: before.version });
  const [mirrored] =
    await house.sql`select status from mirror_refunds where reference = ${String(refund?.id)}`;
  expect(mirrored?.['status'] ?? 'succeeded').toBe('succeeded');
  expect(await order.order()).toMatchObject({ refunded: 2_000, reserved: 0 });
  await release();
});

// Red when: an event whose handling broke is never taken up again, or counts as applied.
row(
  'a stored webhook whose handling fails has an age, and is applied by a later run, once',
  async (house) => {
    const order = await openRow(house, 'webhook-breaks');
    const release = await order.holdEvents();
    await order.hideRefunds();
    await order.fault({ on: 'refund.create', do: 'execute_then_drop' });
    // Nothing but the event shall show what happened: later requests find nobody.
    await order.fault({ on: 'refund.create', do: 'drop_before', times: 'always' });
    const id = await order.approved(2_000);
    await order.reach(id, 'outcome_unknown');
    const created = await until('the event', async () =>
      (await eventsOf(house, order.payment)).find(({ type }) => type === 'refund.created'),
    );
    // The database refuses what handling this event has to write.
    await house.sql.unsafe(`
    create function refuse_webhook() returns trigger language plpgsql as
      $$ begin raise exception 'refused by the test'; end $$;
    create trigger refuse_webhook before insert on observations for each row
      when (new.operation_id = '${id}' and new.source = 'webhook') execute function refuse_webhook()`);
    expect(await house.deliver(created)).toBe(200);
    const broken = await until('its handling to have failed', async () => {
      const event = await storedEvent(house, created.id);
      return event !== undefined && event.failures > 0 ? event : undefined;
    });
    expect(broken.applied_as).toBeNull();
    await house.sql`
    update provider_events set received_at = now() - interval '1 hour' where event_id = ${created.id}`;
    expect(await house.metric('holdfast_unapplied_events_oldest_seconds')).toBeGreaterThanOrEqual(3_600);
    expect((await house.operation(id)).state).not.toBe('failed');
    // The provider delivers it once more: it is known, and still to be applied.
    expect(await house.deliver(created)).toBe(200);
    await house.sql.unsafe(`drop trigger refuse_webhook on observations; drop function refuse_webhook`);
    const done = await order.reach(id, 'confirmed');
    const applied = await until('the event to be applied', async () => {
      const event = await storedEvent(house, created.id);
      return event?.applied_as === 'applied' ? event : undefined;
    });
    expect(applied.deliveries).toBe(2);
    expect(done.observations.filter(({ source }) => source === 'webhook')).toHaveLength(1);
    expect(await order.refunds()).toHaveLength(1);
    expect(await order.order()).toMatchObject({ refunded: 2_000, reserved: 0 });
    await release();
  },
);

// Red when: a charge's cumulative total is booked as a refund of its own.
row('F052: cumulative totals that arrive as 50, 30, 50 are never added up', async (house) => {
  const order = await openRow(house, 'cumulative', { minor: 10_000 });
  const release = await order.holdEvents();
  const first = await order.approved(3_000, { lines: [{ sku: 'headphones', quantity: 1 }] });
  await order.reach(first, 'confirmed');
  const second = await order.approved(2_000, { lines: [{ sku: 'cable', quantity: 1 }] });
  await order.reach(second, 'confirmed');
  const totals = await until('both cumulative events', async () => {
    const all = (await eventsOf(house, order.payment)).filter(({ type }) => type === 'charge.refunded');
    return all.length === 2 ? all : undefined;
  });
  const withTotal = (total: number) => totals.find(({ data }) => data.object['amount_refunded'] === total);
  const [thirty, fifty] = [withTotal(3_000), withTotal(5_000)];
  expect([thirty, fifty]).not.toContain(undefined);
  expect(await house.deliver(fifty)).toBe(200);
  expect(await Promise.all([house.deliver(thirty), house.deliver(fifty)])).toEqual([200, 200]);
  await until('both to be applied', async () => {
    const stored = await storedEvents(house, order.payment);
    const all = stored.filter(({ type }) => type === 'charge.refunded');
    return all.length === 2 && all.every((event) => event.applied_as !== null) ? true : undefined;
  });
  expect(await order.order()).toMatchObject({
    ...{ refunded: 5_000, refundedElsewhere: 0, reserved: 0, refundable: 5_000 },
  });
  const ledger = await order.refunds();
  for (const id of [first, second]) {
    const { provider } = await house.operation(id);
    expect(ledger.find(({ metadata }) => metadata['holdfast_operation'] === id)?.id).toBe(provider.reference);
  }
  await release();
});

// Red when: only one of the two orders of arrival is reversed, or the money is given back twice.
row('success, then failure of one refund: reversed, its money refundable again, once', async (house) => {
  const order = await openRow(house, 'succeeded-failed');
  const id = await order.approved(2_000);
  const confirmed = await order.reach(id, 'confirmed');
  await house.provider.post(`/fake/refunds/${String(confirmed.provider.reference)}`, {
    ...{ status: 'failed', failure_reason: 'lost_or_stolen_card' },
  });
  const done = await order.reach(id, 'reversed');
  expect(statesOf(done).filter((state) => state === 'reversed')).toHaveLength(1);
  expect(await order.order()).toMatchObject({ refunded: 0, reserved: 0, refundable: 5_000 });
  expect(await order.requests()).toHaveLength(1);
});

// Red when: an event of the success after that of the failure confirms it, or is ignored.
row('failure, then success of one refund: reversed as well', async (house) => {
  const order = await openRow(house, 'failed-succeeded');
  const release = await order.holdEvents();
  await order.hideRefunds();
  await order.fault({ on: 'refund.create', do: 'execute_then_drop' });
  await order.fault({ on: 'refund.create', do: 'drop_before', times: 'always' });
  const id = await order.approved(2_000);
  await order.reach(id, 'outcome_unknown');
  const [refund] = await order.refunds();
  await house.provider.post(`/fake/refunds/${String(refund?.id)}`, { status: 'failed' });
  const [created, failed] = await until('both events', async () => {
    const events = await eventsOf(house, order.payment);
    const told = (type: string) => events.find((event) => event.type === type);
    const [first, second] = [told('refund.created'), told('refund.failed')];
    return first && second ? [first, second] : undefined;
  });
  expect(await house.deliver(failed)).toBe(200);
  await until('the failure to be applied', async () =>
    (await storedEvent(house, failed.id))?.applied_as === 'applied' ? true : undefined,
  );
  expect(await house.deliver(created)).toBe(200);
  const done = await order.reach(id, 'reversed');
  expect(statesOf(done)).not.toContain('confirmed');
  expect(await order.order()).toMatchObject({ refunded: 0, reserved: 0, refundable: 5_000 });
  await release();
});

// Red when: a success after two people's "failed" raises nothing, or the last check forgets `replaced`.
row(
  'two operators settle as failed, then the webhook says it happened: contradicted, and the replacement stops',
  async (house) => {
    const order = await openRow(house, 'settled-then-told');
    const release = await order.holdEvents();
    const show = await order.hideRefunds();
    await order.fault({ on: 'refund.create', do: 'execute_then_drop' });
    const mend = await order.fault({ on: 'refund.create', do: 'drop_before', times: 'always' });
    const id = await order.approved(2_000);
    await order.reach(id, 'outcome_unknown');
    // A quarter of an hour later a person is needed, and nothing is sent by itself any more.
    await letPass(house, id, 20);
    await order.seen(id, 'before a person', ({ needsPerson }) => needsPerson);
    const word = { outcome: 'failed', note: 'The dashboard shows nothing of it.' };
    expect((await order.resolve('operator', id, word)).status).toBe(202);
    expect((await order.resolve('secondOperator', id, word)).status).toBe(200);
    expect(await house.operation(id)).toMatchObject({ state: 'failed', needsPerson: false });
    const sent = (await order.requests()).length;
    await mend();
    // Its replacement is approved, and waits: the provider cannot be asked about the payment.
    const speak = await order.silence();
    const replacement = await order.approved(2_000, { replaces: id });
    await release();
    const told = await order.reach(id, 'confirmed');
    expect(attentionOf(told)).toEqual(['contradicted']);
    await speak();
    const stopped = await order.seen(replacement, 'back for approval', ({ state }) => state === 'proposed');
    expect(stopped.approvals).toEqual([]);
    expect(await order.requests()).toHaveLength(sent);
    expect(await order.refunds()).toHaveLength(1);
    expect(await order.order()).toMatchObject({ refunded: 2_000, reserved: 0, refundable: 3_000 });
    await show();
  },
);
