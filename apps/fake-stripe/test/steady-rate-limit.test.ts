import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isBeyondLimit, noteLetThrough } from '../src/faults/steady-limit.ts';
import { readFault } from '../src/faults/fault.ts';
import { StartedFake } from './started-fake.ts';

const fake = new StartedFake();

beforeAll(() => fake.start());
afterEach(() => fake.clearFaults());
afterAll(() => fake.discard());

const limit = { on: 'refund.create', do: 'rate_limit', perSecond: 2 };
const create = (payment: string, key: string) =>
  fake.raw('/v1/refunds', { payment_intent: payment, amount: '1' }, key);

function armed(perSecond: number) {
  const read = readFault({ ...limit, perSecond });
  if ('problem' in read) throw new Error(read.problem);
  return { id: 'fault_1', fault: read.fault, timesLeft: null, seen: 0, hits: 0, armedMs: 0 };
}

describe('rate_limit with perSecond', () => {
  // Red when: the window starts anew at each whole second, or a refused call takes the place of one let through.
  it('lets through no more than its number in any second, and as many again in the next', () => {
    const passed = new Map<string, number[]>();
    const offered = [0, 0, 600, 900, 999, 1000, 1000, 1599, 1600, 1999, 2000, 2000, 2000];
    const letThrough = offered.filter((nowMs) => {
      const hit = isBeyondLimit(armed(3), passed, nowMs);
      noteLetThrough(passed, [{ id: 'fault_1', hit }], nowMs);
      return !hit;
    });
    expect(letThrough).toEqual([0, 0, 600, 1000, 1000, 1600, 2000, 2000]);
  });

  // Red when: times ahead of a clock that was moved back still count.
  it('forgets what was let through when the clock is moved back', () => {
    const passed = new Map([['fault_1', [5000, 5000, 5000]]]);
    expect([isBeyondLimit(armed(3), passed, 5000), isBeyondLimit(armed(3), passed, 4000)]).toEqual([
      true,
      false,
    ]);
  });

  // Red when: the limit wears out (times 1), or a refused call is carried out all the same.
  it('refuses what goes beyond, does nothing for it, and never wears out', async () => {
    const payment = await fake.payment();
    await fake.arm({ ...limit, perSecond: 1 });
    const statuses = [];
    for (let call = 1; call <= 12; call += 1) statuses.push((await create(payment, `s${call}`)).status);
    expect(statuses[0]).toBe(200);
    expect(statuses.filter((status) => status === 200)).toHaveLength((await fake.refundsOf(payment)).length);
    await fake.control('/clock', { advanceMs: 1000 });
    expect((await create(payment, 'next second')).status).toBe(200);
    expect(await fake.control('/faults')).toMatchObject({ faults: [{ times_left: 'always', seen: 13 }] });
  });

  // Red when: lockTimeoutEvery is ignored, or a lock timeout names a time to come back.
  it('says every so often that the payment is locked, without Retry-After', async () => {
    const payment = await fake.payment();
    await fake.arm({ on: 'refund.create', do: 'rate_limit', retryAfter: 3, lockTimeoutEvery: 3, times: 6 });
    const answers = [];
    for (let call = 1; call <= 7; call += 1) {
      const answer = await create(payment, `l${call}`);
      const body = (await answer.json()) as { error?: { code?: string } };
      answers.push([answer.status, body.error?.code, answer.headers.get('retry-after')]);
    }
    const limited = [429, 'rate_limit', '3'];
    const locked = [429, 'lock_timeout', null];
    expect(answers).toEqual([limited, limited, locked, limited, limited, locked, [200, undefined, null]]);
  });

  // Red when: a limit on one call counts the others.
  it('on refund.create leaves look-ups a budget of their own', async () => {
    const payment = await fake.payment();
    await fake.arm({ ...limit, perSecond: 1 });
    for (let call = 1; call <= 5; call += 1) {
      expect((await fake.raw(`/v1/refunds?payment_intent=${payment}`)).status).toBe(200);
    }
    expect((await create(payment, 'own budget')).status).toBe(200);
  });

  // Red when: the two are armed together, which no call could satisfy as written.
  it('refuses every beside perSecond', async () => {
    const refused = await fake.controlResponse('/faults', { ...limit, every: 2 });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: 'every: not together with perSecond' },
    ]);
  });
});
