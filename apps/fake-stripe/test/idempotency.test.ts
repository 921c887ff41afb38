import Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StartedFake } from './started-fake.ts';
import { until } from './until.ts';

const fake = new StartedFake();
const day = 24 * 60 * 60 * 1000;

beforeAll(() => fake.start());
afterEach(() => fake.clearFaults());
afterAll(() => fake.discard());

const errorOf = async (answer: Response) =>
  ((await answer.json()) as { error: Record<string, string> }).error;

describe('the same key with the same parameters', () => {
  it('is answered with the recorded answer, marked as a replay, and does nothing', async () => {
    const form = { payment_intent: await fake.payment(), amount: '100', 'metadata[a]': '1' };
    const first = await fake.raw('/v1/refunds', form, 'replay');
    const again = await fake.raw('/v1/refunds', form, 'replay');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('original-request')).toBe(first.headers.get('request-id'));
    expect(await again.text()).toBe(await first.text());
    expect(await fake.refundsOf(form.payment_intent)).toHaveLength(1);
  });

  it('is the same whatever the order of its fields', async () => {
    const payment = await fake.payment();
    await fake.raw('/v1/refunds', { payment_intent: payment, amount: '100' }, 'order');
    const again = await fake.raw('/v1/refunds', { amount: '100', payment_intent: payment }, 'order');
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('replays what was said then, not what is so now', async () => {
    const form = { payment_intent: await fake.payment() };
    const first = await fake.raw('/v1/refunds', form, 'then');
    const { id } = (await first.json()) as { id: string };
    await fake.control(`/refunds/${id}`, { status: 'failed' });
    expect(await (await fake.raw('/v1/refunds', form, 'then')).json()).toMatchObject({ status: 'succeeded' });
  });

  it('replays a refusal of the endpoint itself', async () => {
    const form = { payment_intent: await fake.payment(100), amount: '101' };
    await fake.raw('/v1/refunds', form, 'refused');
    const again = await fake.raw('/v1/refunds', form, 'refused');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([400, 'true']);
  });

  it('replays a saved 500 for ever', async () => {
    const form = { payment_intent: await fake.payment() };
    await fake.arm({ on: 'refund.create', do: 'execute_then_500' });
    expect((await fake.raw('/v1/refunds', form, 'saved500')).status).toBe(500);
    for (const _ of [1, 2, 3]) {
      const again = await fake.raw('/v1/refunds', form, 'saved500');
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([500, 'true']);
    }
    expect(await fake.refundsOf(form.payment_intent)).toHaveLength(1);
  });
});

describe('the same key with anything else', () => {
  it('is 400 idempotency_error, and the client calls it so', async () => {
    const payment = await fake.payment();
    const stripe = fake.stripe();
    const options = { idempotencyKey: 'mismatch' };
    await stripe.refunds.create({ payment_intent: payment, amount: 100 }, options);
    const other = stripe.refunds.create({ payment_intent: payment, amount: 101 }, options);
    await expect(other).rejects.toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
    await expect(other).rejects.toMatchObject({ statusCode: 400, rawType: 'idempotency_error' });
    expect(await fake.refundsOf(payment)).toHaveLength(1);
  });

  it('binds nothing by a refused validation, a 401 or a 429', async () => {
    const payment = await fake.payment();
    expect((await fake.raw('/v1/refunds', { payment_intent: payment, amount: 'x' }, 'unbound')).status).toBe(
      400,
    );
    await fake
      .stripe('sk_invalid')
      .refunds.create({ payment_intent: payment }, { idempotencyKey: 'unbound' })
      .catch(() => null);
    await fake.arm({ on: 'refund.create', do: 'rate_limit' });
    expect((await fake.raw('/v1/refunds', { payment_intent: payment, amount: '7' }, 'unbound')).status).toBe(
      429,
    );
    const at_last = await fake.raw('/v1/refunds', { payment_intent: payment, amount: '8' }, 'unbound');
    expect([at_last.status, at_last.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  it('refuses a key above 255 characters', async () => {
    const answer = await fake.raw('/v1/refunds', { payment_intent: await fake.payment() }, 'k'.repeat(256));
    expect(answer.status).toBe(400);
  });
});

describe('the same key while the first is in flight', () => {
  it('is 409 idempotency_key_in_use, and the answer to the first is not lost', async () => {
    const form = { payment_intent: await fake.payment() };
    await fake.arm({ on: 'refund.create', do: 'delay', ms: 400 });
    const first = fake.raw('/v1/refunds', form, 'flight');
    await until(
      async () => (await fake.requests()).find((request) => request.idempotency_key === 'flight') ?? null,
    );
    const second = await fake.raw('/v1/refunds', form, 'flight');
    expect(second.status).toBe(409);
    expect(await errorOf(second)).toMatchObject({
      code: 'idempotency_key_in_use',
      type: 'invalid_request_error',
    });
    expect((await first).status).toBe(200);
    expect((await fake.raw('/v1/refunds', form, 'flight')).headers.get('idempotent-replayed')).toBe('true');
    expect(await fake.refundsOf(form.payment_intent)).toHaveLength(1);
  });

  it('of many at once, one acts', async () => {
    const form = { payment_intent: await fake.payment(), amount: '10' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => fake.raw('/v1/refunds', form, 'storm')),
    );
    expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
    expect(await fake.refundsOf(form.payment_intent)).toHaveLength(1);
  });
});

describe('a key is forgotten', () => {
  it('not before 24 hours, and then the same request is a new one', async () => {
    const form = { payment_intent: await fake.payment(), amount: '100' };
    await fake.raw('/v1/refunds', form, 'old');
    await fake.control('/clock', { advanceMs: day - 60_000 });
    expect((await fake.raw('/v1/refunds', form, 'old')).headers.get('idempotent-replayed')).toBe('true');
    await fake.control('/clock', { advanceMs: 60_000 });
    const late = await fake.raw('/v1/refunds', form, 'old');
    expect(late.headers.get('idempotent-replayed')).toBeNull();
    expect(Date.parse(late.headers.get('date') ?? '') - Date.now()).toBeGreaterThan(day - 60_000);
    expect(await fake.refundsOf(form.payment_intent)).toHaveLength(2);
  });
});
