import { Dexie } from 'dexie';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { QueueDatabase } from '../../src/browser/queue-database.ts';
import { createMint, sampleOrderSeen, sampleProposal } from '../samples.ts';
import { BrowserWorld } from './browser-world.ts';
import type { Tab } from './browser-world.ts';

let world: BrowserWorld;
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

const schemaOne = {
  drafts: 'operationId, [subject+orderId]',
  entries: 'key, operationId, subject, [subject+orderId]',
  log: 'id, entryKey',
  unended: 'id',
  state: 'key',
};

/** The queue as the first version of the app left it: one proposal that waits, one draft. */
const seedSchemaOne = async (name: string): Promise<{ operationId: string; draftId: string }> => {
  const mint = createMint(Math.floor(performance.now() * 10));
  const [operationId, draftId] = [mint(), mint()];
  const old = new Dexie(`${name}-queue`);
  old.version(1).stores(schemaOne);
  await old.open();
  const content = sampleProposal('order-old');
  const body = JSON.stringify({
    commandId: operationId,
    subject: 'ann',
    type: 'propose',
    operationId,
    ...content,
  });
  await old.table('entries').add({
    v: 1,
    key: `${operationId}/propose/1`,
    operationId,
    commandId: operationId,
    type: 'propose',
    subject: 'ann',
    orderId: 'order-old',
    position: 1,
    supersedes: null,
    protocol: 1,
    body,
    queuedAtMs: Date.now() - 60_000,
  });
  await old.table('drafts').add({
    v: 1,
    operationId: draftId,
    subject: 'ann',
    orderId: 'order-2',
    order: sampleOrderSeen('order-2'),
    content: { amountText: '1,23' },
    otherThan: null,
    supersedes: null,
    begunAtMs: Date.now(),
    savedAtMs: Date.now(),
  });
  await old
    .table('state')
    .add({ key: 'session', value: { subject: 'ann', epoch: 1, signInNeeded: false, retell: false } });
  old.close();
  return { operationId, draftId };
};

/** A page that the browser froze: it holds the database and hears nothing. */
const freezeWith = async (name: string, version: number): Promise<() => void> => {
  const request = indexedDB.open(name, version);
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('not opened'));
    request.onupgradeneeded = () => undefined;
  });
  database.onversionchange = () => undefined;
  return () => database.close();
};

const storageOf = async (tab: Tab): Promise<string> => {
  const read = await world.read(tab, { of: 'connectivity' });
  return read.state === 'ready' ? read.value.storage : read.state;
};

const nativeVersion = async (name: string): Promise<number | undefined> =>
  (await indexedDB.databases()).find((database) => database.name === name)?.version;

/** Tomorrow’s app: it has a store that we do not know and has done away with one of ours. */
const openNewer = async (name: string): Promise<Dexie> => {
  const newer = new Dexie(`${name}-queue`);
  newer.version(2).stores({ ...schemaOne, setAside: 'id' });
  newer.version(3).stores({ unended: null, brandNew: 'id' });
  await newer.open();
  await newer.table('brandNew').put({ id: 'x', what: 'of tomorrow' });
  return newer;
};

describe('the local schema', () => {
  // Red when: the upgrade rewrites or drops a row, or rows of schema 1 are not read.
  it('F094: what the first version of the app stored is there after the upgrade, and goes out with its own bytes', async () => {
    world = await BrowserWorld.open();
    const { operationId, draftId } = await seedSchemaOne(world.name);
    const before = await world.storedBodyBefore(operationId);
    const tab = await world.openTab({});
    await world.untilReceived(tab, operationId);
    expect(await world.arrivedTexts(operationId)).toEqual([before]);
    expect(await world.read(tab, { of: 'draft', operationId: draftId })).toMatchObject({
      value: { content: { amountText: '1,23' } },
    });
    expect(await nativeVersion(`${world.name}-queue`)).toBe(20);
  });

  // Red when: Dexie may open without a version (it would "repair" the newer database), or a write gets through.
  it('a tab with older code shows what a newer app stored, writes nothing, sends nothing, and says so', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    const draft = await tab.outbox.begin(sampleOrderSeen('order-7'));
    const draftId = draft.kind === 'draft' ? draft.draft.operationId : '';
    await world.tell({ do: 'close' });
    const operationId = await world.queue(tab);
    await tab.outbox.stop();
    const newer = await openNewer(world.name);
    newer.close();
    await world.tell({ do: 'listen' });
    const old = await world.openTab({ subject: 'ann' });
    expect(await storageOf(old)).toBe('read-only');
    expect((await world.items(old, operationId)).map(({ safety }) => safety)).toEqual(['saved']);
    expect(await world.read(old, { of: 'draft', operationId: draftId })).toMatchObject({ state: 'ready' });
    expect(await world.read(old, { of: 'device-record' })).toMatchObject({ value: { total: 1 } });
    expect(await old.outbox.exportRecord()).toContain(operationId);
    const refused = { because: { reason: 'newer-elsewhere' } };
    expect(await old.outbox.begin(sampleOrderSeen())).toMatchObject({ ...refused, unsavedOperationId: null });
    expect(await old.outbox.saveDraft(draftId, { note: 'x' })).toMatchObject({ saved: false, ...refused });
    expect(await old.outbox.queue(draftId, sampleProposal('order-7'))).toMatchObject({
      saved: false,
      ...refused,
    });
    expect(await old.outbox.decide({ type: 'cancel', operationId, reason: 'x' })).toMatchObject(refused);
    expect(await old.outbox.sendUnsaved(draftId, sampleProposal('order-7'))).toMatchObject(refused);
    await old.outbox.sendNow();
    expect((await world.report()).arrived).toEqual([]);
    expect(await nativeVersion(`${world.name}-queue`)).toBe(30);
  });

  // Red when: `versionchange` is ignored, or the write that is under way is cut off.
  it('a newer app in another tab: what is being written is finished, then this tab lets go and only shows', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    await world.tell({ do: 'close' });
    const begun = await tab.outbox.begin(sampleOrderSeen());
    const operationId = begun.kind === 'draft' ? begun.draft.operationId : '';
    const writing = tab.outbox.queue(operationId, sampleProposal());
    const newer = openNewer(world.name);
    const queued = await writing;
    const rows = (await (await newer).table('entries').toArray()) as { operationId: string }[];
    expect(rows.map((row) => row.operationId)).toEqual(queued.saved ? [operationId] : []);
    await expect.poll(() => storageOf(tab)).toBe('updated-elsewhere');
    expect(await tab.outbox.begin(sampleOrderSeen())).toMatchObject({
      kind: 'not-saved',
      because: { reason: 'newer-elsewhere' },
    });
    const shown = await world.read(tab, { of: 'drafts' });
    expect(shown).toMatchObject({ state: 'ready', value: queued.saved ? [] : [{ operationId }] });
    (await newer).close();
  });

  // Red when: only the `blocked` event counts (the second tab gets none), or nobody tells when it is over.
  it('two tabs that an older one holds up say so, keep the form usable, and go on by themselves', async () => {
    world = await BrowserWorld.open();
    await seedSchemaOne(world.name);
    const thaw = await freezeWith(`${world.name}-queue`, 10);
    const [one, other] = await Promise.all([world.openTab(), world.openTab()]);
    expect([await storageOf(one), await storageOf(other)]).toEqual(['blocked', 'blocked']);
    const begun = await one.outbox.begin(sampleOrderSeen());
    expect(begun).toMatchObject({ kind: 'not-saved', because: { reason: 'storage-failed' } });
    const id = begun.kind === 'not-saved' ? (begun.unsavedOperationId ?? '') : '';
    expect(await one.outbox.sendUnsaved(id, sampleProposal())).toMatchObject({ kind: 'received' });
    thaw();
    await expect.poll(() => storageOf(one)).toBe('ready');
    await expect.poll(() => storageOf(other)).toBe('ready');
    expect(await world.queue(other, 'order-5')).toMatch(/^[0-9a-f-]{36}$/);
  });

  // Red when: a look at the caches is waited for without an end.
  it('caches that another tab holds up keep nothing from being begun, queued, sent and shown', async () => {
    world = await BrowserWorld.open();
    const thaw = await freezeWith(`${world.name}-cache`, 5);
    const tab = await world.openTab();
    const operationId = await world.queue(tab);
    await world.untilReceived(tab, operationId);
    expect(await world.read(tab, { of: 'status' })).toMatchObject({ value: { allReceived: true } });
    thaw();
  });

  // Red when: a lost handle is tried again, or its failure is taken for an answer.
  it('a database connection lost in the background is opened fresh, and what was asked is there', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    const begun = await tab.outbox.begin(sampleOrderSeen());
    const operationId = begun.kind === 'draft' ? begun.draft.operationId : '';
    const frame = tab.frame.contentWindow as unknown as {
      IDBDatabase: typeof IDBDatabase;
      DOMException: typeof DOMException;
    };
    const lost = new WeakSet<IDBDatabase>();
    const own = frame.IDBDatabase.prototype.transaction;
    let isLosing = true;
    vi.spyOn(frame.IDBDatabase.prototype, 'transaction').mockImplementation(function (
      this: IDBDatabase,
      ...asked: Parameters<typeof own>
    ) {
      const isNext = isLosing && this.name.endsWith('-queue');
      if (isNext) lost.add(this);
      if (isNext) isLosing = false;
      if (lost.has(this))
        throw new frame.DOMException('Connection to Indexed Database server lost', 'UnknownError');
      return own.apply(this, asked);
    });
    expect(await tab.outbox.saveDraft(operationId, { amountText: '2' })).toEqual({ saved: true });
    isLosing = true;
    expect(await tab.outbox.queue(operationId, sampleProposal())).toMatchObject({ saved: true });
    await world.untilReceived(tab, operationId);
    isLosing = true;
    expect(await tab.outbox.exportRecord()).toContain(operationId);
    vi.restoreAllMocks();
    const database = new QueueDatabase(`${world.name}-queue`, () => undefined);
    expect(await database.entries.toCollection().primaryKeys()).toEqual([`${operationId}/propose/1`]);
    database.close();
  });

  it('since when a row cannot be read is kept, over restarts', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    await tab.outbox.stop();
    const database = new QueueDatabase(`${world.name}-queue`, () => undefined);
    await database.entries.put({ v: 9, key: 'k', operationId: 'o', subject: 'ann' });
    database.close();
    const first = await world.openTab({});
    const seen = await world.read(first, { of: 'unreadable' });
    const since = seen.state === 'ready' ? seen.value[0]?.firstSeenAtMs : null;
    expect(Math.abs(Date.now() - (since ?? 0))).toBeLessThan(60_000);
    await first.outbox.stop();
    const again = await world.openTab({});
    expect(await world.read(again, { of: 'unreadable' })).toMatchObject({
      value: [{ firstSeenAtMs: since }],
    });
  });
});
