import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StartedFake } from './started-fake.ts';

const fake = new StartedFake();

beforeAll(() => fake.start());
afterEach(() => fake.clearFaults());
afterAll(() => fake.discard());

describe('registering payments', () => {
  it('takes one or many, and leaves a known one as it was', async () => {
    const one = { id: 'pi_reg1', amount: 100, currency: 'EUR' };
    expect(await fake.control('/payment_intents', one)).toMatchObject({ registered: 1, known: 0 });
    const two = { id: 'pi_reg2', amount: 200, currency: 'usd', created: 1_700_000_000, charge: 'ch_own' };
    expect(await fake.control('/payment_intents', [{ ...one, amount: 999 }, two])).toMatchObject({
      registered: 1,
      known: 1,
      payment_intents: [
        { id: 'pi_reg1', amount: 100, currency: 'eur', latest_charge: 'ch_reg1' },
        { id: 'pi_reg2', amount: 200, created: 1_700_000_000, latest_charge: 'ch_own' },
      ],
    });
  });

  it('refuses a charge that belongs to another payment', async () => {
    await fake.control('/payment_intents', {
      id: 'pi_first',
      amount: 1,
      currency: 'eur',
      charge: 'ch_shared',
    });
    const input = { id: 'pi_second', amount: 1, currency: 'eur', charge: 'ch_shared' };
    const answer = await fake.controlResponse('/payment_intents', input);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: 'charge: ch_shared belongs to pi_first already' },
    ]);
  });
});

describe('what cannot be used is refused with a line that names the field', () => {
  it.each([
    ['/faults', { on: 'refund.create', do: 'explode' }, /^do: one of drop_before, /],
    ['/faults', { on: 'nowhere', do: 'drop_before' }, /^on: .*refund\.create/],
    ['/faults', { on: 'webhook', do: 'drop_before' }, /^on: drop_before can be on refund\.create/],
    ['/faults', { on: 'refund.create', do: 'hold' }, /^on: hold can be on webhook$/],
    ['/faults', { on: 'refund.create', do: 'delay' }, /^ms: /],
    ['/faults', { on: 'refund.create', do: 'error_before', status: 200 }, /^status: /],
    ['/faults', { on: 'refund.create', do: 'drop_before', times: 0 }, /^times: a whole number/],
    ['/faults', { on: 'refund.create', do: 'drop_before', ms: 5 }, /ms/],
    ['/faults', { on: 'refund.create', do: 'pending_then', then: 'vanished' }, /^then: .*succeeded/],
    ['/payment_intents', { id: 'x', amount: 1, currency: 'eur' }, /id: must look like pi_/],
    ['/payment_intents', [], /./],
    ['/clock', { advanceMs: 'far' }, /advanceMs/],
    ['/refunds', { payment_intent: 'pi_nobody' }, /No such payment_intent/],
    ['/disputes', { payment_intent: 'pi_nobody' }, /^payment_intent: no such payment/],
    ['/webhook_endpoint', { url: 'nowhere' }, /^url: /],
  ])('%s %j', async (path, input, line) => {
    const answer = await fake.controlResponse(path, input);
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: string };
    expect(error).toMatch(line);
  });

  it('also when it is not JSON', async () => {
    const answer = await fetch(`${fake.origin}/fake/faults`, { method: 'POST', body: '{on' });
    expect(answer.status).toBe(400);
  });
});

describe('the controls', () => {
  it('arm, list and take away single faults', async () => {
    const armed = (await fake.arm({ on: 'refund.create', do: 'drop_before', times: 3 })) as { id: string };
    await fake.arm({ on: 'webhook', do: 'hold' });
    expect(await fake.control('/faults')).toMatchObject({
      faults: [{ id: armed.id, on: 'refund.create', do: 'drop_before', times_left: 3 }, { do: 'hold' }],
    });
    expect(await fake.control(`/faults/${armed.id}`, undefined, 'DELETE')).toMatchObject({
      faults: [{ do: 'hold' }],
    });
    expect((await fake.controlResponse('/faults/fault_none', undefined, 'DELETE')).status).toBe(404);
  });

  it('make refunds by hand under the same ceilings, and change them', async () => {
    const payment = await fake.payment(100);
    const refund = (await fake.control('/refunds', {
      payment_intent: payment,
      amount: 60,
      metadata: { a: 'b' },
    })) as {
      id: string;
    };
    expect(refund).toMatchObject({ object: 'refund', amount: 60, metadata: { a: 'b' }, status: 'succeeded' });
    expect((await fake.controlResponse('/refunds', { payment_intent: payment, amount: 41 })).status).toBe(
      400,
    );
    await fake.control(`/refunds/${refund.id}`, { status: 'failed', failure_reason: 'lost_or_stolen_card' });
    const failed = { status: 'failed', failure_reason: 'lost_or_stolen_card' };
    expect(await fake.stripe().refunds.retrieve(refund.id)).toMatchObject(failed);
    expect(await fake.control('/refunds', { payment_intent: payment })).toMatchObject({ amount: 100 });
  });

  it('log what was sent, word for word, and how it was answered', async () => {
    const payment = await fake.payment();
    const form = { payment_intent: payment, 'metadata[note]': 'ä & b' };
    const answer = await fake.raw('/v1/refunds', form, 'logged');
    await fake.raw('/v1/refunds', form, 'logged');
    await fake.arm({ on: 'refund.create', do: 'drop_before' });
    await fake.raw('/v1/refunds', form, 'dropped').catch(() => null);
    const { id } = (await answer.json()) as { id: string };
    const about = { path: '/v1/refunds', body: new URLSearchParams(form).toString() };
    expect((await fake.requests()).slice(-3)).toEqual([
      expect.objectContaining({
        ...about,
        idempotency_key: 'logged',
        status: 200,
        replayed: false,
        refund: id,
      }),
      expect.objectContaining({
        ...about,
        idempotency_key: 'logged',
        status: 200,
        replayed: true,
        refund: null,
      }),
      expect.objectContaining({
        ...about,
        idempotency_key: 'dropped',
        status: 'dropped',
        fault: 'drop_before',
      }),
    ]);
  });

  it('move the clock forward and back to real time', async () => {
    expect(await fake.control('/clock', { advanceMs: 1000 })).toMatchObject({ offsetMs: 1000 });
    expect(await fake.control('/clock', { advanceMs: 500 })).toMatchObject({ offsetMs: 1500 });
    expect(await fake.control('/clock', { reset: true })).toMatchObject({ offsetMs: 0 });
  });

  it('count the calls, so that a test can see who asks too often', async () => {
    await fake.raw('/v1/refunds?limit=1');
    const { requests } = (await fake.control('/ledger')) as { requests: { calls: Record<string, number> } };
    expect(requests.calls['GET /v1/refunds']).toBeGreaterThan(0);
  });

  it.each([
    ['a foreign origin', { origin: 'https://elsewhere.example' }],
    ['an opaque origin', { origin: 'null' }],
  ])('do not answer to %s', async (_, headers) => {
    const answer = await fetch(`${fake.origin}/fake/faults`, { method: 'DELETE', headers });
    expect(answer.status).toBe(403);
  });
});
