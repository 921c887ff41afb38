import type { Page } from '@playwright/test';
import type { Fate } from '../harness/fault-proxy.ts';
import { expect, test, type FaultyHouse } from '../harness/outbox-test.ts';
import { expectInside } from '../harness/steps.ts';

// Networks that let no stream through, or cut it: what Holdfast tells arrives all the same, and no screen speaks of
// trouble that there is not.

const feedIs = (house: FaultyHouse, fate: Fate): void =>
  house.network.decide(({ path }) => (path.startsWith('/v1/feed') ? fate : 'pass'));

const pill = (page: Page) => page.getByRole('link', { name: /What is on this device/ });

/** Everything that the pill says from now on. */
const followPill = async (page: Page): Promise<() => Promise<string[]>> => {
  await pill(page).evaluate((element) => {
    const said = new Set<string>([element.textContent ?? '']);
    new MutationObserver(() => said.add(element.textContent ?? '')).observe(element, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    Object.assign(window, { said });
  });
  return () => page.evaluate(() => [...(window as unknown as { said: Set<string> }).said]);
};

const openOrders = async (page: Page, house: FaultyHouse): Promise<void> => {
  await page.goto(`${house.origin}/orders`);
  await expectInside(page);
};

// Red when: a stream that says nothing is waited for, opened again and again, or shown as "No connection".
test('behind a proxy that holds streams back, what is new is asked for, and comes', async ({
  house,
  deviceOf,
}) => {
  feedIs(house, 'hold-back');
  const device = await deviceOf('agent');
  const page = await device.start();
  await openOrders(page, house);
  for (const name of ['held-back-one', 'held-back-two', 'held-back-three']) {
    const order = await house.sell({ name, minor: 2_500 });
    await expect(page.getByRole('link', { name: new RegExp(order.id) }).first()).toBeVisible({
      timeout: 60_000,
    });
  }
  await expect(pill(page)).toContainText('All received');
  const polls = house.network.seen().filter(({ path }) => path.includes('until=caught-up'));
  expect(polls.some(({ answered }) => answered)).toBe(true);
});

// Red when: a stream that is cut begins anew without its cursor, waits longer each time, or makes the pill flap.
test('behind a proxy that cuts every stream, everything arrives and the pill stays as it is', async ({
  house,
  deviceOf,
}) => {
  feedIs(house, { cutAfterMs: 1_000 });
  const device = await deviceOf('agent');
  const page = await device.start();
  await openOrders(page, house);
  await expect(pill(page)).toContainText('All received');
  const said = await followPill(page);
  for (const name of ['cut-one', 'cut-two', 'cut-three']) {
    const order = await house.sell({ name, minor: 2_500 });
    await expect(page.getByRole('link', { name: new RegExp(order.id) }).first()).toBeVisible({
      timeout: 30_000,
    });
  }
  expect((await said()).map((text) => text.replace('What is on this device: ', '').trim())).toEqual([
    'All received',
  ]);
});
