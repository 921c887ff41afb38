import type { Page } from '@playwright/test';
import { expect, test } from '../harness/outbox-test.ts';
import { until } from '../harness/program.ts';
import { queueRows } from '../harness/queue-rows.ts';
import { card, expectInside, fillRefund, operationOn, sendButton } from '../harness/steps.ts';

const dayMs = 86_400_000;

/** The pages' clock is off by this much from the next document on; the service worker's and the server's are right. */
const shiftClock = async (page: Page, offMs: number): Promise<void> => {
  await page.addInitScript((shiftMs) => {
    const Real = Date;
    class Shifted extends Real {
      constructor(...given: []) {
        if (given.length === 0) super(Real.now() + shiftMs);
        else super(...given);
      }
      static override now(): number {
        return Real.now() + shiftMs;
      }
    }
    globalThis.Date = Shifted as DateConstructor;
  }, offMs);
};

for (const [name, offMs] of [
  ['a day ahead', dayMs],
  ['a day behind', -dayMs],
] as const) {
  // Red when: a pause or a lease is kept as a time of day that may lie a day ahead when the clock is put right, or a
  // time of the device's clock is shown as if the server had told it.
  test(`a clock ${name}: saved, tried, the clock put right, sent; nothing waits for that day to pass`, async ({
    house,
    serverRows,
    deviceOf,
  }) => {
    const order = await house.sell({ name: `clock-${offMs}`, minor: 2_100 });
    const device = await deviceOf('agent');
    const page = await device.start();
    await shiftClock(page, offMs);
    await page.goto(`${house.origin}/orders/${order.id}`);
    await expectInside(page);
    await fillRefund(page, order);
    house.network.decide(({ path }) => (path === '/healthz' ? 'pass' : 'refuse'));
    await sendButton(page).click();
    const id = await operationOn(page);
    await expect(card(page)).toContainText('Saved on this device.');
    await expect(page.getByRole('main')).toContainText("by this device's clock");
    await until('an attempt to fail', async () =>
      (await queueRows(page)).log.some(({ event }) => event.kind === 'attempt-ended') ? true : undefined,
    );
    const [entry] = (await queueRows(page)).entries;
    expect(Math.abs((entry?.queuedAtMs ?? 0) - (Date.now() + offMs))).toBeLessThan(dayMs / 24);
    await device.kill();

    // Somebody puts the clock right while the tablet is off.
    await house.network.mend();
    const again = await device.start();
    await again.goto(`${house.origin}/operations/${id}`);
    await expect(card(again)).toContainText('Waiting for approval.', { timeout: 60_000 });
    await until('the verdict to be recorded', async () =>
      (await queueRows(again)).log.some(({ event }) => event.kind === 'verdict') ? true : undefined,
    );
    const stored = await serverRows.operationsOf([order.id]);
    expect(stored.map((operation) => operation.id)).toEqual([id]);
    const record = await house.operation(id);
    const madeAtMs = Date.parse(record.createdAt);
    // The server's own times are its own, whatever the ID's first digits say.
    expect(Math.abs(madeAtMs - Date.now())).toBeLessThan(dayMs / 24);
  });
}
