import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StartedFake } from './started-fake.ts';
import { until } from './until.ts';
import { WebhookReceiver, webhookSecret } from './webhook-receiver.ts';

const fake = new StartedFake();
const receiver = new WebhookReceiver();

beforeAll(async () => {
  await receiver.start();
  await fake.start({ FAKE_STRIPE_WEBHOOK_URL: receiver.url, FAKE_STRIPE_WEBHOOK_SECRET: webhookSecret });
});
afterEach(async () => {
  await fake.clearFaults();
  receiver.onReceived = () => undefined;
});
afterAll(async () => {
  await fake.discard();
  await receiver.stop();
});

const create = (payment: string, key: string) =>
  fake.raw('/v1/refunds', { payment_intent: payment, amount: '100', 'metadata[op]': 'o1' }, key);

const types = (received: { event: { type: string } }[]) => received.map(({ event }) => event.type);

describe('webhooks', () => {
  it('tell of a refund, signed, with the request and the key that made it', async () => {
    const payment = await fake.payment();
    const answer = await create(payment, 'our own key');
    const received = await receiver.arrived(payment, 2);
    expect(types(received)).toEqual(['refund.created', 'charge.refunded']);
    expect(received.every(({ genuine }) => genuine)).toBe(true);
    const event = received[0]?.event;
    expect(event).toMatchObject({
      object: 'event',
      livemode: false,
      request: { id: answer.headers.get('request-id'), idempotency_key: 'our own key' },
      data: { object: { object: 'refund', metadata: { op: 'o1' }, status: 'succeeded' } },
    });
    expect(event?.api_version).toBe(answer.headers.get('stripe-version'));
    expect(event).not.toHaveProperty('account');
  });

  it('tell of what was done by hand, without a request', async () => {
    const payment = await fake.payment();
    await fake.control('/refunds', { payment_intent: payment, amount: 40, metadata: { by: 'hand' } });
    await fake.control('/disputes', { payment_intent: payment, status: 'warning_needs_response' });
    await fake.control('/disputes', { payment_intent: payment, status: 'warning_closed' });
    const received = await receiver.arrived(payment, 4);
    const refundAndDispute = [
      'refund.created',
      'charge.refunded',
      'charge.dispute.created',
      'charge.dispute.closed',
    ];
    expect(types(received)).toEqual(refundAndDispute);
    expect(received.map(({ event }) => event.request)).toEqual(
      Array.from({ length: 4 }, () => ({ id: null, idempotency_key: null })),
    );
  });

  it('tell of a late failure twice over, as refund.failed and refund.updated, with what it was before', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'succeeded_then_failed', ms: 10 });
    await create(payment, 'late failure');
    const received = await receiver.arrived(payment, 4);
    expect(types(received).slice(2)).toEqual(['refund.failed', 'refund.updated']);
    expect(received[3]?.event.data.previous_attributes).toEqual({ status: 'succeeded' });
  });

  it('are tried again until they arrive, newly signed, and the log shows each attempt', async () => {
    const payment = await fake.payment();
    receiver.answers.push(500, 404);
    await create(payment, 'again');
    const [first, ...rest] = await receiver.arrived(payment, 4);
    const repeats = rest.filter(({ event }) => event.id === first?.event.id);
    expect(repeats.length).toBeGreaterThan(0);
    expect(repeats.every(({ genuine }) => genuine)).toBe(true);
    const stripe = fake.stripe();
    await until(async () =>
      (await stripe.events.list({ delivery_success: false })).data.length === 0 ? true : null,
    );
    const { webhooks } = (await fake.control('/webhooks')) as {
      webhooks: { event: { id: string }; attempts: { status: number }[]; state: string }[];
    };
    const shown = webhooks.find(({ event }) => event.id === first?.event.id);
    expect(shown).toMatchObject({ state: 'delivered', attempts: [{ status: 500 }, { status: 200 }] });
  });

  it('carry one signature for each secret while a secret is being changed', async () => {
    const payment = await fake.payment();
    const { url } = receiver;
    await fake.control('/webhook_endpoint', { url, secret: `whsec_next,${webhookSecret}` });
    await create(payment, 'two secrets');
    const [received] = await receiver.arrived(payment, 2);
    expect(received?.signature.match(/v1=/g)).toHaveLength(2);
    expect(received?.genuine).toBe(true);
    await fake.control('/webhook_endpoint', { url, secret: webhookSecret });
  });

  it('are not sent to an endpoint that was set only afterwards', async () => {
    const payment = await fake.payment();
    await fake.control('/webhook_endpoint', { url: null });
    await create(payment, 'nobody');
    await fake.control('/webhook_endpoint', { url: receiver.url, secret: webhookSecret });
    const later = await fake.payment();
    await create(later, 'somebody');
    await receiver.arrived(later, 2);
    expect(receiver.about(payment)).toEqual([]);
  });
});

describe('the fault', () => {
  it('hold keeps webhooks back until the faults are cleared', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'webhook', do: 'hold', times: 'always', paymentIntent: payment });
    await create(payment, 'held');
    const other = await fake.payment();
    await create(other, 'not held');
    await receiver.arrived(other, 2);
    expect(receiver.about(payment)).toEqual([]);
    const undelivered = await fake.stripe().events.list({ delivery_success: false });
    expect(undelivered.data).toHaveLength(2);
    await fake.clearFaults();
    await receiver.arrived(payment, 2);
  });

  // Red when: `removeFaults` lets go what is held about every payment.
  it('a hold on one payment that is taken away lets go that payment alone', async () => {
    const [payment, other] = [await fake.payment(), await fake.payment()];
    const hold = async (paymentIntent: string): Promise<string> => {
      const armed = await fake.arm({ on: 'webhook', do: 'hold', times: 'always', paymentIntent });
      return (armed as { id: string }).id;
    };
    const [taken] = [await hold(payment), await hold(other)];
    await create(other, 'stays held');
    await create(payment, 'let go');
    await fake.control(`/faults/${taken}`, undefined, 'DELETE');
    await receiver.arrived(payment, 2);
    expect(receiver.about(other)).toEqual([]);
    const { webhooks } = (await fake.control('/webhooks')) as { webhooks: { state: string }[] };
    expect(webhooks.filter(({ state }) => state === 'held')).toHaveLength(2);
  });

  it('hold lets go what is released, and holds what comes later', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'webhook', do: 'hold', times: 'always' });
    await create(payment, 'released');
    await fake.control('/webhooks/release', {});
    await receiver.arrived(payment, 2);
    const later = await fake.payment();
    await create(later, 'held on');
    const { webhooks } = (await fake.control('/webhooks')) as { webhooks: { state: string }[] };
    expect(webhooks.slice(-2).map(({ state }) => state)).toEqual(['held', 'held']);
  });

  it('duplicate delivers the same event twice', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'webhook', do: 'duplicate', paymentIntent: payment });
    await create(payment, 'twice');
    const received = await receiver.arrived(payment, 3);
    const created = received.filter(({ event }) => event.type === 'refund.created');
    expect(created).toHaveLength(2);
    expect(new Set(created.map(({ event }) => event.id)).size).toBe(1);
  });

  it('duplicate with newId tells one fact as two events', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'webhook', do: 'duplicate', newId: true, paymentIntent: payment });
    await create(payment, 'two events');
    const received = await receiver.arrived(payment, 3);
    const created = received.filter(({ event }) => event.type === 'refund.created');
    expect(new Set(created.map(({ event }) => event.id)).size).toBe(2);
  });

  it('reorder lets a later event overtake an earlier one', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'webhook', do: 'reorder', ms: 3_600_000, paymentIntent: payment });
    await create(payment, 'overtaken');
    expect(types(await receiver.arrived(payment, 2))).toEqual(['charge.refunded', 'refund.created']);
  });

  it('reorder waits no longer than its time when nothing overtakes', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'webhook', do: 'reorder', ms: 50, times: 2, paymentIntent: payment });
    await create(payment, 'alone');
    await receiver.arrived(payment, 2);
  });

  // Red when: the answer does not wait until the webhook has been taken.
  it('before_response delivers the webhook before the answer leaves', async () => {
    const payment = await fake.payment();
    let take = (): void => undefined;
    receiver.mayAnswer = new Promise((resolve) => {
      take = resolve;
    });
    await fake.arm({ on: 'webhook', do: 'before_response', paymentIntent: payment });
    let answered = false;
    const answer = create(payment, 'early').finally(() => {
      answered = true;
    });
    expect(types(await receiver.arrived(payment, 1))).toEqual(['refund.created']);
    // Long enough for an answer that waits for nobody to be here.
    for (let look = 0; look < 5; look += 1) await fake.control('/ledger');
    expect(answered).toBe(false);
    take();
    expect((await answer).status).toBe(200);
  });

  it('wrong_signature signs with another secret once; the next attempt is right', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'webhook', do: 'wrong_signature', paymentIntent: payment });
    receiver.answers.push(400);
    await create(payment, 'forged');
    const received = await receiver.arrived(payment, 3);
    expect(received[0]?.genuine).toBe(false);
    expect(received.slice(1).every(({ genuine }) => genuine)).toBe(true);
  });

  it.each([[600_000], [-600_000]])('stale_timestamp signs rightly for a moment %i ms ago', async (ms) => {
    const payment = await fake.payment();
    await fake.arm({ on: 'webhook', do: 'stale_timestamp', ms, paymentIntent: payment });
    await create(payment, `stale ${ms}`);
    const [received] = await receiver.arrived(payment, 2);
    const seconds = Number(/^t=(\d+)/.exec(received?.signature ?? '')?.[1]);
    expect(Math.abs(Date.now() - ms - seconds * 1000)).toBeLessThan(5000);
  });

  it('delay sends the webhook later', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'webhook', do: 'delay', ms: 3_600_000, times: 2, paymentIntent: payment });
    await create(payment, 'later');
    expect(receiver.about(payment)).toEqual([]);
    await fake.control('/clock', { advanceMs: 3_600_000 });
    await receiver.arrived(payment, 2);
  });
});

describe('signatures', () => {
  it('are of the machine’s time however far the fake’s clock is, since receivers judge by theirs', async () => {
    await fake.control('/clock', { advanceMs: 40 * 24 * 3_600_000 });
    const payment = await fake.payment();
    await create(payment, 'far away');
    const received = await receiver.arrived(payment, 2);
    expect(received.every(({ genuine }) => genuine)).toBe(true);
    expect((received[0]?.event.created ?? 0) * 1000 - Date.now()).toBeGreaterThan(39 * 24 * 3_600_000);
  });
});
