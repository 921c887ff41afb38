import { afterEach, describe, expect, it, vi } from 'vitest';
import { CacheDatabase } from '../../src/browser/cache-database.ts';
import { QueueDatabase } from '../../src/browser/queue-database.ts';
import { sampleOrder, sampleOrderSeen, sampleProposal } from '../samples.ts';
import { BrowserWorld } from './browser-world.ts';
import type { Tab } from './browser-world.ts';

let world: BrowserWorld;
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

type FrameWindow = {
  readonly IDBObjectStore: typeof IDBObjectStore;
  readonly DOMException: typeof DOMException;
  readonly StorageManager: typeof StorageManager;
};

const windowOf = (tab: Tab): FrameWindow => tab.frame.contentWindow as unknown as FrameWindow;

const draftOf = async (tab: Tab, orderId = 'order-1'): Promise<string> => {
  const begun = await tab.outbox.begin(sampleOrderSeen(orderId));
  if (begun.kind !== 'draft') throw new Error(`no draft: ${JSON.stringify(begun)}`);
  return begun.draft.operationId;
};

const storedKeys = async (): Promise<readonly string[]> => {
  const database = new QueueDatabase(`${world.name}-queue`, () => undefined);
  const keys = await database.entries.toCollection().primaryKeys();
  database.close();
  return keys;
};

/** A pretended full disk: the browser's own storage, that refuses entries with a quota's error while it is full. */
const pretendFull = (tab: Tab, isFull: () => boolean): { readonly tries: () => number } => {
  const { IDBObjectStore: stores, DOMException: Failure } = windowOf(tab);
  const own = stores.prototype.add;
  let tries = 0;
  vi.spyOn(stores.prototype, 'add').mockImplementation(function (
    this: IDBObjectStore,
    ...row: Parameters<typeof own>
  ) {
    if (this.name !== 'entries') return own.apply(this, row);
    tries += 1;
    if (isFull()) throw new Failure('full', 'QuotaExceededError');
    return own.apply(this, row);
  });
  return { tries: () => tries };
};

describe('a device that is full (pretended)', () => {
  // Red when: the caches are not dropped, or the step is not taken again after that.
  it('drops what the server can tell again, and then there is room', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    const operationId = await draftOf(tab);
    const caches = new CacheDatabase(`${world.name}-cache`);
    const body = sampleOrder('order-1');
    const row = { id: body.id, version: 1, customerId: 'c', placedAt: body.placedAt, searchText: '', body };
    await caches.orders.put(row);
    const clear = vi.spyOn(windowOf(tab).IDBObjectStore.prototype, 'clear');
    pretendFull(tab, () => clear.mock.calls.length === 0);
    expect(await tab.outbox.queue(operationId, sampleProposal())).toMatchObject({ saved: true });
    expect(await caches.orders.count()).toBe(0);
    caches.close();
    expect(await storedKeys()).toEqual([`${operationId}/propose/1`]);
  });

  // Red when: a full device is tried for ever, something is remembered in silence, or earlier items suffer.
  it('that stays full says "not saved", keeps what was there, and works again when there is room', async () => {
    world = await BrowserWorld.open();
    await world.tell({ do: 'close' });
    const tab = await world.openTab();
    const earlier = await world.queue(tab, 'order-1');
    const operationId = await draftOf(tab, 'order-2');
    let isFull = true;
    const { tries } = pretendFull(tab, () => isFull);
    expect(await tab.outbox.queue(operationId, sampleProposal('order-2'))).toMatchObject({
      saved: false,
      because: { reason: 'storage-failed' },
    });
    expect(tries()).toBe(2);
    expect(await storedKeys()).toEqual([`${earlier}/propose/1`]);
    expect((await world.items(tab)).map((item) => item.operationId)).toEqual([earlier]);
    expect(await tab.outbox.begin(sampleOrderSeen('order-2'))).toMatchObject({
      kind: 'draft',
      isNew: false,
      draft: { operationId },
    });
    isFull = false;
    expect(await tab.outbox.queue(operationId, sampleProposal('order-2'))).toMatchObject({ saved: true });
    await world.tell({ do: 'listen' });
    await tab.outbox.sendNow();
    await world.untilReceived(tab, earlier);
    await world.untilReceived(tab, operationId);
  });
});

describe('a storage that cannot be trusted', () => {
  // Red when: "saved" is said without reading back.
  it('that loses a write in silence is found out: "not saved"', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    const operationId = await draftOf(tab);
    const { IDBObjectStore: stores } = windowOf(tab);
    const own = stores.prototype.add;
    vi.spyOn(stores.prototype, 'add').mockImplementation(function (
      this: IDBObjectStore,
      ...row: Parameters<typeof own>
    ) {
      // It answers as if it had stored it.
      return this.name === 'entries' ? (this.count() as IDBRequest<IDBValidKey>) : own.apply(this, row);
    });
    expect(await tab.outbox.queue(operationId, sampleProposal())).toMatchObject({
      saved: false,
      because: { reason: 'storage-failed' },
    });
    expect((await world.report()).arrived).toEqual([]);
  });

  // Red when: anything is held in memory as if it were stored, or a missing storage keeps the app from starting.
  it.each([
    ['is not there at all', 'Object.defineProperty(window, "indexedDB", { value: undefined });'],
    [
      'is forbidden',
      'IDBFactory.prototype.open = () => { throw new DOMException("forbidden", "SecurityError"); };',
    ],
  ])(
    'that %s: everything answers "not saved", and nothing is remembered in silence',
    async (_name, before) => {
      world = await BrowserWorld.open();
      world.beforeLoad = before;
      const tab = await world.openTab();
      const begun = await tab.outbox.begin(sampleOrderSeen());
      expect(begun).toMatchObject({ kind: 'not-saved', because: { reason: 'storage-failed' } });
      const operationId = begun.kind === 'not-saved' ? (begun.unsavedOperationId ?? '') : '';
      expect(operationId).not.toBe('');
      const notSaved = { saved: false, because: { reason: 'storage-failed' } };
      expect(await tab.outbox.saveDraft(operationId, { amountText: '1' })).toMatchObject(notSaved);
      expect(await tab.outbox.queue(operationId, sampleProposal())).toMatchObject(notSaved);
      expect(await tab.outbox.decide({ type: 'deny', operationId, reason: 'No.' })).toMatchObject(notSaved);
      const status = world.ask(tab, { of: 'status' });
      await expect.poll(() => status.latest()?.state).toBe('failed');
      status.stop();
      const connectivity = await world.read(tab, { of: 'connectivity' });
      expect(connectivity).toMatchObject({ value: { storage: 'failed' } });
      expect((await world.report()).arrived).toEqual([]);
      world.beforeLoad = '';
      const again = await world.openTab();
      expect(await world.items(again)).toEqual([]);
      expect(await world.read(again, { of: 'drafts' })).toMatchObject({ value: [] });
    },
  );
});

describe('IDs', () => {
  // Red when: an ID is made from a guessable source where there is no safe one.
  it('F095: without a safe source nothing is begun, and it is said why', async () => {
    world = await BrowserWorld.open();
    world.beforeLoad = 'Object.defineProperty(window, "crypto", { value: undefined });';
    const tab = await world.openTab();
    expect(await tab.outbox.begin(sampleOrderSeen())).toMatchObject({
      kind: 'not-saved',
      because: { reason: 'no-safe-id' },
    });
    expect(await world.read(tab, { of: 'drafts' })).toMatchObject({ value: [] });
  });

  // Red when: an ID is made from the clock and a counter alone.
  it('F095: two tabs in one millisecond give different ones', async () => {
    world = await BrowserWorld.open();
    const clock = { nowMs: () => 1_764_000_000_000 };
    const one = await world.openTab({ subject: 'ann' }, { clock });
    const other = await world.openTab({ subject: 'ann' }, { clock });
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, at) => draftOf(at % 2 === 0 ? one : other, `order-${at}`)),
    );
    expect(new Set(ids).size).toBe(20);
  });
});

describe('the browser’s promise to keep what is stored', () => {
  // Red when: its answer is not stored, or is not told before it is asked again.
  it.each([true, false])(
    'is asked for at the first save, and its answer outlives the tab: %s',
    async (answer) => {
      world = await BrowserWorld.open();
      const tab = await world.openTab();
      const { StorageManager: managers } = windowOf(tab);
      vi.spyOn(managers.prototype, 'persisted').mockResolvedValue(false);
      const persist = vi.spyOn(managers.prototype, 'persist').mockResolvedValue(answer);
      expect(persist).not.toHaveBeenCalled();
      await world.queue(tab);
      const asked = world.ask(tab, { of: 'connectivity' });
      await expect.poll(() => asked.latest()).toMatchObject({ value: { storagePersisted: answer } });
      asked.stop();
      expect(persist).toHaveBeenCalledTimes(1);
      await tab.outbox.stop();
      const again = await world.openTab();
      const told = await world.read(again, { of: 'connectivity' });
      expect(told).toMatchObject({ value: { storagePersisted: answer } });
    },
  );
});

describe('a handle that the browser lost', () => {
  // Red when: the step is tried again on the lost handle (`reopen` left out), or its failure is taken for an answer.
  it('is never used again: a fresh one is opened, and what was asked is there', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    const operationId = await draftOf(tab);
    const { IDBObjectStore: stores, DOMException: Failure } = windowOf(tab);
    const own = stores.prototype.get;
    const lost = new WeakSet<IDBDatabase>();
    let isLosing = false;
    // Met in the middle of a transaction, where the database's own library does not open it anew.
    vi.spyOn(stores.prototype, 'get').mockImplementation(function (
      this: IDBObjectStore,
      ...key: Parameters<typeof own>
    ) {
      const { db } = this.transaction;
      if (!db.name.endsWith('-queue')) return own.apply(this, key);
      if (isLosing) lost.add(db);
      isLosing = false;
      if (lost.has(db)) throw new Failure('Connection to Indexed Database server lost', 'UnknownError');
      return own.apply(this, key);
    });
    isLosing = true;
    expect(await tab.outbox.saveDraft(operationId, { amountText: '2' })).toEqual({ saved: true });
    isLosing = true;
    expect(await tab.outbox.queue(operationId, sampleProposal())).toMatchObject({ saved: true });
    await world.untilReceived(tab, operationId);
    isLosing = true;
    expect(await tab.outbox.exportRecord()).toContain(operationId);
    vi.restoreAllMocks();
    expect(await storedKeys()).toEqual([`${operationId}/propose/1`]);
  });
});
