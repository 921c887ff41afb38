import { afterEach, describe, expect, it } from 'vitest';
import { CacheDatabase } from '../../src/browser/cache-database.ts';
import { sampleOrder } from '../samples.ts';
import { BrowserWorld } from './browser-world.ts';

let world: BrowserWorld;
afterEach(() => world.close());

const numberIn = (cursor: string | null): number => Number(/^c-(\d+)$/.exec(cursor ?? '')?.[1] ?? 0);

/** The place in the feed as it is stored, and how many of the orders before it are missing. */
const stored = async (database: CacheDatabase): Promise<{ place: number; missing: number }> => {
  const [row, ids] = await database.transaction('r', [database.place, database.orders], () =>
    Promise.all([database.place.get('feed'), database.orders.toCollection().primaryKeys()]),
  );
  const place = numberIn(row?.key === 'feed' ? row.cursor : null);
  const known = new Set(ids);
  const wanted = Array.from({ length: place }, (_none, index) => `order-${index + 1}`);
  return { place, missing: wanted.filter((id) => !known.has(id)).length };
};

describe('a tab that is killed while it stores what it was told', () => {
  // Red when: the cursor is stored in a transaction of its own.
  it('leaves cursor and content together, and the next tab goes on from there', async () => {
    world = await BrowserWorld.open({ readFeed: true });
    await world.tell({ do: 'greeting', text: 'event: live\ndata: {"generation":"g-1"}\nid: c-0\n\n' });
    const database = new CacheDatabase(`${world.name}-cache`);
    let told = 0;
    for (let round = 0; round < 3; round += 1) {
      const tab = await world.openTab();
      await expect.poll(async () => (await world.report()).feedsOpen).toBe(1);
      const before = (await stored(database)).place;
      for (let piece = 0; piece < 10; piece += 1) {
        const events = Array.from({ length: 60 }, () => {
          told += 1;
          const order = JSON.stringify(sampleOrder(`order-${told}`));
          return `event: order\ndata: ${order}\nid: c-${told}\n\n`;
        });
        await world.tell({ do: 'feed', text: events.join('') });
      }
      let seen = await stored(database);
      while (seen.place === before && seen.missing === 0) seen = await stored(database);
      tab.kill();
      expect(seen.missing).toBe(0);
      expect((await stored(database)).missing).toBe(0);
      await expect.poll(async () => (await world.report()).feedsOpen).toBe(0);
    }
    await world.openTab();
    await expect.poll(() => stored(database)).toEqual({ place: told, missing: 0 });
    database.close();
  });
});
