import type { Page } from '@playwright/test';
import { nextBuild, startDeployingNetwork, type DeployingNetwork } from '../harness/deployed-build.ts';
import { startHouseBehind, type House } from '../harness/house.ts';
import { expect, test as base } from '../harness/outbox-test.ts';
import { until } from '../harness/program.ts';
import { eventsOf, proposalsOf, queueRows } from '../harness/queue-rows.ts';
import { expectInside, fillRefund, operationOn } from '../harness/steps.ts';
import { demandWebBuild } from '../setup/demand-web-build.ts';

type Deploying = { house: House<DeployingNetwork> };

const test = base.extend<Record<never, never>, Deploying>({
  house: [
    async ({ playwright: _playwright }, use) => {
      demandWebBuild();
      const house = await startHouseBehind(startDeployingNetwork);
      await use(house);
      await house.stop();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
});

const offer = 'A new version of Holdfast is ready.';
const load = (page: Page) => page.getByRole('button', { name: 'Load the new version' });

const buildOf = (page: Page): Promise<unknown> =>
  page.evaluate(() => (globalThis as { holdfastBuild?: number }).holdfastBuild ?? 1);

/** Loading it anew takes the page away in the middle of a question. */
const untilBuild = (page: Page, build: number): Promise<unknown> =>
  until(
    `the tab to run build ${build}`,
    async () => ((await buildOf(page)) === build ? true : undefined),
    // A busy machine takes its time to load both tabs anew.
    60_000,
  );

/** The browser asks by itself at each navigation, and once a day. */
const askForUpdate = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update();
  });

test.afterEach(async ({ house }) => {
  house.network.deploy(new Map());
});

// Red when: a tab with an open form agrees, a send under way does not hinder, the offline tab's button works, or what
// takes over makes only one tab load anew.
test('an update in mid-queue is offered, waits for the form, the connection and the sending, and loses nothing', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const order = await house.sell({ name: 'mid-queue', minor: 3_100 });
  const device = await deviceOf('agent');
  const one = await device.start();
  await one.goto(house.origin);
  await expectInside(one);
  const two = await device.newTab();
  await two.goto(`${house.origin}/orders/${order.id}`);
  await fillRefund(two, order);

  house.network.deploy(await nextBuild());
  await askForUpdate(one);
  await expect(one.getByText(offer)).toBeVisible();
  await load(one).click();
  await expect(one.getByText('Another tab has an unfinished form.')).toBeVisible();
  await expect(load(two)).toBeDisabled();

  await house.network.cut();
  await two.getByRole('button', { name: 'Save on this device' }).click();
  const id = await operationOn(two);
  await expect(two.getByText('It waits until Holdfast can be reached.')).toBeVisible();
  await expect(load(two)).toBeDisabled();

  house.network.decide(({ path }) => (path === '/v1/commands' ? 'hold' : 'pass'));
  await house.network.cut();
  await house.network.mend();
  house.network.decide(({ path }) => (path === '/v1/commands' ? 'hold' : 'pass'));
  await two.evaluate(() => globalThis.dispatchEvent(new Event('focus')));
  await until('the command to be under way', async () =>
    house.network.seen().some(({ path, fate }) => path === '/v1/commands' && fate === 'hold')
      ? true
      : undefined,
  );
  await expect(two.getByText('It waits until nothing is being sent.')).toBeVisible();
  expect([await buildOf(one), await buildOf(two)]).toEqual([1, 1]);

  house.network.decide(() => 'pass');
  house.network.release();
  await expect(load(two)).toBeEnabled({ timeout: 60_000 });
  await load(two).click();
  await Promise.all([untilBuild(one, 2), untilBuild(two, 2)]);
  await expect(two.getByRole('button', { name: 'You', exact: true }).first()).toBeVisible();
  const rows = await queueRows(two);
  const entries = proposalsOf(rows, order.id);
  expect(entries.map(({ operationId }) => operationId)).toEqual([id]);
  expect(eventsOf(rows, entries[0]?.key ?? '')).toContain('verdict');
  expect((await serverRows.operationsOf([order.id])).map((row) => row.id)).toEqual([id]);
});
