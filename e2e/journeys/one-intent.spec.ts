import { expect, test } from '../harness/journey.ts';
import {
  approve,
  card,
  expectOneRefund,
  fillRefund,
  findOrder,
  operationOn,
  propose,
  reach,
  sendButton,
} from '../harness/steps.ts';

test('F026: two taps, a click and Enter on one form make one operation', async ({ house, visit }) => {
  const order = await house.sell({ name: 'double-tap', minor: 2_500 });
  const agent = await visit('agent');
  await findOrder(agent, order);
  await fillRefund(agent, order);
  const button = sendButton(agent);
  await button.focus();
  const box = await button.boundingBox();
  if (box === null) throw new Error('the button is not on the screen');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await Promise.all([
    agent.touchscreen.tap(x, y),
    agent.touchscreen.tap(x, y),
    agent.mouse.dblclick(x, y),
    agent.keyboard.press('Enter'),
  ]);
  const id = await operationOn(agent);
  await reach(house, id, 'proposed');
  await approve(await visit('approver'), order);
  await expectOneRefund(house, order, id, 2_500);
});

test('a reload in the middle of the form keeps the intent: one operation', async ({ house, visit }) => {
  const order = await house.sell({ name: 'reload', minor: 1_800 });
  const agent = await visit('agent');
  await findOrder(agent, order);
  await fillRefund(agent, order);
  await agent.getByLabel('Note').fill('Both ear pads were missing.');
  // Typing is stored after a short pause: another tab sees it once it is kept.
  const otherTab = await agent.context().newPage();
  await otherTab.goto(agent.url());
  await expect(otherTab.getByLabel('Note')).toHaveValue('Both ear pads were missing.');
  await otherTab.close();
  await agent.reload();
  await expect(agent.getByLabel('Note')).toHaveValue('Both ear pads were missing.');
  await expect(agent.getByRole('checkbox', { name: /Headphones/ })).toBeChecked();
  await sendButton(agent).click();
  const id = await operationOn(agent);
  await agent.reload();
  await expect(card(agent)).toContainText('Waiting for approval.');
  await approve(await visit('approver'), order);
  await expectOneRefund(house, order, id, 1_800);
});

test('F028: the same form in two tabs is one intent: one operation', async ({ house, visit }) => {
  const order = await house.sell({ name: 'two-tabs', minor: 3_100 });
  const first = await visit('agent');
  await findOrder(first, order);
  await fillRefund(first, order);
  await first.getByLabel('Note').fill('Typed in the first tab.');

  const second = await first.context().newPage();
  await second.goto(`${house.origin}/orders/${order.id}/refund`);
  await expect(second.getByLabel('Note')).toHaveValue('Typed in the first tab.');
  // Whichever is heard first closes the form everywhere; the other button may be gone before its click arrives.
  const clicks = await Promise.allSettled(
    [first, second].map((page) => sendButton(page).click({ timeout: 10_000 })),
  );
  expect(clicks.map(({ status }) => status)).toContain('fulfilled');

  const id = await operationOn(first);
  expect(await operationOn(second)).toBe(id);
  await reach(house, id, 'proposed');
  await approve(await visit('approver'), order);
  await expectOneRefund(house, order, id, 3_100);
});

test('back, forward and opening the form again meet the refund that exists', async ({ house, visit }) => {
  const order = await house.sell({ name: 'back-forward', minor: 4_200 });
  const agent = await visit('agent');
  const id = await propose(agent, order);
  await agent.goBack();
  await agent.goForward();
  await agent.goto(`${house.origin}/orders/${order.id}/refund`);
  const dialog = agent.getByRole('dialog');
  await expect(dialog).toContainText('A refund of this order is already under way');
  await dialog.getByRole('button', { name: 'Look at it' }).click();
  expect(await operationOn(agent)).toBe(id);
  await approve(await visit('approver'), order);
  await expectOneRefund(house, order, id, 4_200);
});
