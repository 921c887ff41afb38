import { connect } from 'node:net';
import Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StartedFake } from './started-fake.ts';
import { until } from './until.ts';

const fake = new StartedFake();

beforeAll(() => fake.start());
afterEach(() => fake.clearFaults());
afterAll(() => fake.discard());

const create = (payment: string, key: string) =>
  fake.raw('/v1/refunds', { payment_intent: payment, amount: '100' }, key);
const refunds = async (payment: string) => (await fake.refundsOf(payment)).length;

/** What came over the wire before the connection was cut or the patience ran out. */
function onTheWire(payment: string, key: string, enough: (text: string) => boolean): Promise<string> {
  const body = `payment_intent=${payment}&amount=100`;
  return new Promise((resolve) => {
    const socket = connect(fake.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (enough(text)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    socket.write(
      `POST /v1/refunds HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer sk_test_x\r\nidempotency-key: ${key}\r\n` +
        `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  });
}

describe('drop_before', () => {
  it('cuts the connection and does nothing; the same key then acts', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'drop_before' });
    await expect(create(payment, 'drop_before')).rejects.toThrow();
    expect(await refunds(payment)).toBe(0);
    expect((await create(payment, 'drop_before')).headers.get('idempotent-replayed')).toBeNull();
    expect(await refunds(payment)).toBe(1);
  });
});

describe('execute_then_drop', () => {
  it('makes the refund and cuts the connection; the same key is answered from memory', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'execute_then_drop' });
    await expect(create(payment, 'then_drop')).rejects.toThrow();
    expect(await refunds(payment)).toBe(1);
    expect((await create(payment, 'then_drop')).headers.get('idempotent-replayed')).toBe('true');
    expect(await refunds(payment)).toBe(1);
  });

  it('is a connection error to Stripe’s client, also when it sends again by itself', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'execute_then_drop', times: 'always' });
    const lost = fake
      .stripe()
      .refunds.create({ payment_intent: payment, amount: 5 }, { idempotencyKey: 'lost' });
    await expect(lost).rejects.toBeInstanceOf(Stripe.errors.StripeConnectionError);
    expect(await refunds(payment)).toBe(1);
    const sent = (await fake.requests()).filter(({ idempotency_key }) => idempotency_key === 'lost');
    expect(sent.every(({ status }) => status === 'dropped')).toBe(true);
    expect(sent.filter(({ refund }) => refund !== null)).toHaveLength(1);
  });
});

describe('execute_then_hang', () => {
  // Red when: the connection is cut instead of held open.
  it('makes the refund and never answers', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'execute_then_hang' });
    const abort = new AbortController();
    const hanging = fetch(`${fake.origin}/v1/refunds`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_x', 'idempotency-key': 'hang' },
      body: new URLSearchParams({ payment_intent: payment, amount: '100' }),
      signal: abort.signal,
    });
    const settled = hanging.then(
      () => 'answered',
      (error: unknown) => (error instanceof Error ? error.name : 'thrown'),
    );
    await until(async () => ((await refunds(payment)) === 1 ? true : null));
    expect((await create(payment, 'hang')).headers.get('idempotent-replayed')).toBe('true');
    abort.abort();
    // Ended by us and by nobody before: a connection that was cut is a TypeError.
    expect(await settled).toBe('AbortError');
  });
});

describe('execute_then_500', () => {
  it('makes the refund and answers 500', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'execute_then_500' });
    const answer = await create(payment, 'then_500');
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ error: { type: 'api_error' } });
    expect(await refunds(payment)).toBe(1);
  });
});

describe('error_before', () => {
  it('answers with the status, code and type asked for, does nothing, and is not saved', async () => {
    const payment = await fake.payment();
    const fault = { status: 429, code: 'lock_timeout', type: 'invalid_request_error', message: 'Busy.' };
    await fake.arm({ on: 'refund.create', do: 'error_before', ...fault });
    const answer = await create(payment, 'error_before');
    expect(answer.status).toBe(429);
    expect(await answer.json()).toEqual({
      error: { code: 'lock_timeout', type: 'invalid_request_error', message: 'Busy.' },
    });
    expect(await refunds(payment)).toBe(0);
    expect((await create(payment, 'error_before')).status).toBe(200);
  });

  it('with saved: true is replayed for ever, though nothing was done', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'error_before', status: 500, saved: true });
    await create(payment, 'saved');
    const again = await create(payment, 'saved');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([500, 'true']);
    expect(await refunds(payment)).toBe(0);
  });
});

describe('rate_limit', () => {
  it('answers 429 with Retry-After and does nothing', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'rate_limit', retryAfter: 7 });
    const answer = await create(payment, 'limit');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await refunds(payment)).toBe(0);
    await fake.arm({ on: 'refund.list', do: 'rate_limit' });
    const listing = fake.stripe().refunds.list();
    await expect(listing).rejects.toBeInstanceOf(Stripe.errors.StripeRateLimitError);
  });
});

describe('html_502', () => {
  it.each([
    [false, 0],
    [true, 1],
  ])('answers with a gateway’s page; with execute: %s there are then %i refunds', async (execute, count) => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'html_502', ...(execute ? { execute } : {}) });
    const answer = await create(payment, `html${count}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([502, 'text/html']);
    expect(await answer.text()).toContain('<html>');
    expect(await refunds(payment)).toBe(count);
  });
});

describe('truncated_body', () => {
  it('makes the refund, promises a whole answer and delivers half', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'truncated_body' });
    const text = await onTheWire(payment, 'half', () => false);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const promised = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(body.length).toBeGreaterThan(0);
    expect(body.length).toBeLessThan(promised);
    expect(await refunds(payment)).toBe(1);
  });
});

describe('drip_body', () => {
  it('makes the refund and answers one byte at a time', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'drip_body', ms: 20 });
    const text = await onTheWire(payment, 'drip', (soFar) => (soFar.split('\r\n\r\n')[1] ?? '').length >= 3);
    expect(text).toContain('200 OK');
    expect((text.split('\r\n\r\n')[1] ?? '').length).toBeLessThan(20);
    expect(await refunds(payment)).toBe(1);
  });

  it('ends whole when somebody has the patience', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'drip_body', ms: 1 });
    expect(await (await create(payment, 'patient')).json()).toMatchObject({ payment_intent: payment });
  });
});

describe('empty_200', () => {
  it('makes the refund and says OK with nothing in it', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'empty_200' });
    const answer = await create(payment, 'empty');
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect(await refunds(payment)).toBe(1);
  });
});

describe('delay', () => {
  it('waits before it acts, so that a look-up finds nothing yet', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'delay', ms: 300 });
    const slow = create(payment, 'slow');
    await until(
      async () => (await fake.requests()).find((request) => request.idempotency_key === 'slow') ?? null,
    );
    expect(await refunds(payment)).toBe(0);
    expect((await slow).status).toBe(200);
    expect(await refunds(payment)).toBe(1);
  });

  it('with at: "after" acts first and then waits', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'delay', ms: 300, at: 'after' });
    const began = performance.now();
    const slow = create(payment, 'slow after');
    await until(async () => ((await refunds(payment)) === 1 ? true : null));
    expect((await slow).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(290);
  });
});

describe('pending_then', () => {
  it.each([
    ['then', 'succeeded'],
    ['status', 'failed'],
    ['to', 'canceled'],
  ])('begins as pending and, by %s, becomes %s when its time comes', async (name, end) => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'pending_then', [name]: end, ms: 3_600_000 });
    const refund = (await (await create(payment, `pending ${end}`)).json()) as { id: string; status: string };
    expect(refund.status).toBe('pending');
    await fake.control('/clock', { advanceMs: 3_600_000 });
    const stripe = fake.stripe();
    const settled = await until(async () => {
      const now = await stripe.refunds.retrieve(refund.id);
      return now.status === 'pending' ? null : now;
    });
    expect(settled.status).toBe(end);
    expect(settled.failure_reason).toBe(end === 'failed' ? 'expired_or_canceled_card' : undefined);
  });
});

describe('succeeded_then_failed', () => {
  it('succeeds, then fails, and gives its amount back to the charge', async () => {
    const payment = await fake.payment(100);
    await fake.arm({ on: 'refund.create', do: 'succeeded_then_failed', ms: 50 });
    expect(await (await create(payment, 'late')).json()).toMatchObject({ status: 'succeeded' });
    await until(async () => ((await fake.refundsOf(payment))[0]?.status === 'failed' ? true : null));
    expect((await create(payment, 'instead')).status).toBe(200);
  });
});

describe('wrong_amount', () => {
  it('refunds another amount than was asked for', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'wrong_amount', amount: 90 });
    expect(await (await create(payment, 'wrong')).json()).toMatchObject({ amount: 90 });
    expect(await fake.refundsOf(payment)).toEqual([expect.objectContaining({ amount: 90 })]);
  });
});

describe('hide_from_list', () => {
  it('on refund.create keeps the new refund out of lists for a while, not out of reach of its ID', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'hide_from_list', ms: 3_600_000 });
    const stripe = fake.stripe();
    const refund = await stripe.refunds.create({ payment_intent: payment, amount: 5 });
    expect((await stripe.refunds.list({ payment_intent: payment })).data).toEqual([]);
    expect(await stripe.refunds.retrieve(refund.id)).toMatchObject({ id: refund.id });
    await fake.control('/clock', { advanceMs: 3_600_000 });
    expect((await stripe.refunds.list({ payment_intent: payment })).data).toHaveLength(1);
  });

  it('on refund.list hides what is younger from the next listing', async () => {
    const payment = await fake.payment();
    await create(payment, 'young');
    await fake.arm({ on: 'refund.list', do: 'hide_from_list', ms: 60_000 });
    const stripe = fake.stripe();
    expect((await stripe.refunds.list({ payment_intent: payment })).data).toEqual([]);
    expect((await stripe.refunds.list({ payment_intent: payment })).data).toHaveLength(1);
  });
});
