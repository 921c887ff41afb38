import type { BrowserContext, Page } from '@playwright/test';
import { expect, test, type FaultyHouse } from '../harness/outbox-test.ts';
import { until } from '../harness/program.ts';
import { proposalsOf, queueRows } from '../harness/queue-rows.ts';
import { expectInside, fillRefund, operationOn, sendButton, signIn } from '../harness/steps.ts';

const signOut = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'You', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
};

/** What this browser sends the server along with each request. */
const cookieOf = async (context: BrowserContext, house: FaultyHouse): Promise<string> => {
  const cookies = await context.cookies(house.origin);
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
};

/** Whether the server knows somebody by this cookie. */
const isKnown = async (house: FaultyHouse, cookie: string): Promise<boolean> => {
  const { status } = await fetch(`${house.origin}/v1/me`, { headers: { cookie } });
  if (status === 200 || status === 401) return status === 200;
  throw new Error(`/v1/me answered ${status}`);
};

// Red when: the sign-out is only kept in memory, anything is sent or read with the old session before it, the next
// person is let in before it, a read shows what is another's, or items go out under whoever is signed in.
test('two people, one tablet: a sign-out without a connection goes out first, and items wait for their owner', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const order = await house.sell({ name: 'sealed', minor: 5_100 });
  const device = await deviceOf('agent');
  let page = await device.start();
  await page.goto(`${house.origin}/orders/${order.id}`);
  await expect(page.getByRole('heading', { level: 1, name: order.customer })).toBeVisible();
  const other = await device.newTab();
  await other.goto(house.origin);
  await expectInside(other);
  const oldCookie = await cookieOf(device.context(), house);
  expect(await isKnown(house, oldCookie)).toBe(true);

  await house.network.cut();
  await fillRefund(page, order);
  await sendButton(page).click();
  const id = await operationOn(page);
  await signOut(page);
  await expect(page.getByRole('alertdialog')).toContainText('One item is saved on this device');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByLabel('E-mail')).toBeVisible();
  // The other tab agrees, and shows nothing of it any more.
  await expect(other.getByLabel('E-mail')).toBeVisible();
  await device.kill();

  page = await device.start();
  await page.goto(house.origin);
  await expect(page.getByLabel('E-mail')).toBeVisible();
  await expect(page.getByText(house.people.agent.name)).toHaveCount(0);
  house.network.clear();
  await house.network.mend();
  await signIn(page, house.people.approver);
  await expectInside(page);
  const paths = house.network.seen().map(({ path }) => path);
  const asksAsSomebody = /^\/v1\/(?!demo)|^\/api\/auth\/sign-in/;
  expect(paths.indexOf('/api/auth/sign-out')).toBeGreaterThanOrEqual(0);
  expect(paths.indexOf('/api/auth/sign-out')).toBeLessThan(
    paths.findIndex((path) => asksAsSomebody.test(path)),
  );
  expect(await isKnown(house, oldCookie)).toBe(false);

  for (const place of ['/', '/approvals', '/orders', '/operations', '/device']) {
    await page.goto(house.origin + place);
    await expectInside(page);
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible();
    const said = await page.locator('body').innerText();
    expect(said, `what ${place} says`).not.toContain(id);
    expect(said, `what ${place} says`).not.toContain('Refund proposal');
  }
  await page.goto(`${house.origin}/operations/${id}`);
  await expect(page.getByRole('main')).not.toContainText('51.00');
  expect(await serverRows.operationsOf([order.id])).toEqual([]);
  expect(proposalsOf(await queueRows(page), order.id)).toHaveLength(1);

  await signOut(page);
  await expect(page.getByLabel('E-mail')).toBeVisible();
  await signIn(page, house.people.agent);
  await expectInside(page);
  const stored = await until('the server to have it', async () => {
    const rows = await serverRows.operationsOf([order.id]);
    return rows.length > 0 ? rows : undefined;
  });
  expect(stored.map((row) => row.id)).toEqual([id]);
  // The session that the next tests would begin with was ended here.
  await serverRows.endSessions(house.people.agent.email);
});

/** Keeps the queue's storage busy, as much work before it does, until it is called. */
const holdStorage = async (page: Page): Promise<() => Promise<void>> => {
  await page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('holdfast-queue');
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error('it could not be opened'));
    });
    const names = [...database.objectStoreNames];
    const store = database.transaction(names, 'readwrite').objectStore(names[0] ?? '');
    let held = true;
    const goOn = (): void => {
      if (held) store.count().onsuccess = goOn;
      else database.close();
    };
    Object.assign(globalThis, { letGoOfStorage: () => (held = false) });
    await new Promise<void>((resolve) => {
      store.count().onsuccess = () => {
        resolve();
        goOn();
      };
    });
  });
  return async () => {
    await page.evaluate(() => (globalThis as unknown as { letGoOfStorage: () => void }).letGoOfStorage());
  };
};

// Red when: an answer that comes while a sign-out is being stored lets its person in again, and the server is never told.
test('signed out while the app still asks who is here: the late answer lets nobody in again, and the server ends the session', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const device = await deviceOf('agent');
  const page = await device.start();
  const cookie = await cookieOf(device.context(), house);
  expect(await isKnown(house, cookie)).toBe(true);
  const asksWho = (path: string): boolean => path === '/v1/me';
  house.network.decide(({ path }) => (asksWho(path) ? 'hold-answer' : 'pass'));
  const answered = page.waitForResponse((response) => asksWho(new URL(response.url()).pathname));
  await page.goto(house.origin);
  await expectInside(page);
  await page.getByRole('button', { name: 'You', exact: true }).click();
  const item = page.getByRole('menuitem', { name: 'Sign out' });
  await expect(item).toBeVisible();
  const letGo = await holdStorage(page);
  await item.click();
  await expect(item).toHaveCount(0);
  house.network.release();
  house.network.decide(() => 'pass');
  await (await answered).finished();
  await letGo();

  await expect(page.getByLabel('E-mail')).toBeVisible();
  await until('the server to end the session', async () =>
    (await isKnown(house, cookie)) ? undefined : true,
  );
  await page.reload();
  await signIn(page, house.people.operator);
  await expectInside(page);
  await page.getByRole('button', { name: 'You', exact: true }).click();
  await expect(page.getByText(house.people.operator.name)).toBeVisible();
  await serverRows.endSessions(house.people.agent.email);
});
