import type { Page } from '@playwright/test';
import type { Order } from '../harness/house.ts';
import type { KillableBrowser } from '../harness/killable-browser.ts';
import { expect, test, type FaultyHouse } from '../harness/outbox-test.ts';
import { until } from '../harness/program.ts';
import { eventsOf, proposalsOf, queueRows } from '../harness/queue-rows.ts';
import { fillRefund, operationOn } from '../harness/steps.ts';

/** Saves a refund while there is no connection, and gives its ID. */
const saveOffline = async (page: Page, house: FaultyHouse, order: Order): Promise<string> => {
  await page.goto(`${house.origin}/orders/${order.id}`);
  await expect(page.getByRole('heading', { level: 1, name: order.customer })).toBeVisible();
  await house.network.cut();
  await fillRefund(page, order);
  await page.getByRole('button', { name: 'Save on this device' }).click();
  return operationOn(page);
};

type Registration = {
  readonly registrationId: string;
  readonly scopeURL: string;
  readonly isDeleted: boolean;
};

/** Does what the browser does when it finds a connection: wakes the service worker with its sync. */
const wakeServiceWorker = async (device: KillableBrowser, house: FaultyHouse): Promise<void> => {
  const [blank] = device.context().pages();
  if (blank === undefined) throw new Error('no tab is left to speak to the browser from');
  const session = await device.context().newCDPSession(blank);
  const found = new Promise<Registration>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const ours = registrations.find(({ scopeURL }) => scopeURL.startsWith(house.origin));
      if (ours !== undefined) resolve(ours);
    });
  });
  await session.send('ServiceWorker.enable');
  const { registrationId } = await found;
  await session.send('ServiceWorker.dispatchSyncEvent', {
    origin: house.origin,
    registrationId,
    tag: 'holdfast-send',
    lastChance: false,
  });
  await session.detach();
};

// Red when: the worker's `sync` does not send, or sends what has no owner signed in.
test('after the last tab is closed, the service worker sends what was saved, once', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const order = await house.sell({ name: 'no-tab-left', minor: 4_200 });
  const device = await deviceOf('agent');
  const page = await device.start();
  await page.goto(house.origin);
  const id = await saveOffline(page, house, order);
  expect(proposalsOf(await queueRows(page), order.id)).toHaveLength(1);
  await page.goto('about:blank');
  await house.network.mend();
  house.network.clear();

  await wakeServiceWorker(device, house);
  const stored = await until('the server to have it', async () => {
    const rows = await serverRows.operationsOf([order.id]);
    return rows.length > 0 ? rows : undefined;
  });
  expect(stored.map((row) => row.id)).toEqual([id]);
  const commands = house.network.seen().filter(({ path }) => path === '/v1/commands');
  expect(commands).toHaveLength(1);

  // The verdict is on the device too: a tab that opens has nothing to send.
  await page.goto(house.origin);
  const entry = proposalsOf(await queueRows(page), order.id)[0];
  expect(eventsOf(await queueRows(page), entry?.key ?? '')).toContain('verdict');
  expect(await serverRows.operationsOf([order.id])).toHaveLength(1);
});

// Red when: sending leans on Background Sync alone, or the app does not start without it.
test('a browser without Background Sync sends when the app is opened again', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const order = await house.sell({ name: 'no-sync', minor: 4_300 });
  const device = await deviceOf('agent');
  let page = await device.start();
  await device.context().addInitScript(() => {
    Reflect.deleteProperty(globalThis, 'SyncManager');
    Reflect.deleteProperty(ServiceWorkerRegistration.prototype, 'sync');
  });
  await page.goto(house.origin);
  expect(await page.evaluate(() => 'sync' in ServiceWorkerRegistration.prototype)).toBe(false);
  const id = await saveOffline(page, house, order);
  await device.close();
  await house.network.mend();
  expect(await serverRows.operationsOf([order.id])).toEqual([]);

  page = await device.start();
  await page.goto(house.origin);
  const stored = await until('the server to have it', async () => {
    const rows = await serverRows.operationsOf([order.id]);
    return rows.length > 0 ? rows : undefined;
  });
  expect(stored.map((row) => row.id)).toEqual([id]);
});
