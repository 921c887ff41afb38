import { afterEach, describe, expect, it, vi } from 'vitest';
import { createBrowserOutbox, sendOnce } from '../../src/browser/browser.ts';
import { QueueDatabase } from '../../src/browser/queue-database.ts';
import type { Connectivity } from '../../src/outbox-interface.ts';
import { sampleOrderSeen } from '../samples.ts';
import { BrowserWorld } from './browser-world.ts';

let world: BrowserWorld;
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

/** Opening takes as long as the test says. */
const slowOpening = (): { letThrough: () => void } => {
  const open = IDBFactory.prototype.open;
  let letThrough = (): void => undefined;
  const gate = new Promise<void>((resolve) => (letThrough = resolve));
  vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(function (
    this: IDBFactory,
    name: string,
    version?: number,
  ) {
    const request = open.call(this, name, version);
    const listen = request.addEventListener.bind(request);
    let onsuccess: ((event: Event) => unknown) | null = null;
    Object.defineProperty(request, 'onsuccess', {
      set: (listener: (event: Event) => unknown) => (onsuccess = listener),
    });
    listen('success', (event) => void gate.then(() => onsuccess?.call(request, event)));
    return request;
  });
  return { letThrough: () => letThrough() };
};

describe('storage that has to be opened again', () => {
  // Red when: each loss of the handle opens by itself, so that whoever waited for the first opening is never told.
  it('several steps that lost it at once are all told when it is open again', async () => {
    world = await BrowserWorld.open();
    const said: Connectivity['storage'][] = [];
    const database = new QueueDatabase(`${world.name}-queue`, (storage) => said.push(storage));
    await database.openQueue();
    const first = database.reopen();
    const waiting = database.settled;
    await Promise.all([first, database.reopen(), database.reopen()]);
    await waiting;
    expect(database.isOpen()).toBe(true);
    expect(said).not.toContain('failed');
    database.close();
  });

  // Red when: a refund that is begun while storage is still being opened is told that nobody is signed in.
  it('a refund begun on a screen that is there before its storage waits for who is here', async () => {
    world = await BrowserWorld.open();
    const outbox = createBrowserOutbox(world.outboxOptions());
    const starting = outbox.start({ subject: 'ann' });
    expect(await outbox.begin(sampleOrderSeen())).toMatchObject({ kind: 'draft' });
    await starting;
    await outbox.stop();
  });

  // Red when: the end of a slow opening forgets who signed in while it lasted.
  it('whoever signs in while storage is slow to open is still signed in when it is open', async () => {
    world = await BrowserWorld.open();
    const slow = slowOpening();
    const outbox = createBrowserOutbox(world.outboxOptions());
    // Resolves when the silence has lasted long enough to be told.
    await outbox.start({ subject: null });
    slow.letThrough();
    await outbox.signedIn('ann');
    const said: unknown[] = [];
    const stop = outbox.watch({ of: 'connectivity' }, (read) => said.push(read));
    await expect.poll(() => said.at(-1)).toMatchObject({ value: { storage: 'ready' } });
    stop();
    expect(outbox.subject()).toBe('ann');
    expect(await outbox.begin(sampleOrderSeen())).toMatchObject({ kind: 'draft' });
    await outbox.stop();
  });

  // Red when: what was said of a slow storage is not taken back where nobody else does, as in a service worker.
  it('a worker whose storage is slow to open still sends', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    await world.faults('hang', 'hang');
    const operationId = await world.queue(tab);
    tab.kill();
    await world.faults();
    const slow = slowOpening();
    const sending = sendOnce(world.outboxOptions());
    // Longer than a silence may last until it is taken for another tab's hold.
    setTimeout(slow.letThrough, 2_000);
    expect(await sending).toEqual({ waiting: 0 });
    expect(await world.arrivedTexts(operationId)).toHaveLength(1);
  });

  // Red when: the worker waits for storage that another tab holds for as long as that tab lives.
  it('a worker gives way although its storage does not open', async () => {
    world = await BrowserWorld.open();
    slowOpening();
    const giveWay = new AbortController();
    const sending = sendOnce(world.outboxOptions(), 60_000, giveWay.signal);
    giveWay.abort();
    await expect(sending).rejects.toThrow('the turn ended');
  });
});
