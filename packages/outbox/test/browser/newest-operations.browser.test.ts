import type { Operation, OperationState } from '@holdfast/operation';
import { afterEach, describe, expect, it } from 'vitest';
import { browserMintId } from '../../src/browser/browser-world.ts';
import { CacheDatabase } from '../../src/browser/cache-database.ts';
import { CacheReads } from '../../src/browser/cache-reads.ts';
import { DexieCacheStore } from '../../src/browser/dexie-cache-store.ts';
import type { LiveQuery } from '../../src/live-query.ts';
import { isAskedFor, newestFirst, seenOperation } from '../../src/read/seen-operation.ts';
import { createMint, sampleOperation } from '../samples.ts';

type OperationsQuery = Extract<LiveQuery, { of: 'operations' }>;

const states: readonly OperationState[] = ['proposed', 'approved', 'outcome_unknown', 'confirmed'];
const mint = createMint();
/** More than two pages. */
const all: readonly Operation[] = Array.from({ length: 2_300 }, (_, at) =>
  sampleOperation(mint(), {
    state: states[at % states.length] ?? 'proposed',
    needsPerson: at % 7 === 0,
    orderId: `order-${at % 40}`,
    ticketId: at % 3 === 0 ? `ticket-${at % 30}` : null,
    note: at % 500 === 0 ? 'A rare word' : null,
  }),
);

let database: CacheDatabase | undefined;
afterEach(async () => {
  await database?.delete();
});

const opened = async (): Promise<{ reads: CacheReads; rowsRead: () => number }> => {
  database = new CacheDatabase(`newest-${browserMintId()}`);
  await database.open();
  const shuffled = [...all.filter((_, at) => at % 2 === 0), ...all.filter((_, at) => at % 2 === 1)];
  await new DexieCacheStore(database, browserMintId).applyOperations(shuffled, 0);
  let rows = 0;
  database.operations.hook('reading', (row) => {
    rows += 1;
    return row;
  });
  return { reads: new CacheReads(database), rowsRead: () => rows };
};

const expected = (query: OperationsQuery, limit: number): string[] =>
  all
    .flatMap((operation) => seenOperation(operation.id, operation, []) ?? [])
    .filter((seen) => isAskedFor(seen, query))
    .sort(newestFirst)
    .slice(0, limit)
    .map(({ operationId }) => operationId);

describe('lists of what the server told', () => {
  // Red when: a page begins with the row that the one before ended with, the last page is left out, or an index is not in the order of IDs.
  it.each<[OperationsQuery, number]>([
    [{ of: 'operations' }, 100],
    [{ of: 'operations' }, 5_000],
    [{ of: 'operations', states: ['outcome_unknown'] }, 150],
    [{ of: 'operations', states: ['proposed', 'approved'] }, 1_000],
    [{ of: 'operations', states: ['proposed', 'confirmed'], needsPerson: true }, 30],
    [{ of: 'operations', needsPerson: true }, 5_000],
    [{ of: 'operations', needsPerson: false }, 120],
    [{ of: 'operations', orderId: 'order-7' }, 10],
    [{ of: 'operations', ticketId: 'ticket-3', states: ['confirmed'] }, 10],
    [{ of: 'operations', text: 'rare' }, 3],
    [{ of: 'operations', text: 'rare' }, 50],
  ])('%o, at most %i, newest first', async (query, limit) => {
    const { reads } = await opened();
    const found = (await reads.operations(query, limit)).map(({ id }) => id);
    expect(new Set(found).size).toBe(found.length);
    const newest = found.toSorted().reverse().slice(0, limit);
    expect(newest).toEqual(expected(query, limit));
  });

  // Red when: a list reads the whole cache.
  it('a list of a hundred reads a hundred rows', async () => {
    const { reads, rowsRead } = await opened();
    await reads.operations({ of: 'operations' }, 100);
    expect(rowsRead()).toBe(100);
    await reads.operations({ of: 'operations', states: ['confirmed'] }, 100);
    expect(rowsRead()).toBe(200);
  });
});
