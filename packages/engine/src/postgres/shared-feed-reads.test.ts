import { expect, test } from 'vitest';
import type { FeedBatch, FeedChange } from '../engine-interface.ts';
import { sharedFeedReads } from './shared-feed-reads.ts';

/** Reads that begin and end when the test says so. */
const house = () => {
  const begins: (() => void)[] = [];
  const ends: ((batch: FeedBatch) => void)[] = [];
  const places: string[] = [];
  const read = sharedFeedReads(
    (organisationId, cursor) => {
      places.push(`${organisationId} ${cursor}`);
      return new Promise((resolve) => {
        ends.push(resolve);
      });
    },
    (begin) => begins.push(begin),
  );
  const begin = async (): Promise<void> => {
    begins.splice(0).forEach((one) => {
      one();
    });
    await Promise.resolve();
    await Promise.resolve();
  };
  return { read, begin, ends, places };
};

const change = { event: 'order', data: { id: 'order-1' } } as FeedChange;
const nothing: FeedBatch = { changes: [], cursor: 'a' };
const something: FeedBatch = { changes: [change], cursor: 'b' };

// Red when: `gathering` is not asked, so that each of them reads by itself.
test('all who stand at one place are served by one read', async () => {
  const { read, begin, ends, places } = house();
  const answers = Array.from({ length: 1_000 }, () => read('one', 'a', 100));
  await begin();
  ends[0]?.(something);
  expect(new Set(await Promise.all(answers))).toEqual(new Set([something]));
  expect(places).toEqual(['one a']);
});

// Red when: a read that is under way is joined by who was woken after it looked: that change would be told late.
test('who asks while a read is under way gets a read that begins after it asked', async () => {
  const { read, begin, ends, places } = house();
  const early = read('one', 'a', 100);
  await begin();
  const late = read('one', 'a', 100);
  await begin();
  ends[0]?.(nothing);
  ends[1]?.(something);
  expect(await early).toBe(nothing);
  expect(await late).toBe(something);
  expect(places).toHaveLength(2);
});

// Red when: an empty batch is kept (nothing new would ever be told), or the organisation is left out of the place.
test('what a read brought serves who comes later to its place; an empty one serves nobody, another organisation is another place', async () => {
  const { read, begin, ends, places } = house();
  const first = read('one', 'a', 100);
  await begin();
  ends[0]?.(nothing);
  await first;
  const second = read('one', 'a', 100);
  await begin();
  ends[1]?.(something);
  await second;
  expect(await read('one', 'a', 100)).toBe(something);
  const other = read('two', 'a', 100);
  await begin();
  ends[2]?.(nothing);
  expect(await other).toBe(nothing);
  expect(places).toEqual(['one a', 'one a', 'two a']);
});

// Red when: a failed read stays in `gathering`, or is kept as an answer.
test('a read that fails fails for who waited for it, and the next one is a new one', async () => {
  let calls = 0;
  const read = sharedFeedReads(
    () => {
      calls += 1;
      return calls === 1 ? Promise.reject(new Error('the database is away')) : Promise.resolve(something);
    },
    (begin) => {
      begin();
    },
  );
  await expect(read('one', 'a', 100)).rejects.toThrow();
  expect(await read('one', 'a', 100)).toBe(something);
});
