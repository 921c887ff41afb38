import type { Order } from '@holdfast/operation';
import { afterEach, describe, expect, it } from 'vitest';
import type { BrowserOutboxOptions } from '../../src/browser/browser.ts';
import { createMint, sampleOperation, sampleOrder, sampleTicket } from '../samples.ts';
import { BrowserWorld, holdLock } from './browser-world.ts';
import type { Tab } from './browser-world.ts';

let world: BrowserWorld;
afterEach(() => world.close());

const event = (name: string, data: unknown, id?: string): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n${id === undefined ? '' : `id: ${id}\n`}\n`;

const operationId = createMint()();
const start = (...more: string[]): string =>
  [
    event('order', sampleOrder('order-1')),
    event('order', { ...sampleOrder('order-2'), customer: { id: 'c-2', name: 'Aiko Tanaka' } }),
    event('ticket', sampleTicket('ticket-1')),
    event('operation', sampleOperation(operationId)),
    ...more,
    event('live', { generation: 'g-1' }, 'cursor-1'),
  ].join('');

const withFeed = async (greeting = start(), options: BrowserOutboxOptions = {}): Promise<BrowserWorld> => {
  const opened = await BrowserWorld.open({ readFeed: true, ...options });
  await opened.tell({ do: 'greeting', text: greeting });
  return opened;
};

const untilLive = async (tab: Tab, feed = 'live'): Promise<void> => {
  const asked = world.ask(tab, { of: 'connectivity' });
  await expect.poll(() => asked.latest(), { timeout: 10_000 }).toMatchObject({ value: { feed } });
  asked.stop();
};

const orderIds = async (tab: Tab, text: string): Promise<string[]> => {
  const read = await world.read(tab, { of: 'orders', text });
  return read.state === 'ready' ? read.value.map(({ id }: Order) => id) : [read.state];
};

describe('what the server tells', () => {
  it('is found by text with the network gone, and a missing thing is said to be missing', async () => {
    world = await withFeed();
    const tab = await world.openTab();
    await untilLive(tab);
    await world.tell({ do: 'close' });
    expect(await orderIds(tab, 'muller HEADPHONES')).toEqual(['order-1']);
    expect(await orderIds(tab, 'tanaka')).toEqual(['order-2']);
    expect(await orderIds(tab, '100,00 nobody')).toEqual([]);
    const tickets = await world.read(tab, { of: 'tickets', text: 'hiss' });
    expect(tickets).toMatchObject({ value: [{ id: 'ticket-1' }] });
    expect(await world.read(tab, { of: 'order', orderId: 'order-9' })).toEqual({
      state: 'missing',
      synced: true,
    });
  });

  it('a missing thing may yet come while the first catch-up is not complete', async () => {
    world = await withFeed(event('order', sampleOrder('order-1')));
    const tab = await world.openTab();
    const asked = world.ask(tab, { of: 'order', orderId: 'order-2' });
    await expect.poll(() => asked.latest()).toEqual({ state: 'missing', synced: false });
    await expect.poll(() => orderIds(tab, 'order-1')).toEqual(['order-1']);
    expect(asked.latest()).toEqual({ state: 'missing', synced: false });
    await world.tell({ do: 'feed', text: event('order', sampleOrder('order-2'), 'c-1') });
    await expect.poll(() => asked.latest()?.state).toBe('ready');
    expect(asked.reads[0]).toEqual({ state: 'loading' });
    asked.stop();
  });

  // Red when: `isNewer` lets a lower version in.
  it('an operation moves with each event and never backwards, in every tab', async () => {
    world = await withFeed();
    const tab = await world.openTab();
    const other = await world.openTab();
    await untilLive(tab);
    const asked = world.ask(other, { of: 'operation', operationId });
    const told = (version: number, state: 'approved' | 'proposed', id: string): Promise<unknown> =>
      world.tell({
        do: 'feed',
        text: event('operation', sampleOperation(operationId, { version, state }), id),
      });
    await told(3, 'approved', 'cursor-3');
    await expect
      .poll(() => asked.latest())
      .toMatchObject({ value: { synced: { version: 3 }, shownState: 'approved' } });
    await told(2, 'proposed', 'cursor-4');
    await world.tell({ do: 'feed', text: event('order', sampleOrder('order-9'), 'cursor-5') });
    await expect.poll(() => orderIds(other, 'order-9')).toEqual(['order-9']);
    expect(asked.latest()).toMatchObject({ value: { synced: { version: 3 } } });
    asked.stop();
  });

  it('F092: what this device proposed stands beside what the server told, and fills none of its fields', async () => {
    world = await withFeed();
    const tab = await world.openTab();
    await untilLive(tab);
    await world.tell({ do: 'close' });
    const asked = world.ask(tab, { of: 'operations', orderId: 'order-2' });
    const queued = await world.queue(tab, 'order-2');
    // While a try is under way it is "sent"; when that has failed it is known to be only here.
    await expect
      .poll(() => asked.latest())
      .toMatchObject({
        value: [
          { operationId: queued, synced: null, shownState: 'queued', proposal: { orderId: 'order-2' } },
        ],
      });
    const seen = asked.reads.flatMap((read) => (read.state === 'ready' ? read.value : []));
    expect(seen.every(({ synced }) => synced === null)).toBe(true);
    expect(seen.every(({ shownState }) => shownState === 'queued' || shownState === 'sent')).toBe(true);
    asked.stop();
  });
});

describe('the stream', () => {
  // Red when: the cursor is not stored with what it stands for, or not sent.
  it('goes on from its cursor after a break and after a restart', async () => {
    world = await withFeed();
    const tab = await world.openTab();
    await untilLive(tab);
    await world.tell({ do: 'feed', text: event('order', sampleOrder('order-3'), 'cursor-2') });
    await expect.poll(() => orderIds(tab, 'order-3')).toEqual(['order-3']);
    await world.tell({ do: 'drop-feeds' });
    await expect.poll(async () => (await world.report()).feedOpenings).toEqual([null, 'cursor-2']);
    await tab.outbox.stop();
    tab.kill();
    const again = await world.openTab({});
    await untilLive(again);
    expect((await world.report()).feedOpenings).toEqual([null, 'cursor-2', 'cursor-2']);
    expect(await orderIds(again, 'order-3')).toEqual(['order-3']);
  });

  // Red when: `#watchSilence` never fires.
  it('a stream that fell silent is opened anew', async () => {
    world = await BrowserWorld.open({ readFeed: true, feedSilenceMs: 400 });
    await world.tell({ do: 'greeting', text: start() });
    await world.openTab();
    await expect
      .poll(async () => (await world.report()).feedOpenings.length, { timeout: 10_000 })
      .toBeGreaterThan(1);
  });

  // Red when: a reset leaves the caches, or drops the queue.
  it('a reset drops what the server told, never the queue, and tells again what the server lost', async () => {
    world = await withFeed();
    const tab = await world.openTab();
    await untilLive(tab);
    const sent = await world.queue(tab, 'order-1');
    await world.untilReceived(tab, sent);
    const body = await world.storedBody(sent);
    await world.tell({ do: 'forget-everything' });
    await world.tell({
      do: 'greeting',
      text: event('order', sampleOrder('order-7')) + event('live', { generation: 'g-2' }, 'c-1'),
    });
    await world.tell({ do: 'feed', text: 'event: reset\nid:\ndata: {"reason":"history-restored"}\n\n' });
    await expect.poll(() => orderIds(tab, 'order')).toEqual(['order-7']);
    await expect.poll(async () => (await world.report()).operations.map(({ id }) => id)).toEqual([sent]);
    expect(await world.arrivedTexts(sent)).toEqual([body, body]);
    expect((await world.report()).feedOpenings).toEqual([null, null]);
    await world.untilReceived(tab, sent);
  });

  it('another generation without a reset is a reset', async () => {
    world = await withFeed();
    const tab = await world.openTab();
    await untilLive(tab);
    await world.tell({ do: 'greeting', text: event('live', { generation: 'g-2' }, 'c-1') });
    await world.tell({ do: 'feed', text: event('live', { generation: 'g-2' }, 'c-9') });
    await expect.poll(() => orderIds(tab, 'order')).toEqual([]);
    await expect.poll(async () => (await world.report()).feedOpenings).toEqual([null, null]);
  });

  it('an event that does not fit is passed by, and the rest is told', async () => {
    world = await withFeed(event('operation', { id: 'x' }) + start());
    const tab = await world.openTab();
    await untilLive(tab);
    expect(await orderIds(tab, 'order-1')).toEqual(['order-1']);
  });

  // Red when: the stream is read without waiting for the lock.
  it('one tab holds it for all, and when that tab ends the next takes over', async () => {
    // Where there are no locks the tabs agree by talking, below.
    world = await withFeed(start(), { useLocks: true });
    const tab = await world.openTab();
    await untilLive(tab);
    const other = await world.openTab();
    await world.tell({ do: 'feed', text: event('order', sampleOrder('order-5'), 'cursor-5') });
    await expect.poll(() => orderIds(other, 'order-5')).toEqual(['order-5']);
    await untilLive(other, 'follower');
    expect((await world.report()).feedOpenings).toEqual([null]);
    tab.kill();
    await untilLive(other);
    await expect.poll(async () => (await world.report()).feedsOpen).toBe(1);
    expect((await world.report()).feedOpenings).toEqual([null, 'cursor-5']);
  });

  // Red when: `#watchTheHolder` never stands in.
  it('when the tab that holds the lock is frozen, another reads for itself', async () => {
    world = await BrowserWorld.open({ readFeed: true, feedSilenceMs: 300 });
    await world.tell({ do: 'greeting', text: start() });
    const frozen = holdLock(`${world.name}-feed`);
    const tab = await world.openTab();
    await expect.poll(() => orderIds(tab, 'tanaka')).toEqual(['order-2']);
    frozen();
  });

  // Red when: without locks each tab opens a stream, or none does once the one that reads is gone.
  it('without locks the tabs agree on one that reads, all see the same, and another follows when it is gone', async () => {
    world = await BrowserWorld.open({ readFeed: true, useLocks: false, feedSilenceMs: 800 });
    await world.tell({ do: 'greeting', text: start() });
    const tabs = [await world.openTab(), await world.openTab(), await world.openTab()];
    for (const tab of tabs) await expect.poll(() => orderIds(tab, 'tanaka')).toEqual(['order-2']);
    await expect.poll(async () => (await world.report()).feedsOpen).toBe(1);
    const feeds = await Promise.all(tabs.map((tab) => world.read(tab, { of: 'connectivity' })));
    const reading = feeds.findIndex((read) => read.state === 'ready' && read.value.feed === 'live');
    tabs[reading]?.kill();
    await world.tell({ do: 'feed', text: event('order', sampleOrder('order-6'), 'cursor-6') });
    const others = tabs.filter((_tab, index) => index !== reading);
    for (const tab of others) await expect.poll(() => orderIds(tab, 'order-6')).toEqual(['order-6']);
  });

  it('a 401 says that a sign-in is needed, and once the server knows us again all goes on', async () => {
    world = await withFeed();
    await world.tell({ do: 'feed-status', status: 401 });
    const tab = await world.openTab();
    const asked = world.ask(tab, { of: 'connectivity' });
    await expect.poll(() => asked.latest()).toMatchObject({ value: { signInNeeded: true } });
    await world.tell({ do: 'feed-status', status: 200 });
    await expect
      .poll(() => asked.latest(), { timeout: 5_000 })
      .toMatchObject({ value: { signInNeeded: false, feed: 'live' } });
    asked.stop();
  });

  it('another person’s sign-in starts with empty caches', async () => {
    world = await withFeed();
    const tab = await world.openTab();
    await untilLive(tab);
    await world.tell({
      do: 'greeting',
      text: event('order', sampleOrder('order-8')) + event('live', { generation: 'g-1' }, 'c-1'),
    });
    await tab.outbox.signedIn('bob');
    await expect.poll(() => orderIds(tab, 'order'), { timeout: 5_000 }).toEqual(['order-8']);
  });
});
