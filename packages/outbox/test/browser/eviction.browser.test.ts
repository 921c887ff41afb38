import { Dexie } from 'dexie';
import { afterEach, describe, expect, it } from 'vitest';
import { BrowserWorld } from './browser-world.ts';

let world: BrowserWorld;
afterEach(() => world.close());

/** What a browser does that clears an origin for want of room: all databases go, cookies stay. */
const evict = async (name: string): Promise<void> => {
  await Dexie.delete(`${name}-queue`);
  await Dexie.delete(`${name}-cache`);
};

describe('a list that the browser cleared', () => {
  // Red when: nothing is remembered outside of the storage, or Holdfast is not asked what it has.
  it('F090: is named with its time, and it is said which items Holdfast has and which were only here', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    await world.faults('take-then-hang');
    const taken = await world.queue(tab, 'order-1');
    await expect.poll(async () => (await world.report()).operations.length).toBe(1);
    await world.tell({ do: 'close' });
    const lost = await world.queue(tab, 'order-2');
    await expect.poll(() => decodeURIComponent(document.cookie)).toContain(lost);
    await tab.outbox.stop();
    await evict(world.name);
    await world.tell({ do: 'listen' });
    const other = await world.openTab({ subject: 'bob' });
    expect(await world.read(other, { of: 'eviction' })).toMatchObject({
      value: { waiting: 2, proposals: [] },
    });
    await other.outbox.signedIn('ann');
    const again = await world.openTab({ subject: 'ann' });
    const asked = world.ask(again, { of: 'eviction' });
    await expect
      .poll(() => asked.latest())
      .toMatchObject({
        value: {
          waiting: 2,
          proposals: expect.arrayContaining([
            { operationId: taken, atHoldfast: 'known' },
            { operationId: lost, atHoldfast: 'missing' },
          ]) as unknown,
        },
      });
    expect(await again.outbox.evictionRead()).toEqual({ saved: true });
    await expect.poll(() => asked.latest()).toMatchObject({ state: 'missing' });
    asked.stop();
  });

  it('F090: a device that was never used is not alarmed, nor one that only restarts', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    expect(await world.read(tab, { of: 'eviction' })).toMatchObject({ state: 'missing' });
    await world.untilReceived(tab, await world.queue(tab));
    await tab.outbox.stop();
    const again = await world.openTab();
    expect(await world.read(again, { of: 'eviction' })).toMatchObject({ state: 'missing' });
  });
});
