import type { Page } from '@playwright/test';
import { expect, test, type FaultyHouse } from '../harness/outbox-test.ts';
import type { Order } from '../harness/house.ts';
import { until } from '../harness/program.ts';
import { eventsOf, proposalsOf, queueRows } from '../harness/queue-rows.ts';
import { fillRefund, operationOn, sendButton } from '../harness/steps.ts';

const openOrder = async (page: Page, house: FaultyHouse, order: Order): Promise<void> => {
  await page.goto(`${house.origin}/orders/${order.id}`);
  await expect(page.getByRole('heading', { level: 1, name: order.customer })).toBeVisible();
};

const save = async (page: Page, order: Order): Promise<string> => {
  await fillRefund(page, order);
  await sendButton(page).click();
  return operationOn(page);
};

const untilStored = (rows: () => Promise<readonly { readonly id: string }[]>) =>
  until('the server to have it', async () => {
    const stored = await rows();
    return stored.length > 0 ? stored : undefined;
  });

// Red when: an ended session takes the open form away, or what was parked does not go out after signing in in place.
test('a session that ends under an open form: signing in again in place keeps the form and sends what waited', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const parked = await house.sell({ name: 'parked', minor: 5_200 });
  const open = await house.sell({ name: 'open-form', minor: 5_300 });
  const note = 'The box was empty.';
  const device = await deviceOf('agent');
  const page = await device.start();
  await openOrder(page, house, open);
  await fillRefund(page, open);
  await page.getByLabel('Note').fill(note);
  await until('the note to be stored', async () =>
    JSON.stringify((await queueRows(page)).drafts).includes(note) ? true : undefined,
  );
  const second = await device.newTab();
  house.network.clear();
  await openOrder(second, house, parked);
  // A tab that asks who is here only after that would go to the sign-in page, where nothing is open.
  await until('the tab to know who is here', async () =>
    house.network.seen().some(({ path, answered }) => path === '/v1/me' && answered) ? true : undefined,
  );
  await serverRows.endSessions(house.people.agent.email);
  const id = await save(second, parked);
  await expect(second.getByText('Sign in to send what is saved here.').first()).toBeVisible();
  expect(await serverRows.operationsOf([parked.id])).toEqual([]);

  await page.bringToFront();
  await page.keyboard.press('Escape');
  await page.getByRole('main').getByRole('button', { name: 'Sign in', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByLabel('E-mail').fill(house.people.agent.email);
  await dialog.getByLabel('Password').fill(house.people.agent.password);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await untilStored(() => serverRows.operationsOf([parked.id]));
  expect((await serverRows.operationsOf([parked.id])).map((row) => row.id)).toEqual([id]);
  const entry = proposalsOf(await queueRows(page), parked.id)[0];
  await until('the verdict to be stored', async () =>
    eventsOf(await queueRows(page), entry?.key ?? '').includes('verdict') ? true : undefined,
  );
  expect(page.url()).toContain(open.id);
  await page.getByRole('button', { name: 'Continue your draft' }).click();
  await expect(page.getByLabel('Note')).toHaveValue(note);
});
