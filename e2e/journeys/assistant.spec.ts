import { expect, test } from '../harness/journey.ts';
import { card, findOrder, openProposal, operationOn, sendButton } from '../harness/steps.ts';

test('the assistant beside an order drafts what was asked for; a person looks it over and sends it', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'assistant', minor: 12_900 });
  const agent = await visit('agent');
  await findOrder(agent, order);
  await agent.getByText('Ask the assistant').click();
  await agent
    .getByLabel('What should happen?')
    .fill('Refund 20.50 euros for the headphones, the return arrived');
  await agent.keyboard.press('Tab');
  await agent.keyboard.press('Enter');
  await expect(agent.getByText(`A draft: EUR 20.50 of order ${order.id} for Headphones.`)).toBeVisible();
  await agent.getByRole('button', { name: 'Fill in the refund form' }).click();
  await expect(agent.getByRole('checkbox', { name: /Headphones/ })).toBeChecked();
  await expect(agent.getByLabel(/Amount/)).toHaveValue('20.50');
  await sendButton(agent).click();
  const id = await operationOn(agent);
  await expect(card(agent)).toContainText('Waiting for approval.');
  const stored = await house.operation(id);
  expect([stored.state, stored.amount]).toEqual(['proposed', { minor: 2_050, currency: 'EUR' }]);
  // How it came about lies beside it, for whoever looks at it.
  await agent.getByText('What was asked of the assistant').click();
  await expect(agent.getByText('Refund 20.50 euros for the headphones, the return arrived')).toBeVisible();

  // And beside the decision. What comes of the operation meanwhile does not close what somebody reads.
  const approver = await visit('approver');
  await openProposal(approver, order);
  await approver.getByText('What was asked of the assistant').click();
  const asked = approver.getByText('Refund 20.50 euros for the headphones, the return arrived');
  await expect(asked).toBeVisible();

  // Asked later, without a connection, it reports what Holdfast has recorded, and offers no second one.
  await agent.goto(`${house.origin}/orders/${order.id}`);
  await expect(agent.getByRole('heading', { level: 1, name: order.customer })).toBeVisible();
  await agent.context().setOffline(true);
  await agent.getByText('Ask the assistant').click();
  await agent.getByLabel('What should happen?').fill('What became of it?');
  await agent.getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(agent.getByRole('link', { name: /^Waiting for approval\./ })).toBeVisible();
  await expect(agent.getByRole('button', { name: 'Fill in the refund form' })).toHaveCount(0);
  await expect(agent.getByText('Answered on this device, from what it has synced.')).toBeVisible();
});

// Red when: the answer needs a connection, or what it filled in is not stored.
test('the assistant answers without a connection too, and what it filled in survives a reload and is sent', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'asked-offline', minor: 12_900 });
  const agent = await visit('agent');
  await findOrder(agent, order);
  await agent.getByText('Ask the assistant').click();
  const question = agent.getByLabel('What should happen?');
  await question.fill('What became of it?');
  await question.press('Enter');
  await expect(agent.getByText('Answered by Holdfast.')).toBeVisible();
  // The app is on this device from then on.
  await agent.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await agent.context().setOffline(true);
  await question.fill('Refund 13 euros of order 99999999');
  await question.press('Enter');
  await expect(agent.getByText('Order not found: 99999999.')).toBeVisible();
  await question.fill('Refund 20.50 euros for the headphones, the return arrived');
  await question.press('Enter');
  await agent.getByRole('button', { name: 'Fill in the refund form' }).click();
  await expect(agent.getByLabel(/Amount/)).toHaveValue('20.50');
  // Closed and opened again: what was asked is stored with the draft.
  await agent.reload();
  await expect(agent.getByLabel(/Amount/)).toHaveValue('20.50');
  await sendButton(agent).click();
  await agent.context().setOffline(false);
  await operationOn(agent);
  await expect(card(agent)).toContainText('Waiting for approval.');
});
