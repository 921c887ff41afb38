import { afterEach, describe, expect, it } from 'vitest';
import { QueueDatabase } from '../../src/browser/queue-database.ts';
import { BrowserWorld } from './browser-world.ts';
import type { Tab } from './browser-world.ts';

let world: BrowserWorld;
afterEach(() => world.close());

const freeze = (tab: Tab): void => {
  tab.frame.contentDocument?.dispatchEvent(new Event('freeze'));
};

const leaseOf = async (name: string): Promise<unknown> => {
  const database = new QueueDatabase(`${name}-queue`, () => undefined);
  const row = await database.state.get('lease');
  database.close();
  return row?.value ?? null;
};

const isLockHeld = async (name: string): Promise<boolean> =>
  ((await navigator.locks.query()).held ?? []).some((lock) => lock.name === `${name}-sender`);

describe('a page that the browser freezes in mid-request', () => {
  // Red when: nothing listens to `freeze`, the lock is kept until the round is over, or `resume` does not look up.
  it('gives up the request, the lock and the lease; another tab sends; back again, it looks up first', async () => {
    world = await BrowserWorld.open({ requestTimeoutMs: 20_000 });
    const tab = await world.openTab();
    await world.faults('take-then-hang');
    const operationId = await world.queue(tab);
    await expect.poll(async () => (await world.report()).requests).toBe(1);
    expect(await leaseOf(world.name)).not.toBeNull();
    freeze(tab);
    await expect.poll(() => isLockHeld(world.name)).toBe(false);
    await expect.poll(() => leaseOf(world.name)).toBeNull();
    expect((await world.items(tab))[0]).toMatchObject({ notSentBecause: 'interrupted', ending: null });
    expect((await world.report()).requests).toBe(1);
    const other = await world.openTab({});
    await world.untilReceived(other, operationId);
    await world.faults('hang');
    await world.queue(other, 'order-2');
    await expect.poll(async () => (await world.report()).requests).toBe(3);
    // Only the event freezes the first tab here, so it may have been the one that sent.
    freeze(other);
    freeze(tab);
    const { lookedUp } = await world.report();
    await expect.poll(() => leaseOf(world.name)).toBeNull();
    tab.frame.contentDocument?.dispatchEvent(new Event('resume'));
    await expect.poll(async () => (await world.report()).lookedUp.length).toBe(lookedUp.length + 1);
    const status = () => world.read(tab, { of: 'status' });
    await expect.poll(status).toMatchObject({ value: { allReceived: true, waiting: 0 } });
    expect((await world.report()).operations).toHaveLength(2);
  });

  // Red when: `sendOnce` waits for its request's own deadline.
  it('a service worker’s turn is over in time, and says what still waits', async () => {
    world = await BrowserWorld.open({ requestTimeoutMs: 20_000 });
    await world.tell({ do: 'close' });
    const tab = await world.openTab();
    const operationId = await world.queue(tab);
    await expect.poll(async () => (await world.items(tab))[0]?.attemptCount).toBeGreaterThan(0);
    await tab.outbox.stop();
    await world.tell({ do: 'listen' });
    await world.faults('hang');
    expect(await tab.loaded.sendOnce(world.outboxOptions(), 700)).toEqual({ waiting: 1 });
    expect(await leaseOf(world.name)).toBeNull();
    expect(await tab.loaded.sendOnce(world.outboxOptions())).toEqual({ waiting: 0 });
    expect(new Set(await world.arrivedTexts(operationId)).size).toBe(1);
  });
});
