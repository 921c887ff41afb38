import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { MirroredRefund, ProviderAdapter } from '@holdfast/providers';
import { createStripeAdapter } from '@holdfast/providers/stripe';
import { createScriptedProvider, type ScriptedProvider } from '../../test/scripted-provider.ts';
import { eventually } from '../../test/postgres-rig.ts';
import { createWorkerHouse, mint, whileRunning, type WorkerHouse } from '../../test/worker-house.ts';
import type { ProviderDirectory } from '../engine-interface.ts';
import { readMetrics } from '../postgres/metrics-reader.ts';
import { storeEvent } from '../postgres/webhook-store.ts';
import { receiveWebhook } from './receive-webhook.ts';

let house: WorkerHouse;
let provider: ScriptedProvider;
let orders = 0;
const secret = 'whsec_scripted';

/** Events are Stripe's own, signed as Stripe signs them, so that what is read from them is what would be read there. */
const { verifyWebhook } = createStripeAdapter({ secretKey: 'sk_test_x', nowMs: () => 0 });

beforeAll(async () => {
  provider = createScriptedProvider();
  house = await createWorkerHouse(
    { ...provider.adapter, verifyWebhook },
    { settings: { checkBackoffMs: [60_000] } },
  );
});
afterAll(() => house.close());
beforeEach(() => {
  provider.script.length = 0;
  provider.requests.length = 0;
  provider.hidden = 0;
  provider.silent = false;
});

/** An order with a payment of its own, 100.00 captured. */
const newOrder = async (): Promise<{ readonly order: string; readonly payment: string }> => {
  orders += 1;
  const names = { order: `order-${String(orders)}`, payment: `pi_${String(orders)}` };
  await house.order(names.order, names.payment, 10_000);
  return names;
};

/** The same account, whose listings say nothing: what is learned is then learned from events alone. */
const withoutListings = (): { readonly providers: ProviderDirectory } => {
  const [account] = house.providers.accounts();
  if (account === undefined) throw new Error('no account');
  const silent = () =>
    Promise.resolve({ kind: 'no-answer', because: 'timeout', ourKeyRefused: false } as const);
  const adapter: ProviderAdapter = { ...account.adapter, listSince: silent, refundPage: silent };
  const over = { ...account, adapter };
  return { providers: { accountOf: () => over, accounts: () => [over] } };
};

const seconds = (ms: number): number => Math.floor(ms / 1000);

const refundEvent = (
  refund: MirroredRefund,
  more: { readonly type?: string; readonly status?: string; readonly createdAtMs?: number } = {},
) => ({
  id: `evt_${mint()}`,
  object: 'event',
  type: more.type ?? 'refund.updated',
  created: seconds(more.createdAtMs ?? Date.now()),
  livemode: false,
  request: null,
  data: {
    object: {
      id: refund.reference,
      object: 'refund',
      amount: refund.amount.minor,
      currency: refund.amount.currency.toLowerCase(),
      payment_intent: refund.paymentReference,
      status: more.status ?? refund.statusText,
      created: seconds(refund.createdAtMs),
      metadata: {
        holdfast_organisation: refund.organisationId,
        holdfast_operation: refund.operationId,
      },
    },
  },
});

/** As newer versions of the API send it: cumulative figures, and no list of refunds. */
const chargeEvent = (payment: string, amountRefunded: number) => ({
  id: `evt_${mint()}`,
  object: 'event',
  type: 'charge.refunded',
  created: seconds(Date.now()),
  livemode: false,
  request: null,
  data: {
    object: {
      id: `ch_of_${payment}`,
      object: 'charge',
      amount: 10_000,
      amount_captured: 10_000,
      amount_refunded: amountRefunded,
      currency: 'eur',
      payment_intent: payment,
      status: 'succeeded',
      created: seconds(Date.now()),
      refunded: false,
    },
  },
});

type StripeEvent = ReturnType<typeof refundEvent> | ReturnType<typeof chargeEvent>;

const deliver = async (event: StripeEvent): Promise<string> => {
  const body = JSON.stringify(event);
  const atSeconds = seconds(Date.now());
  const signature = createHmac('sha256', secret)
    .update(`${String(atSeconds)}.${body}`)
    .digest('hex');
  const answer = await receiveWebhook(
    {
      providers: house.providers,
      nowMs: () => Promise.resolve(Date.now()),
      store: (account, verified, raw, skewMs) =>
        house.inOrganisation(account.organisationId, (tx) =>
          storeEvent(tx, account, verified, new TextDecoder().decode(raw), skewMs),
        ),
    },
    new TextEncoder().encode(body),
    `t=${String(atSeconds)},v1=${signature}`,
  );
  return answer.kind;
};

const applied = (...events: readonly StripeEvent[]): Promise<readonly unknown[]> =>
  eventually(async () => {
    const rows = await house.database.admin<{ operation_id: string | null }[]>`
      select operation_id from provider_events
      where event_id = any(${events.map(({ id }) => id)}) and applied_as is not null`;
    return rows.length === events.length && rows;
  });

const figuresOf = async (payment: string) => {
  const [row] = await house.database.admin<{ refunded: number; elsewhere: number; reserved: number }[]>`
    select refunded::int, refunded_elsewhere::int as elsewhere, reserved::int
    from payments where payment_reference = ${payment}`;
  return row;
};

const refundOf = (payment: string, at = 0): MirroredRefund => {
  const refund = provider.ledger.filter(({ paymentReference }) => paymentReference === payment)[at];
  if (refund === undefined) throw new Error(`no refund ${String(at)} of ${payment}`);
  return refund;
};

const absorbedWebhooks = async (): Promise<number> => {
  const { samples } = await house.inOrganisation(house.organisationId, readMetrics);
  return (
    samples.find(
      ({ name, labels }) => name === 'holdfast_replays_absorbed_total' && labels['at'] === 'webhook',
    )?.value ?? Number.NaN
  );
};

const sent = async (order: string, minor: number): Promise<string> => {
  const id = await house.approved(order, minor);
  await house.worker().runOnce();
  expect((await house.operation(id)).state).toBe('confirmed');
  return id;
};

// Red when: `findOperation` answers nothing (a stale read would), or the claim does not look whether it is still due.
test('F037: an event that arrives while its request is under way finds its operation, and a second worker claims nothing', async () => {
  const { order, payment } = await newOrder();
  let answer = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    answer = resolve;
  });
  provider.script.push({ do: 'execute-then-wait', until });
  const id = await house.approved(order, 4_000);
  const sending = house.worker().runOnce();
  await eventually(() =>
    Promise.resolve(provider.ledger.some(({ paymentReference }) => paymentReference === payment)),
  );
  const event = refundEvent(refundOf(payment), { type: 'refund.created' });
  expect(await deliver(event)).toBe('stored');
  await whileRunning(house.worker(withoutListings()), async () => {
    expect(await applied(event)).toEqual([{ operation_id: id }]);
    await house.settled(id, 'confirmed');
  });
  answer();
  await sending;
  expect(provider.requests).toHaveLength(1);
  expect(await house.operation(id)).toMatchObject({ state: 'confirmed', attempt_count: 1, attention: [] });
});

// Red when: a notice is booked as a refund of its own, or an event is known by something else than the refund it tells of.
test('F042: two later notices, under two event IDs, of a refund that we made are one refund, booked once and counted as told again', async () => {
  const { order, payment } = await newOrder();
  const id = await sent(order, 2_500);
  const before = await house.operation(id);
  const absorbed = await absorbedWebhooks();
  const notices = [refundEvent(refundOf(payment)), refundEvent(refundOf(payment))];
  for (const notice of notices) expect(await deliver(notice)).toBe('stored');
  await whileRunning(house.worker(withoutListings()), async () => {
    await applied(...notices);
  });
  expect(await figuresOf(payment)).toEqual({ refunded: 2_500, elsewhere: 0, reserved: 0 });
  expect(await house.operation(id)).toMatchObject({
    state: 'confirmed',
    version: before.version,
    attention: [],
    provider_reference: refundOf(payment).reference,
  });
  const [rows] = await house.database.admin<{ count: number }[]>`
    select count(*)::int as count from mirror_refunds where payment_reference = ${payment}`;
  expect(rows?.count).toBe(1);
  expect(await absorbedWebhooks()).toBe(absorbed + 1);
});

// Red when: the mirror lets an older status overwrite a newer one (before the re-fetch could put it right).
test('F043: an older event that arrives after a newer one is kept as history and changes nothing', async () => {
  const { order, payment } = await newOrder();
  provider.script.push({ do: 'execute-then-lose' });
  const id = await house.approved(order, 1_500);
  await house.worker(withoutListings()).runOnce();
  const now = Date.now();
  const newer = refundEvent(refundOf(payment), { status: 'succeeded', createdAtMs: now });
  const older = refundEvent(refundOf(payment), { status: 'pending', createdAtMs: now - 120_000 });
  await deliver(newer);
  await whileRunning(house.worker(withoutListings()), async () => {
    await applied(newer);
    await house.settled(id, 'confirmed');
  });
  const confirmed = await house.operation(id);
  // The provider cannot be asked: the older event stands alone.
  provider.silent = true;
  await deliver(older);
  await whileRunning(house.worker(withoutListings()), async () => {
    await eventually(async () => {
      const [row] = await house.database.admin`
        select apply_failures from provider_events where event_id = ${older.id}`;
      return Number(row?.['apply_failures']) > 0;
    });
  });
  const after = await house.operation(id);
  expect(after).toMatchObject({ state: 'confirmed', version: confirmed.version, attention: [] });
  const [mirrored] = await house.database.admin`
    select status, status_text from mirror_refunds where reference = ${refundOf(payment).reference}`;
  expect(mirrored).toEqual({ status: 'succeeded', status_text: 'succeeded' });
  expect(await figuresOf(payment)).toEqual({ refunded: 1_500, elsewhere: 0, reserved: 0 });
  const kept = await house.database.admin`
    select event_id from observations where operation_id = ${id} and source = 'webhook'`;
  expect(new Set(kept.map((row) => String(row['event_id'])))).toEqual(new Set([newer.id, older.id]));
  expect(kept).toHaveLength(2);
});

// Red when: an event without a refund in it asks nothing, or a charge without a list is read as one without refunds.
test('F049: a charge’s event that lists no refunds has them fetched, and the operation is found by its metadata', async () => {
  for (const kind of ['charge.refunded', 'refund.updated'] as const) {
    const { order, payment } = await newOrder();
    provider.script.push({ do: 'execute-then-lose' });
    const id = await house.approved(order, 3_500);
    await house.worker(withoutListings()).runOnce();
    expect((await house.operation(id)).state).toBe('outcome_unknown');
    // Nothing but the event may wake it.
    await house.database.admin`update operations set wake_at = now() + interval '1 day' where id = ${id}`;
    const event = kind === 'charge.refunded' ? chargeEvent(payment, 3_500) : refundEvent(refundOf(payment));
    await deliver(event);
    await whileRunning(house.worker(withoutListings()), async () => {
      await house.settled(id, 'confirmed');
    });
    expect(await house.operation(id)).toMatchObject({
      provider_reference: refundOf(payment).reference,
      attempt_count: 1,
    });
    expect(await figuresOf(payment)).toEqual({ refunded: 3_500, elsewhere: 0, reserved: 0 });
  }
});

// Red when: a charge is read as a refund of its total, or a cumulative figure is added to what is booked.
test('F052: cumulative figures of a charge, in any order and two at once, are never added up; each refund is matched by its ID', async () => {
  const { order, payment } = await newOrder();
  const [first, second] = [await sent(order, 3_000), await sent(order, 2_000)];
  const events = [5_000, 3_000, 5_000].map((total) => chargeEvent(payment, total));
  await Promise.all(events.map(deliver));
  await whileRunning(house.worker(withoutListings()), () =>
    whileRunning(house.worker(withoutListings()), async () => {
      await applied(...events);
    }),
  );
  expect(await figuresOf(payment)).toEqual({ refunded: 5_000, elsewhere: 0, reserved: 0 });
  const references = [
    (await house.operation(first)).provider_reference,
    (await house.operation(second)).provider_reference,
  ];
  expect(references).toEqual([refundOf(payment, 0).reference, refundOf(payment, 1).reference]);
  for (const id of [first, second])
    expect(await house.operation(id)).toMatchObject({ state: 'confirmed', attention: [] });
});
