import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterRefusal, freshBudget, takeSlice, type AccountBudget, type Slice } from './account-budget.ts';

const startMs = 1_000_000_000;
const nothing = { made: 0, wentWell: false };

const afterFirstRefusal = (made: number, nowMs = startMs + 1_000): AccountBudget => {
  const seen = takeSlice(freshBudget, startMs, { made: 0, wentWell: false }).budget;
  const refused = { because: 'rate-limited', retryAfterMs: null } as const;
  return afterRefusal(seen, nowMs, refused, { made, wentWell: false });
};

/** Several processes that always want more, each taking its next slice when the last one is used up. */
const slotsOf = (before: AccountBudget, fromMs: number, forMs: number, processes: number): number[] => {
  let budget = before;
  const slots: number[] = [];
  for (let nowMs = fromMs; nowMs < fromMs + forMs; nowMs += 50) {
    for (let one = 0; one < processes; one += 1) {
      const taken = takeSlice(budget, nowMs, nothing);
      budget = taken.budget;
      if (taken.slice.kind === 'slots') slots.push(...taken.slice.atMs);
    }
  }
  return slots.sort((one, other) => one - other);
};

describe('the shared budget of an account', () => {
  test('nothing is limited until the provider has said "too many"', () => {
    // Red when: a fresh budget has a pace of its own.
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { minLength: 1, maxLength: 20 }), (made) => {
        let budget = freshBudget;
        made.forEach((count, index) => {
          const taken = takeSlice(budget, startMs + index * 250, { made: count, wentWell: true });
          expect(taken.slice.kind).toBe('free');
          budget = taken.budget;
        });
      }),
    );
  });

  test('however many processes take slots, no second holds more than the pace, and none is handed out twice', () => {
    // Red when: `nextSlotMs` is left out of where a slice starts.
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 400 }), fc.integer({ min: 1, max: 6 }), (made, processes) => {
        const budget = afterFirstRefusal(made);
        const pace = budget.perSecond ?? Number.NaN;
        const fromMs = budget.pausedUntilMs;
        const slots = slotsOf(budget, fromMs, 900, processes);
        const apart = slots.map((slot, index) => slot - (slots[index - 1] ?? Number.NEGATIVE_INFINITY));
        // It grows by a tenth a second at most.
        for (const distance of apart) expect(distance).toBeGreaterThan(1_000 / (pace * 1.15) - 0.001);
      }),
      { numRuns: 50 },
    );
  });

  test('a time that the provider names holds everybody back until then, and is never made shorter', () => {
    // Red when: a later refusal without a time overwrites the pause.
    fc.assert(
      fc.property(
        fc.array(fc.record({ afterMs: fc.nat(3_000), retryAfterMs: fc.option(fc.nat(90_000)) }), {
          minLength: 1,
          maxLength: 12,
        }),
        (refusals) => {
          let budget = freshBudget;
          let nowMs = startMs;
          let wishMs = 0;
          for (const { afterMs, retryAfterMs } of refusals) {
            nowMs += afterMs;
            budget = afterRefusal(budget, nowMs, { because: 'rate-limited', retryAfterMs }, nothing);
            wishMs = Math.max(wishMs, nowMs + (retryAfterMs ?? 0));
            expect(budget.pausedUntilMs).toBeGreaterThanOrEqual(wishMs);
          }
          const { slice } = takeSlice(budget, wishMs - 1, { made: 0, wentWell: true });
          if (wishMs > nowMs) expect(slice.kind).toBe('paused');
        },
      ),
    );
  });

  // Red when: the provider's wish has no bound.
  test('a time that lies years ahead holds nobody back for longer than a day', () => {
    const refused = { because: 'rate-limited', retryAfterMs: 8_000 * 365 * 86_400_000 } as const;
    const budget = afterRefusal(freshBudget, startMs, refused, nothing);
    expect(takeSlice(budget, startMs + 86_400_000 - 1, nothing).slice.kind).toBe('paused');
    expect(takeSlice(budget, startMs + 86_400_000, nothing).slice.kind).not.toBe('paused');
  });

  test('requests that were under way together and are all refused lower the pace once', () => {
    // Red when: `isOfTheLastOne` is not asked.
    const once = afterFirstRefusal(100);
    const refused = { because: 'rate-limited', retryAfterMs: null } as const;
    const again = afterRefusal(once, startMs + 1_400, refused, nothing);
    expect(again.perSecond).toBe(once.perSecond);
    expect(again.refusalsInRow).toBe(1);
  });

  test('a refused key pauses everybody and says nothing about the pace', () => {
    // Red when: every refusal lowers the pace.
    const budget = afterRefusal(
      freshBudget,
      startMs,
      { because: 'key-refused', retryAfterMs: null },
      nothing,
    );
    expect(budget.perSecond).toBeNull();
    expect(takeSlice(budget, startMs + 1, nothing).slice.kind).toBe('paused');
  });

  test('against any steady limit the pace settles close below it, with few refusals, and frees itself once it is lifted', () => {
    // Red when: the pace never grows, or grows near the limit as quickly as far below it.
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 200 }), fc.integer({ min: 1, max: 4 }), (limit, processes) => {
        let budget = freshBudget;
        let passed: number[] = [];
        let refusals = 0;
        let done = 0;
        const request = (atMs: number): void => {
          passed = passed.filter((time) => time > atMs - 1_000);
          if (passed.length < limit) {
            passed.push(atMs);
            done += 1;
            return;
          }
          refusals += 1;
          budget = afterRefusal(budget, atMs, { because: 'rate-limited', retryAfterMs: null }, nothing);
        };
        const endMs = startMs + 60_000;
        for (let nowMs = startMs; nowMs < endMs; nowMs += 50) {
          for (let one = 0; one < processes; one += 1) {
            const { budget: next, slice } = takeSlice(budget, nowMs, { made: 20, wentWell: true });
            budget = next;
            const times: readonly number[] = slice.kind === 'slots' ? slice.atMs : [];
            const made = slice.kind === 'free' ? Array.from({ length: 20 }, () => nowMs) : times;
            for (const atMs of made) request(Math.max(nowMs, atMs));
          }
        }
        expect(done).toBeGreaterThan(0.6 * limit * 60);
        expect(refusals).toBeLessThan(0.1 * done + 40);
        let slice: Slice = { kind: 'paused', untilMs: 0, perSecond: null };
        for (let nowMs = endMs + 60_000; slice.kind !== 'free' && nowMs < endMs + 3_600_000; nowMs += 500) {
          ({ budget, slice } = takeSlice(budget, nowMs, { made: 0, wentWell: true }));
        }
        expect(slice.kind).toBe('free');
      }),
      { numRuns: 25 },
    );
  });
});
