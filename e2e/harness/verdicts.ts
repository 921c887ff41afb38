import type { Page } from '@playwright/test';
import type { FaultyHouse } from './outbox-test.ts';
import type { Order } from './house.ts';
import { until } from './program.ts';
import { eventsOf, queueRows, type QueueRows } from './queue-rows.ts';

export const sellSome = (house: FaultyHouse, name: string, count: number, minor: number): Promise<Order[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => house.sell({ name: `${name}-${n}`, minor })));

/** How many of these operations have a verdict on the device. */
export const verdictsOf = (rows: QueueRows, ids: readonly string[]): number =>
  rows.entries.filter(
    ({ operationId, key }) => ids.includes(operationId) && eventsOf(rows, key).includes('verdict'),
  ).length;

/** Waits until the device has a verdict on each of these operations. */
export const untilVerdicts = (page: Page, ids: readonly string[]): Promise<unknown> =>
  until(
    `${ids.length} verdicts`,
    async () => {
      const known = verdictsOf(await queueRows(page), ids);
      if (known === ids.length) return true;
      throw new Error(`${known} are known`);
    },
    60_000,
  );
