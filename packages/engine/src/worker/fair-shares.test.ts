import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inTurn, shareOfRoom } from './fair-shares.ts';

/** Passes over organisations of which some always have more work than there is room for. */
const takenIn = (backlogs: readonly number[], width: number, passes: number): number[] => {
  const left = [...backlogs];
  const taken = backlogs.map(() => 0);
  for (let turn = 0; turn < passes; turn += 1) {
    let room = width;
    const waiting = inTurn(
      [...left.keys()].filter((one) => (left[one] ?? 0) > 0),
      turn,
    );
    waiting.forEach((one, index) => {
      const some = Math.min(shareOfRoom(room, waiting.length - index), left[one] ?? 0);
      room -= some;
      left[one] = (left[one] ?? 0) - some;
      taken[one] = (taken[one] ?? 0) + some;
    });
  }
  return taken;
};

// Red when: every pass begins with the same one, and it is given all the room.
test('an organisation with little work is served within as many passes as there are organisations, whatever the others have', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 19 }),
      fc.integer({ min: 1, max: 128 }),
      (many, place, width) => {
        const backlogs = Array.from({ length: many }, (_, one) => (one === place % many ? 1 : 1_000_000));
        expect(takenIn(backlogs, width, many)[place % many]).toBe(1);
      },
    ),
  );
});

// Red when: the first organisation is given all the room.
test('in one pass everybody gets a part', () => {
  expect(takenIn([1_000, 1, 1_000], 64, 1)).toEqual([21, 1, 42]);
});

// Red when: what one organisation leaves of its share is given to nobody.
test('room that the others do not need is used up', () => {
  expect(takenIn([1, 1, 1_000], 64, 1)).toEqual([1, 1, 62]);
  expect(shareOfRoom(0, 3)).toBe(0);
  expect(inTurn([], 5)).toEqual([]);
});
