import { afterEach, describe, expect, it } from 'vitest';
import { QueueDatabase } from '../../src/browser/queue-database.ts';
import type { LiveQuery } from '../../src/live-query.ts';
import { sampleProposal } from '../samples.ts';
import { BrowserWorld, type Tab } from './browser-world.ts';

let world: BrowserWorld;
afterEach(() => world.close());

type Asked = Omit<Extract<LiveQuery, { of: 'device-record' }>, 'of'>;

const pageOf = async (tab: Tab, asked: Asked = {}) => {
  const read = await world.read(tab, { of: 'device-record', ...asked });
  if (read.state !== 'ready') throw new Error(read.state);
  return read.value;
};

const ids = async (tab: Tab, asked?: Asked): Promise<readonly string[]> =>
  (await pageOf(tab, asked)).operations.map(({ operationId }) => operationId);

/** Many rows at once, as a device has them after a long week. */
const fill = async (count: number): Promise<void> => {
  const database = new QueueDatabase(`${world.name}-queue`, () => undefined);
  const rows = Array.from({ length: count }, (_, index) => {
    const operationId = `019ab000-0000-7000-8000-${String(index).padStart(12, '0')}`;
    const command = { commandId: operationId, subject: 'ann', type: 'propose', operationId };
    const orderId = `week-${String(index)}`;
    return {
      ...{ v: 1, key: `${operationId}/propose/1`, operationId, commandId: operationId, type: 'propose' },
      ...{ subject: 'ann', orderId, position: 1, supersedes: null, protocol: 1, queuedAtMs: index },
      body: JSON.stringify({ ...command, ...sampleProposal(orderId) }),
    };
  });
  await database.entries.bulkAdd(rows);
  await database.log.bulkAdd(
    rows.map(({ key }, index) => ({
      ...{ v: 1, id: `${key}#000001`, entryKey: key, atMs: index },
      event: {
        ...{ kind: 'verdict', status: 'applied', problem: null },
        ...{ operationState: 'proposed', operationVersion: 1 },
      },
    })),
  );
  database.close();
};

describe("the device's record", () => {
  // Red when: a filter lets the others through, search finds what it should not, or another person's item is shown.
  it('is the signed-in person’s, by what is open and what is done, found by reference and by order', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    const done = await world.queue(tab, 'order-done');
    await world.untilReceived(tab, done);
    await world.faults(...Array.from({ length: 60 }, () => 'error-500' as const));
    const open = await world.queue(tab, 'order-open');
    expect(await ids(tab)).toEqual([open, done]);
    expect(await ids(tab, { only: 'open' })).toEqual([open]);
    expect(await ids(tab, { only: 'done' })).toEqual([done]);
    expect(await ids(tab, { only: 'needs-you' })).toEqual([]);
    expect(await ids(tab, { text: 'order-d' })).toEqual([done]);
    expect(await ids(tab, { text: open.slice(-8) })).toEqual([open]);
    expect(await ids(tab, { text: 'order-x' })).toEqual([]);
    await tab.outbox.signedIn('ben');
    const seen = await pageOf(tab);
    expect([seen.total, seen.operations.length, seen.itemsOfOthers]).toEqual([0, 0, 2]);
  });

  // Red when: the page reads or hands over everything instead of its share.
  it('of a thousand operations hands over a page, newest first, and says how many there are', async () => {
    world = await BrowserWorld.open();
    const tab = await world.openTab();
    await fill(1_000);
    const first = await pageOf(tab, { only: 'done' });
    expect([first.total, first.operations.length]).toEqual([1_000, 30]);
    expect(first.operations[0]).toMatchObject({ orderId: 'week-999' });
    expect((await pageOf(tab, { limit: 60 })).operations).toHaveLength(60);
    expect((await pageOf(tab, { text: 'week-77' })).total).toBe(11);
  });
});
