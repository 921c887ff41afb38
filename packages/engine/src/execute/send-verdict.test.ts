import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { operationStates } from '@holdfast/operation';
import { judgeBeforeSend, type BeforeSendFacts } from './send-verdict.ts';

const factsArbitrary: fc.Arbitrary<BeforeSendFacts> = fc.record({
  nowMs: fc.nat(1_000_000),
  state: fc.constantFrom(...operationStates),
  fence: fc.nat(5),
  leaseUntilMs: fc.option(fc.nat(1_000_000)),
  replayDeadlineMs: fc.option(fc.nat(1_000_000)),
  onHold: fc.boolean(),
});

describe('right before the first byte', () => {
  test('nothing is sent unless the claim is still ours, off hold, and a resubmission inside its window', () => {
    // Red when: the fence, the hold or the deadline is not looked at in `judgeBeforeSend`.
    fc.assert(
      fc.property(factsArbitrary, fc.boolean(), (facts, firstSend) => {
        const verdict = judgeBeforeSend(facts, { fence: 3, firstSend }, 10_000);
        if (verdict.kind === 'stop') return;
        expect(facts.state).toBe('submitting');
        expect(facts.fence).toBe(3);
        expect(facts.onHold).toBe(false);
        if (!firstSend) expect(facts.nowMs).toBeLessThan(facts.replayDeadlineMs ?? 0);
      }),
      { numRuns: 5_000 },
    );
  });

  test('a request always ends inside its lease', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000_000),
        fc.nat(100_000),
        fc.integer({ min: 1, max: 60_000 }),
        (nowMs, leaseLeftMs, timeoutMs) => {
          const leaseUntilMs = nowMs + leaseLeftMs;
          const facts = {
            nowMs,
            state: 'submitting',
            fence: 1,
            leaseUntilMs,
            replayDeadlineMs: null,
            onHold: false,
          } as const;
          const verdict = judgeBeforeSend(facts, { fence: 1, firstSend: true }, timeoutMs);
          if (verdict.kind === 'send') expect(nowMs + verdict.timeoutMs).toBeLessThan(leaseUntilMs);
        },
      ),
    );
  });

  // Red when: nothing is kept free of a lease shorter than four milliseconds. Found by the property above.
  test('a request that would end with its lease, to the millisecond, is not sent', () => {
    const facts = { nowMs: 0, state: 'submitting', fence: 1, replayDeadlineMs: null, onHold: false } as const;
    for (const leaseUntilMs of [1, 2, 3]) {
      const verdict = judgeBeforeSend(
        { ...facts, leaseUntilMs },
        { fence: 1, firstSend: true },
        leaseUntilMs,
      );
      expect(verdict).toEqual({ kind: 'stop', because: 'lease-too-short' });
    }
  });
});
