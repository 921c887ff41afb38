import { expect, test } from '../harness/journey.ts';
import { card, findOrder, operationOn, sendButton } from '../harness/steps.ts';

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

  // Asked later, without a connection, it reports what Holdfast has recorded, and offers no second one.
  await agent.goto(`${house.origin}/orders/${order.id}`);
  await expect(agent.getByRole('heading', { level: 1, name: order.customer })).toBeVisible();
  await agent.context().setOffline(true);
  await agent.getByText('Ask the assistant').click();
  await agent.getByLabel('What should happen?').fill('What became of it?');
  await agent.getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(agent.getByRole('link', { name: /^Waiting for approval\./ })).toBeVisible();
  await expect(agent.getByRole('button', { name: 'Fill in the refund form' })).toHaveCount(0);
});
