import { protocolVersion } from '@holdfast/operation';
import { Dexie } from 'dexie';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createBrowserOutbox } from '../../src/browser/browser.ts';
import { QueueDatabase } from '../../src/browser/queue-database.ts';
import { sampleOrderSeen, sampleProposal } from '../samples.ts';
import { BrowserWorld } from './browser-world.ts';

let world: BrowserWorld;
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

describe('what lies on this device', () => {
  // Red when: the queue's database is opened without strict durability.
  it('every write of the queue is strictly durable', async () => {
    world = await BrowserWorld.open();
    const transactions = vi.spyOn(IDBDatabase.prototype, 'transaction');
    const outbox = createBrowserOutbox(world.outboxOptions());
    await outbox.start({ subject: 'ann' });
    const begun = await outbox.begin(sampleOrderSeen());
    await outbox.queue(begun.kind === 'draft' ? begun.draft.operationId : '', sampleProposal());
    await outbox.stop();
    const writes = transactions.mock.calls.filter((call) => call[1] === 'readwrite');
    const ofQueue = writes.filter(([stores]) => [stores].flat().includes('entries'));
    expect(ofQueue.length).toBeGreaterThan(0);
    for (const [, , options] of ofQueue) expect(options).toEqual({ durability: 'strict' });
  });

  // Red when: a failed write falls back to memory or is said to be saved.
  it('when nothing can be stored it says "not saved", and the draft is still there', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    const begun = await tab.outbox.begin(sampleOrderSeen());
    const operationId = begun.kind === 'draft' ? begun.draft.operationId : '';
    const frame = tab.frame.contentWindow as unknown as {
      IDBObjectStore: typeof IDBObjectStore;
      DOMException: typeof DOMException;
    };
    vi.spyOn(frame.IDBObjectStore.prototype, 'add').mockImplementation(() => {
      throw new frame.DOMException('the disk is full', 'QuotaExceededError');
    });
    const queued = await tab.outbox.queue(operationId, sampleProposal());
    expect(queued).toMatchObject({ saved: false, because: { reason: 'storage-failed' } });
    vi.restoreAllMocks();
    expect(await tab.outbox.begin(sampleOrderSeen())).toMatchObject({ kind: 'draft', isNew: false });
    expect(await tab.outbox.queue(operationId, sampleProposal())).toMatchObject({
      saved: true,
      again: false,
    });
  });

  // Red when: the status is told anew only after the save was answered.
  it('with the answer "saved" nobody says any more that all was received', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    const told: boolean[] = [];
    tab.outbox.watch({ of: 'status' }, (read) => {
      if (read.state === 'ready') told.push(read.value.allReceived);
    });
    const begun = await tab.outbox.begin(sampleOrderSeen());
    await expect.poll(() => told.at(-1)).toBe(true);
    await tab.outbox.queue(begun.kind === 'draft' ? begun.draft.operationId : '', sampleProposal());
    expect(told.at(-1)).toBe(false);
    await expect.poll(() => told.at(-1)).toBe(true);
  });

  it('a draft survives its tab, with what was typed', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    const begun = await tab.outbox.begin(sampleOrderSeen());
    const operationId = begun.kind === 'draft' ? begun.draft.operationId : '';
    await tab.outbox.saveDraft(operationId, { amountText: '6,95', lines: [{ sku: 'headphones' }] });
    tab.kill();
    const again = await world.openTab({});
    expect(await again.outbox.begin(sampleOrderSeen())).toMatchObject({
      kind: 'draft',
      isNew: false,
      draft: { operationId, content: { amountText: '6,95', lines: [{ sku: 'headphones' }] } },
    });
    expect(await again.outbox.discardDraft(operationId)).toEqual({ saved: true });
    expect(await again.outbox.queue(operationId, sampleProposal())).toMatchObject({
      because: { reason: 'draft-closed' },
    });
  });

  // Red when: an unreadable row is skipped by the reads, or a later command of its operation overtakes it.
  it('F094: a row of a newer version is set aside, seen, exported, and never sent nor lost', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    const operationId = await world.queue(tab);
    await world.untilReceived(tab, operationId);
    await tab.outbox.stop();
    const database = new QueueDatabase(`${world.name}-queue`, () => undefined);
    const row = {
      v: 2,
      key: `${operationId}/cancel/x`,
      operationId,
      subject: 'ann',
      betterField: 'from tomorrow',
    };
    await database.entries.put(row);
    database.close();
    const again = await world.openTab({});
    const unreadable = await world.read(again, { of: 'unreadable' });
    expect(unreadable).toMatchObject({ value: [{ table: 'entries', operationId }] });
    const status = await world.read(again, { of: 'status' });
    expect(status).toMatchObject({ value: { unreadable: 1, allReceived: false, needsYou: 1 } });
    await again.outbox.decide({ type: 'cancel', operationId, reason: 'Typed twice' });
    await again.outbox.sendNow();
    expect((await world.report()).arrived).toHaveLength(1);
    expect(await again.outbox.exportRecord()).toContain('from tomorrow');
  });

  it('F094: an entry goes out under the wire version that it was written in', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    const operationId = await world.queue(tab);
    await world.untilReceived(tab, operationId);
    expect((await world.report()).protocols).toEqual([String(protocolVersion)]);
  });

  it('trouble with the caches keeps nothing from being queued and sent', async () => {
    world = await BrowserWorld.open();
    const broken = new Dexie(`${world.name}-cache`);
    broken.version(9).stores({ somethingElse: 'id' });
    await broken.open();
    const tab = await world.openTab();
    const operationId = await world.queue(tab);
    await world.untilReceived(tab, operationId);
    broken.close();
  });

  it('the device’s record tells each attempt with its time and result', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    await world.faults('error-500');
    const operationId = await world.queue(tab);
    await world.untilReceived(tab, operationId);
    const record = await world.read(tab, { of: 'record' });
    const lines = record.state === 'ready' ? record.value : [];
    expect(lines.map(({ event, result }) => [event, result]).reverse()).toEqual([
      ['queued', null],
      ['attempt-started', null],
      ['attempt-ended', 'server-trouble'],
      ['attempt-started', null],
      ['attempt-ended', 'verdict'],
      ['verdict', 'verdict'],
    ]);
    expect(lines.every(({ atMs }) => Math.abs(Date.now() - atMs) < 60_000)).toBe(true);
  });
});
