import type { Page } from '@playwright/test';
import type { Fate } from '../harness/fault-proxy.ts';
import type { Order } from '../harness/house.ts';
import type { KillableBrowser } from '../harness/killable-browser.ts';
import { mintId, saveMany, subjectOn } from '../harness/many-items.ts';
import { expect, test, type FaultyHouse } from '../harness/outbox-test.ts';
import { until } from '../harness/program.ts';
import { eventsOf, queueRows, type QueueRows } from '../harness/queue-rows.ts';
import { expectInside, reach } from '../harness/steps.ts';

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
  savedAtMs = Date.now(),
): Promise<{ page: Page; ids: readonly string[] }> => {
  const page = await device.start();
  await page.goto(`${house.origin}/healthz`);
  return { page, ids: await saveMany(page, await subjectOn(page), orders, minor, savedAtMs) };
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

const twentyMinutesMs = 20 * 60_000;

// Red when: an item is given up after some number of failures, its failures make it look received or in need of a
// person, or the way to send it now is gone.
test('F093: answers of 500, time after time: nothing is purged, it is shown, and it goes out when the server is well', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const orders = await sellMany(house, 'five-hundred', 2, 1_200);
  const device = await deviceOf('agent');
  const { page, ids } = await withSaved(device, house, orders, 1_200, Date.now() - twentyMinutesMs);
  house.network.decide(({ path }) =>
    path.startsWith('/v1/') && path !== '/v1/me' ? { status: 500 } : 'pass',
  );
  await page.goto(`${house.origin}/device`);
  const main = page.getByRole('main');
  const sendNow = page.getByRole('button', { name: 'Send now' });
  await expect(main).toContainText('Holdfast has trouble right now');
  // More often than any limit that we know of from elsewhere.
  await until(
    'each to have failed twelve times',
    async () => {
      await sendNow.click({ timeout: 2_000 }).catch(() => undefined);
      const { entries, log } = await queueRows(page);
      const failures = entries.map(
        ({ key }) => log.filter(({ entryKey, event }) => entryKey === key && event.status === 500).length,
      );
      if (failures.every((count) => count >= 12)) return true;
      throw new Error(`they failed ${failures.join(' and ')} times`);
    },
    90_000,
  );
  const rows = await queueRows(page);
  expect(rows.entries).toHaveLength(2);
  expect(verdictsIn(rows)).toBe(0);
  await expect(page.getByRole('link', { name: /2 on this device, oldest 2\d min/ })).toBeVisible();
  await expect(main).not.toContainText('cannot store');
  await expect(sendNow).toBeVisible();

  house.network.decide(() => 'pass');
  // It is gone where a try that was due by itself was quicker than the person.
  await sendNow.click({ timeout: 5_000 }).catch(() => undefined);
  await untilAllHaveVerdicts(page, 2, 60_000);
  expectOneEach(await queueRows(page), ids);
  const stored = await serverRows.operationsOf(orders.map(({ id }) => id));
  expect(stored.map(({ id }) => id).sort()).toEqual([...ids].sort());
});

/** Of the batches the first loses its answer, the next answer is slow, the next request is, and so on. */
const troubledBatches = (): ((request: { path: string }) => Fate) => {
  let count = 0;
  return ({ path }) => {
    if (path !== '/v1/commands') return 'pass';
    count += 1;
    if (count % 3 === 1) return 'lose-answer';
    return count % 3 === 2 ? { answerAfterMs: 1_200 } : { delayMs: 1_200 };
  };
};

// Red when: an attempt that was cut is not made again, its end makes a second operation (an ID minted for each
// attempt), or rounds that end in failure wait longer than the network is up.
test('a network that flaps every 2 s for a minute: 200 saved refunds become 200 operations, one each', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const orders = await sellMany(house, 'flapping', 200, 900);
  const { page, ids } = await withSaved(await deviceOf('agent'), house, orders, 900);
  house.network.decide(troubledBatches());
  await page.goto(house.origin);
  await expectInside(page);
  house.network.flap(2_000);
  // It flaps for a minute, or until nothing is left to send.
  await untilAllHaveVerdicts(page, 200, 60_000).catch(() => undefined);
  expect((await queueRows(page)).entries).toHaveLength(200);
  await house.network.mend();
  await untilAllHaveVerdicts(page, 200, 60_000);
  const rows = await queueRows(page);
  expectOneEach(rows, ids);
  // It was a bad network indeed: some of them left more than once.
  expect(rows.log.filter(({ event }) => event.kind === 'attempt-started').length).toBeGreaterThan(200);
  const stored = await serverRows.operationsOf(orders.map(({ id }) => id));
  expect(stored.map(({ id }) => id).sort()).toEqual([...ids].sort());

  // Of what was sent more than once, too, money moves once.
  const approved = rows.entries
    .map(({ key, operationId, orderId }) => ({ operationId, orderId, tries: eventsOf(rows, key).length }))
    .sort((one, other) => other.tries - one.tries)
    .slice(0, 5);
  for (const { operationId } of approved) {
    const { fingerprint } = (await house.operation(operationId)) as unknown as { fingerprint: string };
    const decision = { commandId: mintId(), fingerprint };
    await house.askAsPerson('approver', `/v1/operations/${operationId}/approve`, decision);
  }
  for (const { operationId, orderId } of approved) {
    await reach(house, operationId, 'confirmed');
    const payment = orders.find(({ id }) => id === orderId)?.payment;
    expect((await house.provider.refunds(payment)).map(({ amount }) => amount)).toEqual([900]);
  }
});
