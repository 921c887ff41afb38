import type { Operation } from '@holdfast/operation';
import { Dexie } from 'dexie';
import type { LiveQuery } from '../live-query.ts';
import { isAskedFor, seenOperation } from '../read/seen-operation.ts';
import type { CacheDatabase, CachedOperation } from './cache-database.ts';

type OperationsQuery = Extract<LiveQuery, { of: 'operations' }>;

/** The rows of some part of the cache whose ID is before this one, newest first. */
type Part = {
  readonly from: (beforeId: string, limit: number) => PromiseLike<CachedOperation[]>;
  /** Read to its end at once: it is a handful. */
  readonly isSmall?: boolean;
};

const largestPage = 1_000;
const smallestPage = 100;

/** IDs are UUIDv7, so their order is the order of the lists, and it is the order of every index that ends in them. */
const partsOf = ({ operations }: CacheDatabase, query: OperationsQuery): readonly Part[] => {
  const { orderId, ticketId, states, needsPerson } = query;
  const whole = (index: string, value: string): Part => ({
    isSmall: true,
    from: async () => (await operations.where(index).equals(value).sortBy('id')).reverse(),
  });
  const under = (index: string, value: string | number): Part => ({
    from: (beforeId, limit) =>
      operations
        .where(index)
        .between([value, Dexie.minKey], [value, beforeId], true, false)
        .reverse()
        .limit(limit)
        .toArray(),
  });
  if (orderId !== undefined) return [whole('orderId', orderId)];
  if (ticketId !== undefined) return [whole('ticketId', ticketId)];
  if (states !== undefined) return states.map((state) => under('[state+id]', state));
  if (needsPerson === true) return [under('[needsPerson+id]', 1)];
  return [
    { from: (beforeId, limit) => operations.where('id').below(beforeId).reverse().limit(limit).toArray() },
  ];
};

const newestOfPart = async (
  part: Part,
  isWanted: (operation: Operation) => boolean,
  limit: number,
): Promise<Operation[]> => {
  const found: Operation[] = [];
  const page = Math.min(Math.max(limit, smallestPage), largestPage);
  let beforeId = '\uffff';
  for (;;) {
    const rows = await part.from(beforeId, page);
    for (const { body } of rows) if (isWanted(body)) found.push(body);
    const last = rows.at(-1);
    if (last === undefined || part.isSmall === true || rows.length < page) return found;
    if (found.length >= limit) return found.slice(0, limit);
    beforeId = last.id;
  }
};

/**
 * At least the newest so many that the query asks for by what the server told of them. A list reads as many rows as it
 * shows, where it looks for no text: an open one must not read the whole cache anew with each change.
 */
export const newestOperations = (
  database: CacheDatabase,
  query: OperationsQuery,
  limit: number,
): Promise<readonly Operation[]> => {
  const isWanted = (operation: Operation): boolean => {
    const seen = seenOperation(operation.id, operation, []);
    return seen !== null && isAskedFor(seen, query);
  };
  return database.transaction('r', database.operations, async () => {
    const found: Operation[] = [];
    for (const part of partsOf(database, query)) found.push(...(await newestOfPart(part, isWanted, limit)));
    return found;
  });
};
