import type { Order } from '@holdfast/operation';
import { afterEach, describe, expect, it } from 'vitest';
import type { BrowserOutboxOptions } from '../../src/browser/browser.ts';
import type { Connectivity } from '../../src/outbox-interface.ts';
import { createMint, sampleOperation, sampleOrder } from '../samples.ts';
import { BrowserWorld, holdLock } from './browser-world.ts';
import type { Tab } from './browser-world.ts';
import type { ProxyManners } from './pretend-proxy.ts';

let world: BrowserWorld;
afterEach(() => world.close());

const event = (name: string, data: unknown, id?: string): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n${id === undefined ? '' : `id: ${id}\n`}\n`;

const operationId = createMint()();
const greeting = [
  event('order', sampleOrder('order-1')),
  event('operation', sampleOperation(operationId)),
  event('live', { generation: 'g-1' }, 'cursor-1'),
].join('');

/** The times of a minute in a second. */
const quick: BrowserOutboxOptions = {
  readFeed: true,
  feedSilenceMs: 2_000,
  feedLimits: { firstWordsMs: 400, pollMs: 150, hiddenPollMs: 150, firstStreamRetryMs: 60_000 },
};

const behind = async (manners: ProxyManners, options: BrowserOutboxOptions = quick): Promise<Tab> => {
  world = await BrowserWorld.open(options);
  await world.tell({ do: 'greeting', text: greeting });
  const baseUrl = (await world.tell({ do: 'proxy', manners })) as string;
  return world.openTab({ subject: 'ann' }, { baseUrl });
};

const tell = (text: string): Promise<unknown> => world.tell({ do: 'feed', text });
const tellOrder = (id: string, cursor: string): Promise<unknown> =>
  tell(event('order', sampleOrder(id), cursor));

const orderIds = async (tab: Tab): Promise<string[]> => {
  const read = await world.read(tab, { of: 'orders', limit: 1_000 });
  return read.state === 'ready' ? read.value.map(({ id }: Order) => id).toSorted() : [read.state];
};

const connectivity = async (tab: Tab): Promise<Connectivity | null> => {
  const read = await world.read(tab, { of: 'connectivity' });
  return read.state === 'ready' ? read.value : null;
};

describe('a proxy that lets no stream through', () => {
  // Red when: a stream that said nothing is not doubted, or the poll does not go on from its cursor.
  it('what is held back until it ends is asked for instead: nothing is missed, nothing goes backwards', async () => {
    const tab = await behind({ kind: 'hold-back' });
    await expect.poll(async () => (await connectivity(tab))?.feed).toBe('polling');
    const asked = world.ask(tab, { of: 'operation', operationId });
    await tell(event('operation', sampleOperation(operationId, { version: 3, state: 'approved' }), 'c-3'));
    await expect.poll(() => asked.latest()).toMatchObject({ value: { synced: { version: 3 } } });
    await tell(event('operation', sampleOperation(operationId, { version: 2 }), 'c-4'));
    await tellOrder('order-2', 'c-5');
    await expect.poll(() => orderIds(tab)).toEqual(['order-1', 'order-2']);
    const versions = asked.reads.flatMap((read) =>
      read.state === 'ready' ? [read.value.synced?.version ?? 0] : [],
    );
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
    expect(await connectivity(tab)).toMatchObject({ holdfast: 'reached', trouble: null });
    await expect.poll(async () => (await world.report()).feedPolls.at(-1)).toBe('c-5');
    asked.stop();
  });

  it('what was sent is heard of without a stream', async () => {
    const tab = await behind({ kind: 'hold-back' });
    await world.untilReceived(tab, await world.queue(tab));
    await expect.poll(async () => (await connectivity(tab))?.feed).toBe('polling');
    await world.untilReceived(tab, await world.queue(tab, 'order-3'));
  });

  // Red when: streams are never tried again while polling, or polling stops while one is on probation.
  it('a stream is tried again beside the polls, and taken once it speaks', async () => {
    const tab = await behind(
      { kind: 'hold-back' },
      { ...quick, feedLimits: { ...quick.feedLimits, firstStreamRetryMs: 500 } },
    );
    await expect.poll(async () => (await connectivity(tab))?.feed).toBe('polling');
    const before = (await world.report()).feedOpenings.length;
    await expect.poll(async () => (await world.report()).feedOpenings.length).toBeGreaterThan(before + 1);
    await tellOrder('order-4', 'c-4');
    await expect.poll(() => orderIds(tab)).toEqual(['order-1', 'order-4']);
    await world.tell({ do: 'proxy', manners: { kind: 'let-through' } });
    const beats = setInterval(() => void tell(': still here\n\n'), 100);
    await expect.poll(async () => (await connectivity(tab))?.feed).toBe('live');
    const polls = (await world.report()).feedPolls.length;
    await tellOrder('order-5', 'c-5');
    await expect.poll(() => orderIds(tab)).toEqual(['order-1', 'order-4', 'order-5']);
    expect((await world.report()).feedPolls.length).toBe(polls);
    clearInterval(beats);
  });

  it('headers that come through without a word are no stream either', async () => {
    world = await BrowserWorld.open(quick);
    await world.tell({ do: 'greeting', text: greeting });
    await world.tell({ do: 'mute-streams', isMute: true });
    const tab = await world.openTab();
    await expect.poll(async () => (await connectivity(tab))?.feed).toBe('polling');
    expect(await orderIds(tab)).toEqual(['order-1']);
  });
});

describe('a proxy that cuts', () => {
  // Red when: a cut stream counts as a failure (the pauses grow and `waiting` shows), or begins without its cursor.
  it('a stream that is cut again and again goes on from its cursor, and nobody is told of trouble', async () => {
    const tab = await behind({ kind: 'cut-after-ms', ms: 700 });
    const asked = world.ask(tab, { of: 'connectivity' });
    await expect.poll(async () => (await connectivity(tab))?.feed).toBe('live');
    const from = asked.reads.length;
    const wanted = ['order-1'];
    for (let at = 2; at <= 12; at += 1) {
      await tellOrder(`order-${at}`, `c-${at}`);
      wanted.push(`order-${at}`);
      await expect.poll(() => orderIds(tab)).toEqual(wanted.toSorted());
      const { length } = (await world.report()).feedOpenings;
      if (at % 3 === 0) {
        await expect.poll(async () => (await world.report()).feedOpenings.length).toBeGreaterThan(length);
      }
    }
    const { feedOpenings } = await world.report();
    expect(feedOpenings.slice(1)).not.toContain(null);
    const states = asked.reads.slice(from).map((read) => (read.state === 'ready' ? read.value : null));
    expect(new Set(states.map((state) => state?.holdfast))).toEqual(new Set(['reached']));
    expect(states.map((state) => state?.feed)).not.toContain('waiting');
    asked.stop();
  });

  // Red when: half an event counts, or the cursor is stored without the events before it.
  it('cut in the middle of an event, the beginning is told again, whole', async () => {
    const tab = await behind({ kind: 'cut-after-bytes', bytes: greeting.length - 40, answers: 3 });
    await expect.poll(async () => (await connectivity(tab))?.feed).toMatch(/live|polling/);
    await expect.poll(() => orderIds(tab)).toEqual(['order-1']);
    await tellOrder('order-2', 'c-2');
    await expect.poll(() => orderIds(tab)).toEqual(['order-1', 'order-2']);
  });
});

describe('many tabs', () => {
  // Red when: each tab holds a stream: six connections are all that a browser opens to one HTTP/1.1 server.
  it('seven tabs leave room for what is sent', async () => {
    world = await BrowserWorld.open({ readFeed: true });
    await world.tell({ do: 'greeting', text: greeting });
    const tabs: Tab[] = [];
    for (let count = 0; count < 7; count += 1) tabs.push(await world.openTab());
    const last = tabs.at(-1);
    if (!last) throw new Error('no tab');
    await expect.poll(() => orderIds(last)).toEqual(['order-1']);
    await world.untilReceived(last, await world.queue(last));
    expect((await world.report()).feedsOpen).toBe(1);
  });

  // Red when: every tab that loses patience reads, or the stand-in goes on beside the holder that is back.
  it('a frozen holder has one stand-in, which ends when the holder is back', async () => {
    world = await BrowserWorld.open({ readFeed: true, feedSilenceMs: 700, useLocks: true });
    await world.tell({ do: 'greeting', text: greeting });
    const beats = setInterval(() => void tell(': still here\n\n'), 200);
    const thaw = holdLock(`${world.name}-feed`);
    // The first in turn is too patient to stand in, so that the holder that comes is another tab than the stand-in.
    const first = await world.openTab({ subject: 'ann' }, { feedSilenceMs: 60_000 });
    const others = [await world.openTab(), await world.openTab()];
    await expect.poll(() => orderIds(first)).toEqual(['order-1']);
    await expect.poll(async () => (await world.report()).feedsOpen).toBe(1);
    thaw();
    await expect.poll(async () => (await connectivity(first))?.feed).toBe('live');
    await expect.poll(async () => (await world.report()).feedsOpen).toBe(1);
    const feeds = async () => (await Promise.all(others.map(connectivity))).map((other) => other?.feed);
    await expect.poll(feeds).toEqual(['follower', 'follower']);
    clearInterval(beats);
  });
});
