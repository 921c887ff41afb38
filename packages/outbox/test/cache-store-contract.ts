import type { Operation, Order } from '@holdfast/operation';
import { describe, expect, it } from 'vitest';
import type { CacheStore } from '../src/feed/cache-store.ts';
import type { FeedBatch } from '../src/feed/feed-batch.ts';
import { createMint, sampleOperation, sampleOrder, sampleTicket } from './samples.ts';

export type CacheStoreUnderTest = {
  readonly cache: CacheStore;
  readonly operation: (id: string) => Promise<Operation | null>;
  readonly order: (id: string) => Promise<Order | null>;
  readonly close: () => Promise<void>;
};

export const emptyBatch: FeedBatch = {
  operations: [],
  orders: [],
  tickets: [],
  cursor: null,
  live: null,
  reset: null,
  unreadable: [],
};

/** What every cache store promises. Run against the double and against the real thing. */
export const cacheStoreContract = (name: string, open: () => Promise<CacheStoreUnderTest>): void => {
  const withCache = (promise: string, run: (under: CacheStoreUnderTest) => Promise<void>): void => {
    it(promise, async () => {
      const under = await open();
      try {
        await run(under);
      } finally {
        await under.close();
      }
    });
  };
  const id = createMint()();

  describe(`${name}: what a cache store promises`, () => {
    withCache('content and cursor are stored together', async ({ cache, operation, order }) => {
      const batch = { operations: [sampleOperation(id)], orders: [sampleOrder()], tickets: [sampleTicket()] };
      expect(await cache.applyBatch({ ...emptyBatch, ...batch, cursor: 'c-1' }, 0)).toEqual({
        kind: 'applied',
      });
      expect((await cache.state()).cursor).toBe('c-1');
      expect((await operation(id))?.version).toBe(1);
      expect((await order('order-1'))?.version).toBe(1);
    });

    // Red when: `isNewer` answers true for a lower version.
    withCache('the highest version stays, whatever comes late or doubled', async ({ cache, operation }) => {
      const versions = [2, 5, 3, 5, 1].map((version) => sampleOperation(id, { version }));
      await cache.applyBatch({ ...emptyBatch, operations: versions.slice(0, 3) }, 0);
      await cache.applyBatch({ ...emptyBatch, operations: versions.slice(3) }, 0);
      await cache.applyOperations([sampleOperation(id, { version: 4 })], 0);
      expect((await operation(id))?.version).toBe(5);
      await cache.applyOperations([sampleOperation(id, { version: 6 })], 0);
      expect((await operation(id))?.version).toBe(6);
    });

    withCache(
      'another generation is another history: nothing of it is stored',
      async ({ cache, operation }) => {
        await cache.applyBatch({ ...emptyBatch, live: 'g-1', cursor: 'c-1' }, 0);
        expect((await cache.state()).isComplete).toBe(true);
        const other = { ...emptyBatch, operations: [sampleOperation(id)], live: 'g-2', cursor: 'c-2' };
        expect(await cache.applyBatch(other, 0)).toEqual({ kind: 'history-changed' });
        expect(await operation(id)).toBeNull();
        expect((await cache.state()).cursor).toBe('c-1');
      },
    );

    // Red when: `applyOperations` does not compare the epoch.
    withCache('after a reset an answer to an older question changes nothing', async (under) => {
      const { cache, operation } = under;
      await cache.applyBatch(
        { ...emptyBatch, operations: [sampleOperation(id, { version: 7 })], cursor: 'c' },
        0,
      );
      await cache.reset();
      expect(await operation(id)).toBeNull();
      expect(await cache.state()).toMatchObject({
        epoch: 1,
        cursor: null,
        generation: null,
        isComplete: false,
      });
      await cache.applyOperations([sampleOperation(id, { version: 7 })], 0);
      expect(await operation(id)).toBeNull();
      expect(await cache.applyBatch({ ...emptyBatch, cursor: 'old' }, 0)).toEqual({
        kind: 'dropped-meanwhile',
      });
      await cache.applyBatch({ ...emptyBatch, operations: [sampleOperation(id, { version: 2 })] }, 1);
      expect((await operation(id))?.version).toBe(2);
    });

    withCache('it knows the states of an order’s operations', async ({ cache }) => {
      const other = sampleOperation(createMint(9)(), { orderId: 'order-2' });
      await cache.applyOperations([sampleOperation(id, { state: 'denied' }), other], 0);
      expect(await cache.operationStates('order-1')).toEqual([{ id, state: 'denied' }]);
    });
  });
};
