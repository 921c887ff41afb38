import type { Page } from '@playwright/test';
import type { Order } from '../harness/house.ts';
import type { KillableBrowser } from '../harness/killable-browser.ts';
import { saveMany, subjectOn } from '../harness/many-items.ts';
import { expect, test, type FaultyHouse } from '../harness/outbox-test.ts';
import { until } from '../harness/program.ts';
import { eventsOf, queueRows, type QueueRows } from '../harness/queue-rows.ts';

const sellMany = async (house: FaultyHouse, name: string, count: number, minor: number): Promise<Order[]> => {
  const orders: Order[] = [];
  // A few at a time: the provider's and the shop's programs answer one after another.
  for (let begin = 0; begin < count; begin += 20) {
    const numbers = Array.from({ length: Math.min(20, count - begin) }, (_, index) => begin + index);
    orders.push(...(await Promise.all(numbers.map((n) => house.sell({ name: `${name}-${n}`, minor })))));
  }
  return orders;
};

/** A device with this many refunds saved and not sent, and a page on it where the app does not run. */
const withSaved = async (
  device: KillableBrowser,
  house: FaultyHouse,
  orders: readonly Order[],
  minor: number,
): Promise<{ page: Page; ids: readonly string[] }> => {
  const page = await device.start();
  await page.goto(`${house.origin}/healthz`);
  return { page, ids: await saveMany(page, await subjectOn(page), orders, minor) };
};

const verdictsIn = (rows: QueueRows): number =>
  rows.log.filter(({ event }) => event.kind === 'verdict').length;

const untilAllHaveVerdicts = (page: Page, count: number, timeoutMs: number): Promise<unknown> =>
  until(
    `${count} verdicts`,
    async () => {
      const known = verdictsIn(await queueRows(page));
      if (known >= count) return true;
      throw new Error(`${known} are known`);
    },
    timeoutMs,
  );

const expectOneEach = (rows: QueueRows, ids: readonly string[]): void => {
  expect(rows.entries.map(({ operationId }) => operationId).sort()).toEqual([...ids].sort());
  for (const { key } of rows.entries) {
    expect(eventsOf(rows, key).filter((kind) => kind === 'verdict')).toHaveLength(1);
  }
};

for (const fate of ['portal-page', 'portal-redirect'] as const) {
  // Red when: a redirect or a page with status 200 ends an item, or is shown as "no connection".
  test(`a network that wants a sign-in of its own (${fate}) is named; everything is kept and goes out after it`, async ({
    house,
    serverRows,
    deviceOf,
  }) => {
    const orders = await sellMany(house, fate, 3, 1_100);
    const { page, ids } = await withSaved(await deviceOf('agent'), house, orders, 1_100);
    house.network.decide(({ path }) => (path === '/healthz' ? 'pass' : fate));
    await page.goto(`${house.origin}/device`);
    await expect(page.getByRole('main')).toContainText('This network wants you to sign in to it first.');
    await until('an attempt to end', async () =>
      (await queueRows(page)).log.some(({ event }) => event.result === 'network-sign-in') ? true : undefined,
    );
    const rows = await queueRows(page);
    expect(rows.entries).toHaveLength(3);
    expect(verdictsIn(rows)).toBe(0);
    expect(await serverRows.operationsOf(orders.map(({ id }) => id))).toEqual([]);

    house.network.decide(() => 'pass');
    await page.getByRole('button', { name: 'Send now' }).click();
    await untilAllHaveVerdicts(page, 3, 60_000);
    expectOneEach(await queueRows(page), ids);
    const stored = await serverRows.operationsOf(orders.map(({ id }) => id));
    expect(stored.map(({ id }) => id).sort()).toEqual([...ids].sort());
  });
}
