import { describe, expect, it } from 'vitest';
import { nextLogRows } from '../src/queue/entry-history.ts';
import { decideQueue } from '../src/queue/queue-decision.ts';
import { decideBegin, decideRevise } from '../src/queue/draft-decision.ts';
import { decideSignedIn } from '../src/queue/session-decision.ts';
import { noSession } from '../src/queue/stored-rows.ts';
import type { DraftRow, RefundStore } from '../src/queue/refund-rows.ts';
import type { EntryRow, LogEvent } from '../src/queue/stored-rows.ts';
import { createMint, sampleOrderSeen, sampleProposal } from './samples.ts';

export type QueueStoreUnderTest = {
  readonly store: RefundStore;
  /** Puts a row in past all checks, as another version of the app, or a fault, could have. */
  readonly putRaw: (table: 'drafts' | 'entries' | 'log', row: unknown) => Promise<void>;
  readonly close: () => Promise<void>;
};

const nowMs = 1_764_000_000_000;
const nothing = { operationIds: [] };

const queueOne = async (
  store: RefundStore,
  operationId: string,
  orderId = 'order-1',
  subject = 'ann',
): Promise<string> => {
  const order = { subject, orderId };
  await store.change(
    { operationIds: [], order },
    decideBegin({ subject, operationId, nowMs }, sampleOrderSeen(orderId), new Set()),
  );
  const world = { subject, commandId: operationId, nowMs };
  const queued = await store.change(
    { operationIds: [operationId] },
    decideQueue(world, operationId, sampleProposal(orderId)),
  );
  return queued.saved ? queued.itemKey : 'not saved';
};

const addLog = (store: RefundStore, operationId: string, events: LogEvent[]): Promise<null> =>
  store.change({ operationIds: [operationId] }, ({ records }) => {
    const record = records[0];
    return { writes: { addLog: record ? nextLogRows(record, nowMs, events) : [] }, answer: null };
  });

const applied: LogEvent = {
  kind: 'verdict',
  status: 'applied',
  problem: null,
  operationState: 'proposed',
  operationVersion: 1,
};

/** What every queue store promises. Run against the double and against the real thing. */
export const queueStoreContract = (name: string, open: () => Promise<QueueStoreUnderTest>): void => {
  const withStore = (promise: string, run: (under: QueueStoreUnderTest) => Promise<void>): void => {
    it(promise, async () => {
      const under = await open();
      try {
        await under.store.change(nothing, decideSignedIn('ann'));
        await run(under);
      } finally {
        await under.close();
      }
    });
  };

  describe(`${name}: what a queue store promises`, () => {
    withStore('an empty store has nobody signed in, no lease and no rows', async ({ store }) => {
      await store.change(nothing, () => ({
        writes: { session: noSession, lease: null },
        answer: null,
      }));
      const all = await store.readAll();
      expect(all).toMatchObject({ drafts: [], records: [], unreadable: [], lease: null });
      expect(all.session.subject).toBeNull();
    });

    withStore('what was queued is read back as the same text', async ({ store }) => {
      const [operationId] = [createMint()()];
      const key = await queueOne(store, operationId);
      const body = await store.readBack(key);
      expect(JSON.parse(body ?? '')).toMatchObject({
        commandId: operationId,
        type: 'propose',
        subject: 'ann',
      });
      expect(await store.readBack('another')).toBeNull();
    });

    withStore('a decision that throws writes nothing', async ({ store }) => {
      const operationId = createMint()();
      const broken = store.change({ operationIds: [operationId] }, () => {
        throw new Error('broken decision');
      });
      await expect(broken).rejects.toThrow('broken decision');
      expect((await store.readAll()).records).toHaveLength(0);
    });

    // Red when: `bulkAdd` is `bulkPut`.
    withStore('a place that is taken fails the whole step, and what was there stays', async ({ store }) => {
      const operationId = createMint()();
      const key = await queueOne(store, operationId);
      const before = await store.readBack(key);
      const again = store.change({ operationIds: [operationId] }, ({ records }) => {
        const { command: _command, ...row } = records[0]?.entry ?? { command: null };
        const other = { ...row, body: '{}' } as EntryRow;
        const draft = { operationId: 'left-over' } as unknown as DraftRow;
        return { writes: { putDrafts: [draft], addEntries: [other] }, answer: null };
      });
      await expect(again).rejects.toThrow();
      expect(await store.readBack(key)).toBe(before);
      const { drafts, unreadable } = await store.readAll();
      expect([drafts, unreadable]).toEqual([[], []]);
    });

    withStore('changes of one operation are one after the other', async ({ store }) => {
      const operationId = createMint()();
      await queueOne(store, operationId);
      const writers = Array.from({ length: 8 }, () => addLog(store, operationId, [{ kind: 'reopened' }]));
      await Promise.all(writers);
      const { records } = await store.read({ operationIds: [operationId] });
      expect(records[0]?.log.map(({ id }) => id.slice(-1))).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    });

    withStore('a scope by order meets the drafts and all operations of the order', async ({ store }) => {
      const mint = createMint();
      const [one, two, elsewhere] = [mint(), mint(), mint()];
      await queueOne(store, one);
      await store.change(nothing, ({ session }) => ({ writes: { session }, answer: null }));
      await queueOne(store, elsewhere, 'order-2');
      const scope = { operationIds: [], order: { subject: 'ann', orderId: 'order-1' } };
      await store.change(
        { operationIds: [], order: { subject: 'bob', orderId: 'order-1' } },
        decideBegin({ subject: 'bob', operationId: two, nowMs }, sampleOrderSeen(), new Set()),
      );
      const { drafts, records } = await store.read(scope);
      expect(records.map(({ entry }) => entry.operationId)).toEqual([one]);
      expect(drafts).toEqual([]);
    });

    // Red when: `withSuperseded` is not followed, or what it names is read without its log.
    withStore('a form is seen with what it is to supersede, in one step', async ({ store }) => {
      const mint = createMint();
      const [earlier, changed] = [mint(), mint()];
      await queueOne(store, earlier);
      await addLog(store, earlier, [applied]);
      const order = { subject: 'ann', orderId: 'order-1' };
      await store.change(
        { operationIds: [], order },
        decideRevise({ subject: 'ann', operationId: changed, nowMs }, earlier, sampleOrderSeen()),
      );
      const scope = { operationIds: [changed], withSuperseded: true } as const;
      const seen = await store.change(scope, (snapshot) => ({ writes: {}, answer: snapshot }));
      expect(seen.drafts.map(({ operationId }) => operationId)).toContain(changed);
      expect(seen.records.map(({ entry, log }) => [entry.operationId, log.length])).toEqual([[earlier, 1]]);
    });

    // Red when: a stretch keeps what lies between, or takes what fits its limit for all there is.
    withStore('of many, exactly those that are named, wherever they lie', async ({ store }) => {
      const mint = createMint();
      const sample = mint();
      const ids = Array.from({ length: 240 }, () => mint());
      const named = ids.filter((_id, place) => place < 12 || place % 30 === 0);
      await queueOne(store, sample);
      await store.change({ operationIds: [sample] }, ({ records }) => {
        const { command, ...row } = records[0]?.entry ?? { command: {} };
        const entryOf = (id: string): EntryRow => {
          const body = JSON.stringify({ ...command, operationId: id, commandId: id });
          return { ...(row as EntryRow), key: `${id}/propose/1`, operationId: id, commandId: id, body };
        };
        return { writes: { addEntries: ids.map(entryOf) }, answer: null };
      });
      for (const some of [
        ids.slice(100, 112),
        ids.slice(0, 24).filter((_id, place) => place % 2 === 0),
        named,
      ]) {
        const { records } = await store.read({ operationIds: some });
        expect(records.map(({ entry }) => entry.operationId)).toEqual(some);
      }
      expect((await store.readOpen()).records).toHaveLength(241);
    });

    withStore('open is what has no end or has a refusal that nobody read', async ({ store }) => {
      const mint = createMint();
      const [waiting, done, refused] = [mint(), mint(), mint()];
      for (const [id, order] of [
        [waiting, 'order-1'],
        [done, 'order-2'],
        [refused, 'order-3'],
      ] as const) {
        await queueOne(store, id, order);
      }
      await addLog(store, done, [applied]);
      await addLog(store, refused, [{ ...applied, status: 'rejected' }]);
      const ids = async () => (await store.readOpen()).records.map(({ entry }) => entry.operationId);
      expect(await ids()).toEqual([waiting, refused]);
      await addLog(store, refused, [{ kind: 'dismissed' }]);
      expect(await ids()).toEqual([waiting]);
      await addLog(store, done, [{ kind: 'reopened' }]);
      expect(await ids()).toEqual([waiting, done]);
      expect((await store.readSubject('ann')).records).toHaveLength(3);
      expect((await store.readSubject('bob')).records).toHaveLength(0);
    });

    // Red when: an unreadable row is left out of the snapshot's `unreadable`.
    withStore('a row that cannot be read is set aside, shown, and still there', async (under) => {
      const { store, putRaw } = under;
      const mint = createMint();
      const [operationId, other] = [mint(), mint()];
      await queueOne(store, other);
      await putRaw('entries', {
        v: 2,
        key: `${operationId}/propose/1`,
        operationId,
        subject: 'ann',
        orderId: 'order-9',
        field: 'of a newer app',
      });
      const { unreadable, records } = await store.readAll();
      expect(records.map(({ entry }) => entry.operationId)).toEqual([other]);
      expect(unreadable).toHaveLength(1);
      expect(unreadable[0]).toMatchObject({ table: 'entries', operationId });
      expect(unreadable[0]?.raw).toContain('of a newer app');
      const everything = await store.readEverything();
      expect(JSON.stringify(everything)).toContain('of a newer app');
    });

    withStore('forgetting takes an operation with its log and nothing else', async ({ store }) => {
      const mint = createMint();
      const [old, young] = [mint(), mint()];
      await queueOne(store, old, 'order-1');
      await queueOne(store, young, 'order-2');
      await addLog(store, old, [applied]);
      expect(await store.forget([old])).toBe(1);
      const { records } = await store.readAll();
      expect(records.map(({ entry }) => entry.operationId)).toEqual([young]);
      expect(JSON.stringify(await store.readEverything())).not.toContain(old);
    });
  });
};
