import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StartedFake } from './started-fake.ts';

const fake = new StartedFake();
let stripe: Stripe;
let payment: string;
const made: string[] = [];

beforeAll(async () => {
  await fake.start();
  stripe = fake.stripe();
  payment = await fake.payment(100_000);
  const other = await fake.payment();
  for (let count = 0; count < 12; count += 1) {
    const refund = await stripe.refunds.create({ payment_intent: payment, amount: 100 + count });
    made.unshift(refund.id);
    await stripe.refunds.create({ payment_intent: other, amount: 1 });
  }
});
afterAll(() => fake.discard());

const ids = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id);

describe('a list of refunds', () => {
  it('holds the newest first, ten of them unless asked otherwise, and says that there are more', async () => {
    const page = await stripe.refunds.list({ payment_intent: payment });
    expect(ids(page)).toEqual(made.slice(0, 10));
    expect(page.has_more).toBe(true);
  });

  it('is read to its end page by page, each refund once', async () => {
    const seen: string[] = [];
    for await (const refund of stripe.refunds.list({ payment_intent: payment, limit: 5 }))
      seen.push(refund.id);
    expect(seen).toEqual(made);
  });

  it('is read backwards with ending_before', async () => {
    const page = await stripe.refunds.list({
      payment_intent: payment,
      limit: 3,
      ending_before: made[6] ?? '',
    });
    expect(ids(page)).toEqual(made.slice(3, 6));
    expect(page.has_more).toBe(true);
  });

  it('can be asked for by charge, and without any filter holds every payment’s', async () => {
    const { latest_charge: charge } = await stripe.paymentIntents.retrieve(payment);
    const byCharge = await stripe.refunds.list({ charge: String(charge), limit: 100 });
    expect(ids(byCharge)).toEqual(made);
    expect((await stripe.refunds.list({ limit: 100 })).data).toHaveLength(24);
  });

  it('keeps to the bounds of created', async () => {
    await fake.control('/clock', { advanceMs: 3_600_000 });
    const later = await stripe.refunds.create({ payment_intent: payment, amount: 7 });
    const { created } = later;
    const list = async (bounds: Stripe.RangeQueryParam) =>
      ids(await stripe.refunds.list({ payment_intent: payment, created: bounds, limit: 100 }));
    expect(await list({ gte: created })).toEqual([later.id]);
    expect(await list({ gt: created })).toEqual([]);
    expect(await list({ lt: created })).toEqual(made);
    expect(await list({ gt: created - 1, lte: created })).toEqual([later.id]);
  });

  it.each([
    ['limit=0'],
    ['limit=101'],
    ['limit=x'],
    ['created[gte]=soon'],
    ['starting_after=re_nobody'],
    ['colour=red'],
  ])('refuses %s with 400', async (query) => {
    expect((await fake.raw(`/v1/refunds?${query}`)).status).toBe(400);
  });

  it('of an unknown payment is 404, not empty', async () => {
    await expect(stripe.refunds.list({ payment_intent: 'pi_nobody' })).rejects.toMatchObject({
      statusCode: 404,
    });
  });
});

describe('other lists', () => {
  it('of disputes can be asked for by payment', async () => {
    const disputed = await fake.payment();
    await fake.control('/disputes', {
      payment_intent: disputed,
      amount: 300,
      reason: 'product_not_received',
    });
    const { data } = await stripe.disputes.list({ payment_intent: disputed });
    expect(data).toEqual([
      expect.objectContaining({
        object: 'dispute',
        amount: 300,
        reason: 'product_not_received',
        status: 'needs_response',
        payment_intent: disputed,
      }),
    ]);
    expect((await stripe.disputes.list({ payment_intent: payment })).data).toEqual([]);
  });

  it('of events can be asked for by type, forget after 30 days, and single ones are found by ID', async () => {
    const { data } = await stripe.events.list({ type: 'refund.created', limit: 1 });
    expect(data[0]).toMatchObject({ object: 'event', type: 'refund.created', livemode: false });
    expect(await stripe.events.retrieve(data[0]?.id ?? '')).toMatchObject({ type: 'refund.created' });
    const both = await stripe.events.list({
      types: ['charge.refunded', 'charge.dispute.created'],
      limit: 100,
    });
    expect(new Set(both.data.map(({ type }) => type))).toEqual(
      new Set(['charge.refunded', 'charge.dispute.created']),
    );
    await fake.control('/clock', { advanceMs: 31 * 24 * 3_600_000 });
    expect((await stripe.events.list({ limit: 100 })).data).toEqual([]);
  });
});
