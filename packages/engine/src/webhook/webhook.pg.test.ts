import { expect, test } from 'vitest';
import type { MirroredRefund, VerifiedEvent } from '@holdfast/providers';
import { eventually } from '../../test/postgres-rig.ts';
import { gate, scriptedHouse } from '../../test/scripted-house.ts';
import { mint, whileRunning } from '../../test/worker-house.ts';
import type { WebhookAnswer } from '../engine-interface.ts';
import { storeEvent } from '../postgres/webhook-store.ts';
import { receiveWebhook } from './receive-webhook.ts';

const { house, provider, newOrder, figures } = await scriptedHouse();

const deliver = (event: VerifiedEvent, signature = 'whsec_scripted'): Promise<WebhookAnswer> =>
  receiveWebhook(
    {
      providers: house.providers,
      nowMs: () => Promise.resolve(Date.now()),
      store: (account, verified, raw, skewMs) =>
        house.inOrganisation(account.organisationId, (tx) =>
          storeEvent(tx, account, verified, new TextDecoder().decode(raw), skewMs),
        ),
    },
    new TextEncoder().encode(JSON.stringify(event)),
    signature,
  );

const eventOf = (refund: MirroredRefund, more: Partial<VerifiedEvent> = {}): VerifiedEvent => ({
  eventId: `evt_${mint()}`,
  type: 'refund.created',
  createdAtMs: Date.now(),
  liveMode: false,
  accountId: null,
  objectReference: refund.reference,
  paymentReference: refund.paymentReference,
  idempotencyKey: null,
  metadataOrganisationId: refund.organisationId,
  metadataOperationId: refund.operationId,
  record: refund,
  dispute: null,
  ...more,
});

const stored = async (eventId: string): Promise<Readonly<Record<string, unknown>>> => {
  const [row] = await house.database.admin`
    select applied_as, delivery_count, apply_failures, wake_at, operation_id from provider_events
    where event_id = ${eventId}`;
  if (row === undefined) throw new Error(`event ${eventId} is not stored`);
  return row;
};

const applied = (eventId: string): Promise<Readonly<Record<string, unknown>>> =>
  eventually(async () => {
    const row = await stored(eventId);
    return row['applied_as'] !== null && row;
  });

const byHand = (payment: string, minor: number): MirroredRefund => ({
  reference: `re_${mint()}`,
  status: 'succeeded',
  statusText: 'succeeded',
  amount: { minor, currency: 'EUR' },
  paymentReference: payment,
  failureReason: null,
  createdAtMs: Date.now(),
  organisationId: null,
  operationId: null,
});

// Red when: an event is joined on the amount, or a second event for one object makes a second observation of a refund.
test('F040: events that come before the answer, and their twins, are one refund fact of the operation they name', async () => {
  const { order, payment } = await newOrder();
  const answer = gate();
  provider.script.push({ do: 'execute-then-wait', until: answer.opened });
  const id = await house.approved(order, 4_000);
  const sending = house.worker().runOnce();
  const refund = await eventually(async () => {
    await Promise.resolve();
    return provider.ledger.find(({ paymentReference }) => paymentReference === payment);
  });
  const first = eventOf(refund);
  const twin = eventOf(refund, { type: 'refund.updated' });
  expect(await deliver(first)).toEqual({ kind: 'stored' });
  expect(await deliver(twin)).toEqual({ kind: 'stored' });
  expect(await deliver(first)).toEqual({ kind: 'known' });
  await whileRunning(house.worker(), async () => {
    await house.settled(id, 'confirmed');
    await applied(first.eventId);
    await applied(twin.eventId);
  });
  const confirmed = await house.operation(id);
  answer.open();
  await sending;
  const after = await house.operation(id);
  expect(after).toMatchObject({ state: 'confirmed', version: confirmed.version, attention: [] });
  expect(await stored(first.eventId)).toMatchObject({
    applied_as: 'applied',
    delivery_count: 2,
    operation_id: id,
  });
  expect(await figures(payment)).toMatchObject({ refunded: 4_000, elsewhere: 0 });
  const [operations] = await house.database.admin<{ count: number }[]>`
    select count(*)::int as count from operations where payment_reference = ${payment}`;
  expect(operations?.count).toBe(1);
});

// Red when: the event's idempotency key is not tried as a join, or its whole length is not compared.
test('an event without metadata is joined on the key that caused it', async () => {
  const { order } = await newOrder();
  provider.script.push({ do: 'execute-then-lose' });
  const id = await house.approved(order, 1_000);
  await house.worker().runOnce();
  const key = provider.requests[0]?.idempotencyKey ?? '';
  const refund = provider.ledger.at(-1);
  if (refund === undefined) throw new Error('no refund');
  const event = eventOf(refund, {
    idempotencyKey: key,
    metadataOrganisationId: null,
    metadataOperationId: null,
  });
  await deliver(event);
  await whileRunning(house.worker(), async () => {
    expect(await applied(event.eventId)).toMatchObject({ applied_as: 'applied', operation_id: id });
  });
});

// Red when: the event's record is kept under the provider's other name for the payment.
test('an event that names the payment otherwise than we know it confirms its operation, and differs in nothing', async () => {
  await house.order('order-by-charge', 'ch_1', 10_000);
  provider.script.push({ do: 'execute-then-lose' });
  const id = await house.approved('order-by-charge', 1_000);
  await house.worker().runOnce();
  const refund = provider.ledger.at(-1);
  if (refund === undefined) throw new Error('no refund');
  const event = eventOf({
    ...refund,
    paymentReference: 'pi_behind_ch_1',
    chargeReference: refund.paymentReference,
  });
  await deliver(event);
  await whileRunning(house.worker(), async () => {
    expect(await applied(event.eventId)).toMatchObject({ applied_as: 'applied', operation_id: id });
  });
  expect(await house.operation(id)).toMatchObject({ state: 'confirmed', attention: [] });
});

test('success and failure of one refund end as reversed in either order of arrival', async () => {
  for (const failureFirst of [false, true]) {
    const { order } = await newOrder();
    const id = await house.approved(order, 1_000);
    await house.worker().runOnce();
    const refund = provider.ledger.at(-1);
    if (refund === undefined) throw new Error('no refund');
    const failed = {
      ...refund,
      status: 'failed',
      statusText: 'failed',
      failureReason: 'lost_or_stolen_card',
    } as const;
    provider.ledger[provider.ledger.length - 1] = failed;
    const events = [eventOf(refund), eventOf(failed, { type: 'refund.failed' })];
    if (failureFirst) events.reverse();
    for (const event of events) {
      await deliver(event);
      await whileRunning(house.worker(), async () => {
        await applied(event.eventId);
      });
    }
    expect((await house.operation(id)).state).toBe('reversed');
  }
});

// Red when: mode or account is not compared before an event is applied.
test('events of another mode or account are stored, counted and change nothing', async () => {
  const { payment } = await newOrder();
  const otherMode = eventOf(byHand(payment, 500), { liveMode: true });
  const otherAccount = eventOf(byHand(payment, 500), { accountId: 'acct_somebody' });
  await deliver(otherMode);
  await deliver(otherAccount);
  await whileRunning(house.worker(), async () => {
    expect(await applied(otherMode.eventId)).toMatchObject({ applied_as: 'foreign-mode' });
    expect(await applied(otherAccount.eventId)).toMatchObject({ applied_as: 'foreign-account' });
  });
  expect(await figures(payment)).toMatchObject({ elsewhere: 0 });
});

test('an event for an operation that is not known here is kept and shown as such', async () => {
  const { payment } = await newOrder();
  const refund = { ...byHand(payment, 700), organisationId: house.organisationId, operationId: mint() };
  provider.ledger.push(refund);
  const event = eventOf(refund);
  await deliver(event);
  await whileRunning(house.worker(), async () => {
    expect(await applied(event.eventId)).toMatchObject({
      applied_as: 'unknown-operation',
      operation_id: null,
    });
  });
  expect(await figures(payment)).toMatchObject({ elsewhere: 0 });
  // It proves that the provider is ahead of us: nothing is sent until people have looked.
  const [held] = await house.database.admin`select hold_on, hold_by from organisations`;
  expect(held).toEqual({ hold_on: true, hold_by: 'system' });
  await house.database.admin`update organisations set hold_on = false, hold_by = null`;
});

// Red when: an event by itself begins a new generation of history.
test('an event about a refund that the provider does not have holds nothing up and is in no figure', async () => {
  const { order, payment } = await newOrder();
  const event = eventOf({
    ...byHand(payment, 700),
    organisationId: house.organisationId,
    operationId: mint(),
  });
  await deliver(event);
  await whileRunning(house.worker(), async () => {
    expect(await applied(event.eventId)).toMatchObject({ applied_as: 'unknown-operation' });
    const id = await house.approved(order, 1_000);
    await house.settled(id, 'confirmed');
  });
  expect(await figures(payment)).toMatchObject({ elsewhere: 0, refunded: 1_000 });
});

test('a refund by hand and a dispute change the payment as soon as their events are applied', async () => {
  const { payment } = await newOrder();
  const refund = byHand(payment, 2_500);
  provider.ledger.push(refund);
  const dispute = {
    reference: `dp_${mint()}`,
    paymentReference: payment,
    amount: { minor: 10_000, currency: 'EUR' },
    open: true,
    statusText: 'needs_response',
    createdAtMs: Date.now(),
  };
  const ofRefund = eventOf(refund);
  const ofDispute = eventOf(refund, { type: 'charge.dispute.created', record: null, dispute });
  await deliver(ofRefund);
  await deliver(ofDispute);
  await whileRunning(house.worker(), async () => {
    await applied(ofRefund.eventId);
    await applied(ofDispute.eventId);
  });
  expect(await figures(payment)).toMatchObject({ elsewhere: 2_500, disputed: true });
});

// Red when: an event is marked applied although the provider could not be asked about it.
test('an event whose handling fails stays unapplied, has a wake-up, and is applied by a later run', async () => {
  const { order } = await newOrder();
  const id = await house.approved(order, 1_000);
  await house.worker().runOnce();
  const refund = provider.ledger.at(-1);
  if (refund === undefined) throw new Error('no refund');
  const event = eventOf(refund);
  provider.silent = true;
  await deliver(event);
  await house.worker().runOnce();
  expect(await stored(event.eventId)).toMatchObject({ applied_as: null, apply_failures: 1 });
  expect((await stored(event.eventId))['wake_at']).not.toBeNull();
  provider.silent = false;
  await whileRunning(house.worker(), async () => {
    expect(await applied(event.eventId)).toMatchObject({ applied_as: 'applied', operation_id: id });
  });
});

test('a delivery that no known secret verifies is refused and leaves nothing behind', async () => {
  const event = eventOf(byHand('pi_nobody', 100));
  expect(await deliver(event, 'whsec_wrong')).toEqual({ kind: 'refused', because: 'bad-signature' });
  await expect(stored(event.eventId)).rejects.toThrow('not stored');
});
