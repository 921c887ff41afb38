import { protocolVersion } from '@holdfast/operation';
import { afterEach, describe, expect, it } from 'vitest';
import { QueueDatabase } from '../../src/browser/queue-database.ts';
import { BrowserWorld, holdLock } from './browser-world.ts';
import type { Tab } from './browser-world.ts';

let world: BrowserWorld;
afterEach(() => world.close());

const hourMs = 3_600_000;

/** Everything was tried in vain, and nothing is asked for any more: the next try is an hour away. */
const untilAtRest = async (tab: Tab): Promise<void> => {
  await tab.outbox.sendNow();
  expect((await world.items(tab))[0]).toMatchObject({ notSentBecause: 'unreachable', ending: null });
};

type Waking = (tab: Tab) => void;
const wakings: [string, Waking][] = [
  [
    'it is looked at again',
    ({ frame }) => frame.contentDocument?.dispatchEvent(new Event('visibilitychange')),
  ],
  ['it gets the focus', ({ frame }) => frame.contentWindow?.dispatchEvent(new Event('focus'))],
  [
    'the browser says that it is online',
    ({ frame }) => {
      frame.contentWindow?.dispatchEvent(new Event('offline'));
      frame.contentWindow?.dispatchEvent(new Event('online'));
    },
  ],
];

describe('a browser without Background Sync', () => {
  // Red when: `listenForWakes` does not listen to that event.
  it.each(wakings)('sends what waits when %s, long before its own pause is over', async (_when, wake) => {
    world = await BrowserWorld.open({ firstPauseMs: hourMs, longestPauseMs: hourMs });
    await world.tell({ do: 'close' });
    const tab = await world.openTab();
    const browser = tab.frame.contentWindow ?? window;
    Reflect.deleteProperty(browser, 'SyncManager');
    expect(Reflect.has(browser, 'SyncManager')).toBe(false);
    const operationId = await world.queue(tab);
    await untilAtRest(tab);
    await world.tell({ do: 'listen' });
    wake(tab);
    await world.untilReceived(tab, operationId);
    expect(await world.arrivedTexts(operationId)).toHaveLength(1);
  });
});

describe('an owed sign-out', () => {
  // Red when: the turn is waited for without an end.
  it('is settled, and the next person let in, although a frozen page keeps its turn', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    const thaw = holdLock(`${world.name}-sign-out`);
    await tab.outbox.signedOut();
    expect(await tab.outbox.settleSignOut()).toBe(true);
    expect((await world.report()).signOuts).toBeGreaterThan(0);
    await tab.outbox.signedIn('ben');
    expect(tab.outbox.subject()).toBe('ben');
    thaw();
  });
});

const writtenIn = async (operationId: string, protocol: number): Promise<void> => {
  const database = new QueueDatabase(`${world.name}-queue`, () => undefined);
  await database.entries.update(`${operationId}/propose/1`, { protocol });
  database.close();
};

describe('F094: rows that another version of the app wrote', () => {
  // Red when: the running app's own protocol is put on every request, or a 426 ends an item.
  it('F094: go out with their bytes under their own protocol; where that is spoken no more, they are kept', async () => {
    world = await BrowserWorld.open({ firstPauseMs: hourMs, longestPauseMs: hourMs });
    await world.tell({ do: 'close' });
    const tab = await world.openTab();
    const older = await world.queue(tab);
    const newer = await world.queue(tab, 'order-2');
    await untilAtRest(tab);
    await writtenIn(older, 7);
    const body = await world.storedBody(older);
    await world.faults('too-old');
    await world.tell({ do: 'listen' });
    await tab.outbox.sendNow();
    await expect
      .poll(async () => (await world.items(tab, older))[0])
      .toMatchObject({ notSentBecause: 'update-needed', ending: null });
    await tab.outbox.sendNow();
    await world.untilReceived(tab, older);
    await world.untilReceived(tab, newer);
    const { protocols } = await world.report();
    expect(protocols[0]).toBe('7');
    expect(protocols.slice(1).sort()).toEqual([String(protocolVersion), '7']);
    expect(await world.arrivedTexts(older)).toEqual([body]);
  });
});
