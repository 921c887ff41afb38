import { expect, type Locator, type Page } from '@playwright/test';
import type { House, Order, Person } from './house.ts';
import { until } from './program.ts';

/** What people do, one step each, by what they can see and name. */

export const signIn = async (page: Page, person: Person): Promise<void> => {
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};

export const expectInside = (page: Page): Promise<void> =>
  expect(page.getByRole('button', { name: 'You', exact: true })).toBeVisible();

/** The form's button: what it says depends on whether there is a connection. */
export const sendButton = (page: Page): Locator =>
  page.getByRole('button', { name: /^(Send for approval|Save on this device)$/ });

/** This order's customer, and not one whose name goes on after it. */
const ofCustomer = (order: Order): RegExp => new RegExp(`${order.customer}(?![\\w-])`);

export const findOrder = async (page: Page, order: Order): Promise<void> => {
  await page.getByRole('searchbox').fill(order.id);
  await page.getByRole('link', { name: ofCustomer(order) }).click();
  await expect(page.getByRole('heading', { level: 1, name: order.customer })).toBeVisible();
};

/** From the order's page into the refund form, with the one line ticked. */
export const fillRefund = async (page: Page, order: Order): Promise<void> => {
  await page.getByRole('button', { name: /^(Refund|Continue your draft)$/ }).click();
  await page.getByRole('checkbox', { name: new RegExp(order.title) }).check();
};

const operationPath = /\/operations\/([0-9a-f-]{36})/;

/** The operation whose page is open. */
export const operationOn = async (page: Page): Promise<string> => {
  await page.waitForURL(operationPath);
  const id = operationPath.exec(page.url())?.[1];
  if (id === undefined) throw new Error('no operation in the address');
  return id;
};

/** The agent's whole way: find, fill in, send. Gives back the operation's ID. */
export const propose = async (page: Page, order: Order): Promise<string> => {
  await findOrder(page, order);
  await fillRefund(page, order);
  await sendButton(page).click();
  return operationOn(page);
};

export const openProposal = async (page: Page, order: Order): Promise<void> => {
  await page.getByRole('navigation').getByRole('link', { name: 'Approvals' }).click();
  await page.getByRole('link', { name: ofCustomer(order) }).click();
  await expect(page.getByRole('article')).toContainText(order.customer);
};

/** The approver's whole way: choose it in the queue, approve, say yes. */
export const approve = async (page: Page, order: Order): Promise<void> => {
  await openProposal(page, order);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click();
};

/** The operation's own card: state, sentence, thread, reference. */
export const card = (page: Page): Locator => page.getByRole('main').getByRole('article');

/** Nothing on this page offers to do it once more. */
export const expectNoSecondTry = async (page: Page): Promise<void> => {
  const offer = /retry|try again|refund again|new refund|resend/i;
  await expect(page.getByRole('button', { name: offer })).toHaveCount(0);
  await expect(page.getByRole('link', { name: offer })).toHaveCount(0);
};

/** Waits until the operation's record, asked over the API, is in this state. */
export const reach = (house: House, id: string, state: string, timeoutMs = 60_000) =>
  until(
    `operation ${id} to be ${state}`,
    async () => {
      const record = await house.operation(id);
      if (record.state === state) return record;
      throw new Error(`it is ${record.state}: ${record.sentence}`);
    },
    timeoutMs,
  );

/** The provider's ledger holds exactly one refund of this order's payment, and the record is confirmed with it. */
export const expectOneRefund = async (
  house: House,
  order: Order,
  id: string,
  minor: number,
): Promise<void> => {
  const record = await reach(house, id, 'confirmed');
  const refunds = await house.provider.refunds(order.payment);
  expect(refunds.map(({ amount }) => amount)).toEqual([minor]);
  expect(record.provider.reference).toBe(refunds[0]?.id);
  expect(await house.operationsOf(order.id)).toHaveLength(1);
};
