import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../src/configuration.ts';
import { type Fault, faultKinds, readFault } from '../src/faults/fault.ts';
import { selectFault } from '../src/faults/select-fault.ts';
import { readJournal } from '../src/ledger/journal-file.ts';
import type { ArmedFault } from '../src/ledger/records.ts';
import { faultWords } from '../src/page/fault-words.ts';
import { judgeKey, keyLifetimeMs } from '../src/stripe/idempotency.ts';
import { listPage } from '../src/stripe/listing.ts';
import { readParameters } from '../src/stripe/parameters.ts';
import { planNext } from '../src/webhooks/delivery-plan.ts';

describe('a list, whatever its length and the size of its pages', () => {
  const rules = { kind: 'refund', url: '/v1/refunds', filters: [] };
  const items = (count: number) =>
    Array.from({ length: count }, (_, place) => ({ id: `re_${place}`, created: place }));
  const pageOf = (all: { id: string; created: number }[], query: string) => {
    const page = listPage(all, readParameters(query), rules, () => true);
    if ('refusal' in page) throw new Error(page.refusal.error.message);
    return page;
  };

  it('is read forwards and backwards without a gap or a double', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 100 }), (count, limit) => {
        const all = items(count);
        const forwards: string[] = [];
        for (let cursor = ''; ; cursor = `&starting_after=${forwards.at(-1)}`) {
          const page = pageOf(all, `limit=${limit}${cursor}`);
          forwards.push(...page.data.map(({ id }) => id));
          if (!page.has_more) break;
        }
        expect(forwards).toEqual(all.map(({ id }) => id));
        const last = all.at(-1)?.id;
        const backwards: string[] = last === undefined ? [] : [last];
        while (backwards.length > 0) {
          const page = pageOf(all, `limit=${limit}&ending_before=${backwards[0]}`);
          backwards.unshift(...page.data.map(({ id }) => id));
          if (!page.has_more) break;
        }
        expect(backwards).toEqual(forwards);
      }),
    );
  });
});

describe('a key', () => {
  const record = {
    key: 'k',
    fingerprint: 'f',
    answer: { status: 200, body: '' },
    requestId: 'r',
    receivedMs: 1000,
  };
  const judge = (fingerprint: string, nowMs: number, inFlight?: string) =>
    judgeKey({ key: 'k', fingerprint, recorded: record, inFlight, nowMs }).is;

  it('binds for exactly 24 hours', () => {
    expect(judge('f', 1000 + keyLifetimeMs - 1)).toBe('replay');
    expect(judge('other', 1000 + keyLifetimeMs - 1)).toBe('mismatch');
    expect(judge('f', 1000 + keyLifetimeMs)).toBe('fresh');
    expect(judge('other', 1000 + keyLifetimeMs)).toBe('fresh');
  });

  it('in flight is in use for the same request and a mismatch for another', () => {
    expect(judge('f', 1000, 'f')).toBe('in_flight');
    expect(judge('other', 1000, 'f')).toBe('mismatch');
  });
});

describe('choosing a fault', () => {
  const arm = (id: string, input: Record<string, unknown>, seen = 0): ArmedFault => {
    const read = readFault(input);
    if ('problem' in read) throw new Error(read.problem);
    return { id, fault: read.fault, timesLeft: read.fault.times, seen, hits: 0, armedMs: 0 };
  };
  const call = { on: 'refund.create', paymentIntent: 'pi_1' } as const;

  it('takes the oldest that matches, and leaves those behind it uncounted', () => {
    const armed = [
      arm('other call', { on: 'refund.list', do: 'drop_before' }),
      arm('other payment', { on: 'refund.create', do: 'drop_before', paymentIntent: 'pi_2' }),
      arm('chosen', { on: 'any', do: 'drop_before' }),
      arm('behind', { on: 'refund.create', do: 'drop_before' }),
    ];
    const { fault, counted } = selectFault(armed, call, ['drop_before']);
    expect(fault?.on).toBe('any');
    expect(counted).toEqual([{ kind: 'fault.counted', id: 'chosen', hit: true }]);
  });

  it('counts one that lets the call pass, and goes on to the next', () => {
    const armed = [
      arm('passes', { on: 'refund.create', do: 'drop_before', every: 2 }),
      arm('hits', { on: 'refund.create', do: 'drop_before', every: 3 }, 2),
    ];
    expect(selectFault(armed, call, ['drop_before']).counted).toEqual([
      { kind: 'fault.counted', id: 'passes', hit: false },
      { kind: 'fault.counted', id: 'hits', hit: true },
    ]);
  });

  it('never strikes a webhook with a fault on any call', () => {
    const armed = [arm('any', { on: 'any', do: 'delay', ms: 1 })];
    expect(selectFault(armed, { on: 'webhook', paymentIntent: null }, ['delay']).fault).toBeNull();
  });
});

describe('every fault', () => {
  it.each(faultKinds.map((kind) => [kind]))('%s can be armed with what the page offers for it', (kind) => {
    // What is left empty on the page is not sent.
    const fields = faultWords[kind].fields.flatMap(({ name, value }) =>
      value === '' ? [] : [[name, name === 'then' ? value : Number(value)]],
    );
    const targets = ['refund.create', 'webhook'] satisfies Fault['on'][];
    const reads = targets.map((on) => readFault({ on, do: kind, ...Object.fromEntries(fields) }));
    expect(reads.some((read) => 'fault' in read)).toBe(true);
  });
});

describe('the journal', () => {
  it('loses a half line at its end and nothing else, wherever it was cut', () => {
    const whole = '[{"kind":"clock.moved","byMs":1}]\n[{"kind":"clock.moved","byMs":2}]\n';
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const { lines, completeBytes } = readJournal(whole.slice(0, cut));
      expect(lines).toHaveLength(whole.slice(0, cut).split('\n').length - 1);
      expect(whole.slice(0, completeBytes).endsWith('\n') || completeBytes === 0).toBe(true);
    }
  });

  it('damaged in the middle stops the start and names the line', () => {
    expect(() => readJournal('[]\n{oops\n[]\n')).toThrow(/line 2/);
  });
});

describe('delivering an event', () => {
  const delivery = { event: 'e', state: 'due', dueMs: 0, copiesLeft: 1, beforeResponse: false } as const;
  const attempt = { atMs: 0, status: 500, problem: null, tookMs: 1, note: null };
  const after = (attempts: number) =>
    planNext({ ...delivery, attempts: Array.from({ length: attempts }, () => attempt) }, 500, 0);

  it('backs off from half a second to a minute, and gives up at the hundredth attempt', () => {
    const pauses = [0, 1, 2, 3, 4, 5, 6, 7].map((attempts) => after(attempts).dueMs);
    expect(pauses).toEqual([500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 60_000]);
    expect([after(98).state, after(99).state]).toEqual(['due', 'given_up']);
  });

  it('is over with any 2xx, and with nothing else', () => {
    const state = (status: number | null) => planNext({ ...delivery, attempts: [] }, status, 0).state;
    expect([200, 204, 299].map(state)).toEqual(['delivered', 'delivered', 'delivered']);
    expect([null, 199, 301, 400, 500].map(state)).toEqual(['due', 'due', 'due', 'due', 'due']);
  });
});

describe('the configuration', () => {
  it('has defaults, and an empty value counts as unset', () => {
    expect(readConfiguration({ FAKE_STRIPE_PORT: '' })).toEqual({
      configuration: {
        host: '127.0.0.1',
        port: 4781,
        dataFolder: '.holdfast/fake-stripe',
        webhook: null,
        stopsWithStandardInput: false,
      },
    });
  });

  it.each([
    ['FAKE_STRIPE_PORT', '70000'],
    ['HOST', '0.0.0.0'],
    ['FAKE_STRIPE_WEBHOOK_URL', 'nowhere'],
    ['FAKE_STRIPE_STOP_WITH_STDIN', 'perhaps'],
  ])('names %s when it cannot be used', (name, value) => {
    expect(readConfiguration({ [name]: value })).toEqual({ problem: expect.stringContaining(name) });
  });
});
