import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { StartedFake } from './started-fake.ts';
import { until } from './until.ts';
import { WebhookReceiver, webhookSecret } from './webhook-receiver.ts';

let fake = new StartedFake();
const receiver = new WebhookReceiver();
afterEach(async () => {
  await fake.discard();
  await receiver.stop();
  fake = new StartedFake();
});

const create = (payment: string, key: string) =>
  fake.raw('/v1/refunds', { payment_intent: payment, amount: '100' }, key);

describe('after SIGKILL and a restart', () => {
  it('the ledger and the keys are still there, also of an answer that nobody heard', async () => {
    await fake.start();
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'execute_then_drop' });
    await expect(create(payment, 'unheard')).rejects.toThrow();
    const before = await fake.control('/ledger');
    await fake.end('SIGKILL');
    await fake.start();
    expect(await fake.control('/ledger')).toMatchObject({
      refunds: (before as { refunds: unknown }).refunds,
    });
    const again = await create(payment, 'unheard');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(await fake.refundsOf(payment)).toHaveLength(1);
  });

  it('every acknowledged refund of a storm is there, once, whenever the kill came', async () => {
    await fake.start();
    const payment = await fake.payment(1_000_000);
    const acknowledged: string[] = [];
    const storm = Array.from({ length: 40 }, async (_, writer) => {
      for (let round = 0; round < 50; round += 1) {
        const answer = await create(payment, `${writer}.${round}`);
        acknowledged.push(((await answer.json()) as { id: string }).id);
      }
    });
    const ended = Promise.allSettled(storm);
    await until(() => (acknowledged.length > 100 ? true : null));
    await fake.end('SIGKILL');
    await ended;
    await fake.start();
    const kept = (await fake.refundsOf(payment)).map(({ id }) => id);
    expect(acknowledged.filter((id) => !kept.includes(id))).toEqual([]);
    expect(new Set(kept).size).toBe(kept.length);
    for (const writer of [0, 1, 2]) {
      expect((await create(payment, `${writer}.0`)).headers.get('idempotent-replayed')).toBe('true');
    }
  });

  it('half a line at the end of the journal is nobody’s answer and is cut off', async () => {
    await fake.start();
    const payment = await fake.payment();
    await create(payment, 'whole');
    await fake.end('SIGKILL');
    appendFileSync(join(fake.dataFolder, 'journal.jsonl'), '[{"kind":"refund.created","refund":{"id":"re_ha');
    await fake.start();
    expect(await fake.refundsOf(payment)).toHaveLength(1);
    await create(payment, 'after');
    await fake.end('SIGKILL');
    await fake.start();
    expect(await fake.refundsOf(payment)).toHaveLength(2);
  });

  it('the clock, the faults and what they have planned go on', async () => {
    await fake.start();
    const payment = await fake.payment();
    await fake.control('/clock', { advanceMs: 7_200_000 });
    await fake.arm({ on: 'refund.create', do: 'pending_then', ms: 3_600_000 });
    await fake.arm({ on: 'refund.list', do: 'rate_limit', times: 2 });
    await create(payment, 'planned');
    await fake.raw('/v1/refunds');
    await fake.end('SIGKILL');
    await fake.start();
    expect(await fake.control('/clock')).toMatchObject({ offsetMs: 7_200_000 });
    expect(await fake.control('/faults')).toMatchObject({ faults: [{ do: 'rate_limit', times_left: 1 }] });
    expect((await fake.refundsOf(payment))[0]?.status).toBe('pending');
    await fake.control('/clock', { advanceMs: 3_600_000 });
    await until(async () => ((await fake.refundsOf(payment))[0]?.status === 'succeeded' ? true : null));
  });

  it('webhooks that did not arrive are sent, those that did are not', async () => {
    await receiver.start();
    const environment = { FAKE_STRIPE_WEBHOOK_URL: receiver.url, FAKE_STRIPE_WEBHOOK_SECRET: webhookSecret };
    await fake.start(environment);
    const arrived = await fake.payment();
    await create(arrived, 'arrived');
    await receiver.arrived(arrived, 2);
    const stripe = fake.stripe();
    await until(async () =>
      (await stripe.events.list({ delivery_success: false })).data.length === 0 ? true : null,
    );
    await receiver.stop();
    const lost = await fake.payment();
    await create(lost, 'lost');
    await fake.end('SIGKILL');
    await receiver.start();
    await fake.start(environment);
    await receiver.arrived(lost, 2);
    expect(receiver.about(arrived)).toHaveLength(2);
  });

  it('an endpoint set at run time is remembered', async () => {
    await fake.start();
    await receiver.start();
    await fake.control('/webhook_endpoint', { url: receiver.url, secret: webhookSecret });
    await fake.end('SIGKILL');
    await fake.start();
    const payment = await fake.payment();
    await create(payment, 'remembered');
    expect((await receiver.arrived(payment, 2))[0]?.genuine).toBe(true);
  });
});

describe('a stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('by %s ends with 0, also while an answer hangs', async (signal) => {
    await fake.start();
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'execute_then_hang' });
    const hanging = create(payment, 'hanging').catch(() => 'cut');
    await until(async () => ((await fake.refundsOf(payment)).length === 1 ? true : null));
    expect(await fake.end(signal)).toBe(0);
    expect(await hanging).toBe('cut');
  });
});

describe('a start', () => {
  it.each([
    ['FAKE_STRIPE_PORT', 'many'],
    ['HOST', '0.0.0.0'],
    ['FAKE_STRIPE_WEBHOOK_URL', 'http://127.0.0.1:1/'],
  ])('with an impossible %s fails with 1 and does not listen', async (name, value) => {
    await expect(fake.start({ [name]: value, FAKE_STRIPE_QUIET: 'on' })).rejects.toThrow(/ended with 1/);
  });

  it('on a port that is taken fails and leaves the journal of the first alone', async () => {
    await fake.start();
    const second = new StartedFake();
    await expect(second.start({ FAKE_STRIPE_PORT: String(fake.port) })).rejects.toThrow(/ended with 1/);
    await second.discard();
    const payment = await fake.payment();
    expect((await create(payment, 'undisturbed')).status).toBe(200);
  });
});
