import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptReasons } from '../outbox-interface.ts';
import { historyOf } from '../queue/entry-history.ts';
import type { Entry } from '../queue/stored-rows.ts';
import { chooseBatch, firstCommands, mostCharacters, mostCommands, sizeAfter } from './batch-size.ts';
import type { BatchMet } from './batch-size.ts';
import type { PlannedEntry } from './send-plan.ts';

const planned = (operationId: string, change: Partial<Entry> = {}, isSuspect = false): PlannedEntry => {
  const entry = { key: `${operationId}/propose/1`, operationId, protocol: 1, body: '{}', ...change } as Entry;
  const record = { entry, log: [], logCount: 0 };
  return { record, history: historyOf({ log: [], logCount: 0 }), blockedBy: null, dueAtMs: null, isSuspect };
};

const operationsOf = (batch: readonly PlannedEntry[]): string[] =>
  batch.map(({ record }) => record.entry.operationId);

// Red when: `sizeAfter` lets a trouble grow it, or ends above one for a trouble that goes on.
describe('how many commands go in one request', () => {
  const met: fc.Arbitrary<BatchMet> = fc.oneof(
    fc.record({
      kind: fc.constant('answered' as const),
      commandCount: fc.integer({ min: 1, max: mostCommands }),
      isQuick: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('trouble' as const),
      commandCount: fc.integer({ min: 1, max: mostCommands }),
      reason: fc.constantFrom(...keptReasons),
    }),
  );

  it('is always between one and what the server takes', () => {
    fc.assert(
      fc.property(fc.array(met), (all) => {
        const size = all.reduce(sizeAfter, firstCommands);
        expect(size).toBeGreaterThanOrEqual(1);
        expect(size).toBeLessThanOrEqual(mostCommands);
      }),
    );
  });

  it.each(['too-large', 'not-understood', 'server-trouble', 'timed-out', 'foreign-answer'] as const)(
    'is halved by %s, down to one alone',
    (reason) => {
      const sizes = [400];
      while ((sizes.at(-1) ?? 1) > 1) {
        const size = sizes.at(-1) ?? 1;
        sizes.push(sizeAfter(size, { kind: 'trouble', commandCount: size, reason }));
      }
      expect(sizes).toEqual([400, 200, 100, 50, 25, 12, 6, 3, 1]);
    },
  );

  it('is one after the connection was gone, and grows by what was answered quickly', () => {
    let size = sizeAfter(400, { kind: 'trouble', commandCount: 400, reason: 'unreachable' });
    expect(size).toBe(1);
    size = sizeAfter(size, { kind: 'answered', commandCount: size, isQuick: true });
    expect(size).toBe(4);
    expect(sizeAfter(size, { kind: 'answered', commandCount: size, isQuick: false })).toBe(4);
    expect(sizeAfter(size, { kind: 'answered', commandCount: 1, isQuick: true })).toBe(4);
  });
});

// Red when: any of the conditions in `chooseBatch` is left out.
describe('which commands go in one request', () => {
  it('as many as it may carry, in order', () => {
    expect(
      operationsOf(
        chooseBatch(
          ['a', 'b', 'c'].map((id) => planned(id)),
          2,
        ),
      ),
    ).toEqual(['a', 'b']);
    expect(chooseBatch([], 5)).toEqual([]);
  });

  it('never two of one operation', () => {
    const cancel = planned('a', { key: 'a/cancel/c1' });
    expect(operationsOf(chooseBatch([planned('a'), cancel, planned('b')], 9))).toEqual(['a', 'b']);
  });

  it('never two versions of the wire', () => {
    const batch = chooseBatch(
      [planned('a', { protocol: 2 }), planned('b'), planned('c', { protocol: 2 })],
      9,
    );
    expect(operationsOf(batch)).toEqual(['a', 'c']);
  });

  it('never one that failed by itself beside one that did not', () => {
    expect(operationsOf(chooseBatch([planned('a'), planned('b', {}, true)], 9))).toEqual(['a']);
  });

  it('no more bytes than are well under the server’s limit, but always one', () => {
    const huge = { body: 'x'.repeat(mostCharacters + 1) };
    expect(operationsOf(chooseBatch([planned('a', huge), planned('b')], 9))).toEqual(['a']);
    expect(operationsOf(chooseBatch([planned('a'), planned('b', huge), planned('c')], 9))).toEqual([
      'a',
      'c',
    ]);
  });
});
