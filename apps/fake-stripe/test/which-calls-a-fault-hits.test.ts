import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StartedFake } from './started-fake.ts';

const fake = new StartedFake();

beforeAll(() => fake.start());
afterEach(() => fake.clearFaults());
afterAll(() => fake.discard());

const create = (payment: string, key: string) =>
  fake.raw('/v1/refunds', { payment_intent: payment, amount: '100' }, key);

describe('a fault', () => {
  it('hits as often as it was told, then no more', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'error_before', status: 503, times: 2 });
    const statuses = [];
    for (const key of ['t1', 't2', 't3']) statuses.push((await create(payment, key)).status);
    expect(statuses).toEqual([503, 503, 200]);
  });

  it.each([['always'], [null]])('with times: %s hits until it is cleared', async (times) => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'rate_limit', times });
    for (const key of ['a1', 'a2', 'a3']) expect((await create(payment, `${times}${key}`)).status).toBe(429);
    await fake.clearFaults();
    expect((await create(payment, `${times} cleared`)).status).toBe(200);
  });

  it('with every: 3 hits the third, the sixth, the ninth call', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.retrieve', do: 'error_before', status: 503, every: 3, times: 'always' });
    const { id } = (await (await create(payment, 'every')).json()) as { id: string };
    const statuses = [];
    for (let call = 1; call <= 9; call += 1) statuses.push((await fake.raw(`/v1/refunds/${id}`)).status);
    expect(statuses).toEqual([200, 200, 503, 200, 200, 503, 200, 200, 503]);
  });

  it('aimed at one payment leaves the others alone', async () => {
    const [struck, spared] = [await fake.payment(), await fake.payment()];
    await fake.arm({ on: 'refund.create', do: 'rate_limit', paymentIntent: struck, times: 'always' });
    expect((await create(spared, 'spared')).status).toBe(200);
    expect((await create(struck, 'struck')).status).toBe(429);
  });

  it('on any strikes every call of the API', async () => {
    await fake.arm({ on: 'any', do: 'error_before', status: 503, times: 'always' });
    const paths = [
      '/v1/refunds',
      '/v1/refunds/re_x',
      '/v1/payment_intents/pi_x',
      '/v1/charges/ch_x',
      '/v1/disputes',
    ];
    const more = ['/v1/disputes/dp_x', '/v1/events', '/v1/events/evt_x', '/v1/account', '/v1/balance'];
    for (const path of [...paths, ...more])
      expect([path, (await fake.raw(path)).status]).toEqual([path, 503]);
    expect((await create(await fake.payment(), 'any')).status).toBe(503);
  });

  it('goes together with others that do not contradict it: pending, hidden and never heard of', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'execute_then_drop' });
    await fake.arm({ on: 'refund.create', do: 'pending_then', ms: 3_600_000 });
    await fake.arm({ on: 'refund.create', do: 'hide_from_list', ms: 3_600_000 });
    await expect(create(payment, 'together')).rejects.toThrow();
    expect(await fake.refundsOf(payment)).toEqual([expect.objectContaining({ status: 'pending' })]);
    expect((await fake.stripe().refunds.list({ payment_intent: payment })).data).toEqual([]);
  });
});
