import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StartedFake } from './started-fake.ts';

const fake = new StartedFake();
let stripe: Stripe;

beforeAll(async () => {
  await fake.start();
  stripe = fake.stripe();
});
afterAll(() => fake.discard());

describe('a refund', () => {
  it('is made as asked, and the ledger holds exactly that', async () => {
    const payment = await fake.payment(5000);
    const metadata = { operation: '0190', 'organisation.id': 'o1' };
    const refund = await stripe.refunds.create({
      payment_intent: payment,
      amount: 1200,
      reason: 'requested_by_customer',
      metadata,
    });
    expect(refund).toMatchObject({
      object: 'refund',
      amount: 1200,
      currency: 'eur',
      payment_intent: payment,
      status: 'succeeded',
      reason: 'requested_by_customer',
      metadata,
    });
    expect(await stripe.refunds.retrieve(refund.id)).toEqual(
      expect.objectContaining({ id: refund.id, metadata }),
    );
    expect(await fake.refundsOf(payment)).toEqual([
      expect.objectContaining({ id: refund.id, amount: 1200, metadata }),
    ]);
  });

  it('without an amount takes all that is left', async () => {
    const payment = await fake.payment(5000);
    await stripe.refunds.create({ payment_intent: payment, amount: 1500 });
    const rest = await stripe.refunds.create({ payment_intent: payment });
    expect(rest.amount).toBe(3500);
    const { latest_charge: charge } = await stripe.paymentIntents.retrieve(payment);
    expect(await stripe.charges.retrieve(String(charge))).toMatchObject({
      amount_refunded: 5000,
      refunded: true,
    });
  });

  it('can be asked for by charge, and its charge and payment can be expanded', async () => {
    const payment = await fake.payment(900);
    const intent = await stripe.paymentIntents.retrieve(payment, { expand: ['latest_charge'] });
    expect(intent).toMatchObject({
      amount_received: 900,
      status: 'succeeded',
      latest_charge: { object: 'charge' },
    });
    const charge = typeof intent.latest_charge === 'object' ? (intent.latest_charge?.id ?? '') : '';
    const refund = await stripe.refunds.create({ charge, amount: 100, expand: ['charge', 'payment_intent'] });
    expect(refund).toMatchObject({ charge: { id: charge }, payment_intent: { id: payment } });
  });
});

describe('a refund is refused as Stripe refuses it', () => {
  const refusal = async (params: Stripe.RefundCreateParams): Promise<Stripe.errors.StripeError> => {
    try {
      await stripe.refunds.create(params);
    } catch (problem) {
      if (problem instanceof Stripe.errors.StripeError) return problem;
      throw problem;
    }
    throw new Error('It was not refused.');
  };

  it('above what is left: 400 without a code, naming the amount', async () => {
    const payment = await fake.payment(5000);
    await stripe.refunds.create({ payment_intent: payment, amount: 3000 });
    const problem = await refusal({ payment_intent: payment, amount: 2001 });
    expect(problem).toMatchObject({ statusCode: 400, type: 'StripeInvalidRequestError', param: 'amount' });
    expect(problem.code).toBeUndefined();
    expect(problem.message).toBe(
      'Refund amount (€20.01) is greater than unrefunded amount on charge (€20.00)',
    );
    expect(await fake.refundsOf(payment)).toHaveLength(1);
  });

  it('when nothing is left: charge_already_refunded', async () => {
    const payment = await fake.payment(700);
    await stripe.refunds.create({ payment_intent: payment });
    const problem = await refusal({ payment_intent: payment });
    expect(problem).toMatchObject({ statusCode: 400, code: 'charge_already_refunded' });
  });

  it('while a dispute is open or was lost: charge_disputed; once it was won: not', async () => {
    const payment = await fake.payment(700);
    await fake.control('/disputes', { payment_intent: payment });
    expect(await refusal({ payment_intent: payment })).toMatchObject({
      statusCode: 400,
      code: 'charge_disputed',
    });
    await fake.control('/disputes', { payment_intent: payment, status: 'won' });
    expect(await stripe.refunds.create({ payment_intent: payment })).toMatchObject({ status: 'succeeded' });
    const lost = await fake.payment(700);
    await fake.control('/disputes', { payment_intent: lost, status: 'lost' });
    expect(await refusal({ payment_intent: lost })).toMatchObject({ code: 'charge_disputed' });
  });

  it('of an unknown payment or charge: 404 resource_missing', async () => {
    const unknown = { statusCode: 404, code: 'resource_missing' };
    expect(await refusal({ payment_intent: 'pi_nobody' })).toMatchObject({
      ...unknown,
      param: 'payment_intent',
    });
    expect(await refusal({ charge: 'ch_nobody' })).toMatchObject({ ...unknown, param: 'charge' });
    await expect(stripe.refunds.retrieve('re_nobody')).rejects.toMatchObject(unknown);
    await expect(stripe.paymentIntents.retrieve('pi_nobody')).rejects.toMatchObject(unknown);
    await expect(stripe.charges.retrieve('ch_nobody')).rejects.toMatchObject(unknown);
  });

  it.each([
    ['neither payment nor charge', {}, undefined],
    ['an amount of nothing', { amount: '0' }, 'amount'],
    ['a negative amount', { amount: '-5' }, 'amount'],
    ['an amount with decimals', { amount: '1.5' }, 'amount'],
    ['a reason of its own', { reason: 'mood' }, 'reason'],
    ['a parameter that does not exist', { amuont: '5' }, 'amuont'],
    ['a metadata key above 40 characters', { [`metadata[${'k'.repeat(41)}]`]: 'v' }, 'metadata'],
    ['a metadata value above 500 characters', { 'metadata[k]': 'v'.repeat(501) }, 'metadata[k]'],
  ])('with %s: 400', async (name, fields, param) => {
    const payment = name.startsWith('neither') ? {} : { payment_intent: await fake.payment() };
    const answer = await fake.raw('/v1/refunds', { ...payment, ...fields });
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { type: string; param?: string } };
    expect(error.type).toBe('invalid_request_error');
    expect(error.param).toBe(param);
  });

  it('with more than 50 pairs of metadata: 400', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 51 }, (_, place) => [`key${place}`, 'v']));
    expect(await refusal({ payment_intent: await fake.payment(), metadata })).toMatchObject({
      param: 'metadata',
    });
  });
});

describe('amounts are in Stripe’s minor units', () => {
  it('without decimals for yen, and the refusal speaks of whole yen', async () => {
    const payment = await fake.payment(5000, 'jpy');
    await stripe.refunds.create({ payment_intent: payment, amount: 4999 });
    const refused = stripe.refunds.create({ payment_intent: payment, amount: 2 });
    await expect(refused).rejects.toThrow(
      'Refund amount (¥2) is greater than unrefunded amount on charge (¥1)',
    );
  });

  it('with three for dinar, of which the last must be 0', async () => {
    const payment = await fake.payment(10_000, 'kwd');
    const refused = stripe.refunds.create({ payment_intent: payment, amount: 1234 });
    await expect(refused).rejects.toMatchObject({ statusCode: 400, param: 'amount' });
    expect(await stripe.refunds.create({ payment_intent: payment, amount: 1230 })).toMatchObject({
      amount: 1230,
    });
  });

  // Red when: ISK or UGX is taken for a currency with cents.
  it.each(['isk', 'ugx'])('with two for %s that must be 00', async (currency) => {
    const payment = await fake.payment(50_000, currency);
    const refused = stripe.refunds.create({ payment_intent: payment, amount: 4950 });
    await expect(refused).rejects.toMatchObject({ statusCode: 400, param: 'amount' });
    expect(await fake.refundsOf(payment)).toEqual([]);
    expect(await stripe.refunds.create({ payment_intent: payment, amount: 4900 })).toMatchObject({
      currency,
    });
  });
});

describe('the door', () => {
  it('opens for any secret test key', async () => {
    const account = await fake.stripe('sk_test_anything_else').accounts.retrieveCurrent();
    expect(account).toMatchObject({ object: 'account', charges_enabled: true });
  });

  it.each([['sk_invalid_1'], ['sk_live_1'], ['nonsense']])('stays shut for %s with 401', async (key) => {
    const refused = fake.stripe(key).balance.retrieve();
    await expect(refused).rejects.toBeInstanceOf(Stripe.errors.StripeAuthenticationError);
  });

  it('stays shut without a key, and nothing is done', async () => {
    const payment = await fake.payment();
    const answer = await fetch(`${fake.origin}/v1/refunds`, {
      method: 'POST',
      body: new URLSearchParams({ payment_intent: payment }),
    });
    expect(answer.status).toBe(401);
    expect(await fake.refundsOf(payment)).toEqual([]);
  });

  it('names each answer with a request ID, a date and a version', async () => {
    const { headers } = await fake.raw('/v1/balance');
    expect(headers.get('request-id')).toMatch(/^req_/);
    expect(headers.get('stripe-version')).toBe(Stripe.API_VERSION);
    expect(Math.abs(Date.parse(headers.get('date') ?? '') - Date.now())).toBeLessThan(5000);
  });

  it('answers an unknown path with 404 in Stripe’s shape, and too large a body with 413', async () => {
    const unknown = await fake.raw('/v1/customers');
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
    const large = await fake.raw('/v1/refunds', { payment_intent: 'x'.repeat(1024 * 1024 + 1) });
    expect(large.status).toBe(413);
  });

  it('tells the balance: payments less refunds', async () => {
    const payment = await fake.payment(8000, 'chf');
    await stripe.refunds.create({ payment_intent: payment, amount: 3000 });
    const { available } = await stripe.balance.retrieve();
    expect(available).toContainEqual(expect.objectContaining({ currency: 'chf', amount: 5000 }));
  });
});
