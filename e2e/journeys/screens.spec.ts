import type { Page } from '@playwright/test';
import { devices, expect, test } from '../harness/journey.ts';
import { graveFindings } from '../harness/reachable.ts';
import {
  card,
  expectOneRefund,
  fillRefund,
  findOrder,
  operationOn,
  openProposal,
  sendButton,
} from '../harness/steps.ts';

/** Nothing that keeps somebody out: no serious or critical finding, on the screen as it stands. */
const expectReachable = async (page: Page, screen: string): Promise<void> => {
  // Softly, so that one screen's finding hides no other's.
  expect.soft(await graveFindings(page), screen).toEqual([]);
};

for (const colorScheme of ['light', 'dark'] as const) {
  test(`every screen can be read and used by everyone, ${colorScheme}`, async ({ browser, house, visit }) => {
    const outside = await browser.newContext({ ...devices.agent, colorScheme });
    const door = await outside.newPage();
    await door.goto(house.origin);
    await expect(door.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await expectReachable(door, 'sign-in');
    await outside.close();

    const order = await house.sell({ name: `screens-${colorScheme}`, minor: 1_300 });
    const agent = await visit('agent', { colorScheme, reducedMotion: 'reduce' });
    await expectReachable(agent, 'home');
    await findOrder(agent, order);
    await expectReachable(agent, 'order');
    await fillRefund(agent, order);
    await expectReachable(agent, 'refund sheet');
    await sendButton(agent).click();
    await operationOn(agent);
    await expect(card(agent)).toContainText('Waiting for approval.');
    await expectReachable(agent, 'operation');

    const approver = await visit('approver', { colorScheme, reducedMotion: 'reduce' });
    await openProposal(approver, order);
    await expectReachable(approver, 'approvals');
    await approver.getByRole('button', { name: 'Approve' }).click();
    await expect(approver.getByRole('alertdialog')).toBeVisible();
    await expectReachable(approver, 'approve?');

    const operator = await visit('operator', { colorScheme, reducedMotion: 'reduce' });
    await operator.getByRole('navigation').getByRole('link', { name: 'Operations' }).click();
    await expect(operator.getByRole('row', { name: new RegExp(order.id) })).toBeVisible();
    await expectReachable(operator, 'operations');
  });
}

test('a refund is approved with the keyboard alone', async ({ house, visit }) => {
  const order = await house.sell({ name: 'keyboard', minor: 1_400 });
  const agent = await visit('agent');
  await findOrder(agent, order);
  await fillRefund(agent, order);
  await sendButton(agent).click();
  const id = await operationOn(agent);

  const approver = await visit('approver');
  await expect(approver.getByRole('link', { name: new RegExp(order.customer) })).toBeVisible();
  // Down the queue until this one is in front of the approver.
  await expect(async () => {
    await approver.keyboard.press('j');
    await expect(approver.getByRole('article')).toContainText(order.customer, { timeout: 500 });
  }).toPass();
  await approver.keyboard.press('a');
  const dialog = approver.getByRole('alertdialog');
  await expect(dialog).toBeVisible();
  const yes = dialog.getByRole('button', { name: 'Approve' });
  await expect(async () => {
    await approver.keyboard.press('Tab');
    await expect(yes).toBeFocused({ timeout: 500 });
  }).toPass();
  await approver.keyboard.press('Enter');
  await expectOneRefund(house, order, id, 1_400);
});
