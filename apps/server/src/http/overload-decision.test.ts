import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  judgeEntry,
  limitsFor,
  outageOver,
  outageSeen,
  retryAfterSeconds,
  type Outage,
} from './overload-decision.ts';

const startMs = 1_000_000_000;
const chances = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
  minLength: 1,
  maxLength: 50,
});

/** A fleet's chance, spread as chance is. */
const fleet = Array.from({ length: 1_000 }, (_, device) => ((device * 7_919) % 1_000) / 1_000);

const outageOf = (seconds: number): Outage | null =>
  outageSeen(outageSeen(null, startMs), startMs + seconds * 1_000);

describe('who is let in', () => {
  test('never more than the places are in work, never more than the line holds wait, and nobody overtakes', () => {
    // Red when: a free place is given to a newcomer while others wait, or the line has no end.
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 200 }),
        fc.array(fc.boolean(), { maxLength: 400 }),
        (size, moves) => {
          const { request } = limitsFor(size);
          let inWork = 0;
          let waiting = 0;
          for (const arrives of moves) {
            if (arrives) {
              const entry = judgeEntry({ inWork, waiting, first: false }, request);
              if (entry === 'begin') expect(waiting).toBe(0);
              inWork += entry === 'begin' ? 1 : 0;
              waiting += entry === 'wait' ? 1 : 0;
            } else if (inWork > 0) {
              if (waiting > 0) waiting -= 1;
              else inWork -= 1;
            }
            expect(inWork).toBeLessThanOrEqual(Math.max(1, size / 2));
            expect(waiting).toBeLessThanOrEqual(request.waiting);
          }
        },
      ),
    );
  });

  test('every kind of work has a place of its own, however small the pool', () => {
    // Red when: a share of a small pool comes out as none.
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1_000 }), (size) => {
        for (const { inWork } of Object.values(limitsFor(size))) expect(inWork).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});

describe('when those who were turned away come back', () => {
  test('1,000 devices told in the same second after an outage of a minute: no second of the next minute holds more than a small share', () => {
    // Red when: `Retry-After` is the same for everybody, or spread over less than the outage lasted.
    const outage = outageOver(outageOf(60), startMs + 61_000);
    const perSecond = new Map<number, number>();
    for (const chance of fleet) {
      const second = retryAfterSeconds(outage, startMs + 61_000, chance);
      expect(second).toBeGreaterThanOrEqual(1);
      expect(second).toBeLessThanOrEqual(60);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(fleet.length / 50);
  });

  test('without an outage nobody is sent away for more than a few seconds, and never for none', () => {
    // Red when: every 503 asks for a minute.
    fc.assert(
      fc.property(chances, (all) => {
        for (const chance of all) {
          expect(retryAfterSeconds(null, startMs, chance)).toBeGreaterThanOrEqual(1);
          expect(retryAfterSeconds(null, startMs, chance)).toBeLessThanOrEqual(4);
        }
      }),
    );
  });

  test('the spread goes on while what has gathered is caught up with, and is over as long after as the outage lasted', () => {
    // Red when: the first good answer ends the spread, or nothing ever ends it.
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 600 }), (seconds) => {
        const backMs = startMs + seconds * 1_000 + 1;
        const spreadMs = Math.min(60_000, seconds * 1_000);
        const back = outageOver(outageOf(seconds), backMs);
        expect(
          retryAfterSeconds(outageOver(back, backMs + spreadMs / 2), backMs, 0.999),
        ).toBeGreaterThanOrEqual(Math.floor(spreadMs / 1_000));
        expect(outageOver(back, backMs + spreadMs + 1)).toBeNull();
      }),
    );
  });
});
