import { mintId } from '../harness/cluster-people.ts';
import { expect, test } from '../harness/journey.ts';
import { expectReachable } from '../harness/reachable.ts';
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

  // And beside the decision.
  const approver = await visit('approver');
  await openProposal(approver, order);
  await approver.getByText('What was asked of the assistant').click();
  await expect(approver.getByText('Refund 20.50 euros for the headphones, the return arrived')).toBeVisible();

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
  const id = await operationOn(agent);
  await expect(card(agent)).toContainText('Waiting for approval.');

  // What becomes of the operation meanwhile does not close what somebody reads.
  const approver = await visit('approver');
  await openProposal(approver, order);
  await approver.getByText('What was asked of the assistant').click();
  const asked = approver.getByText('Refund 20.50 euros for the headphones, the return arrived');
  await expect(asked).toBeVisible();
  await house.askAsPerson('agent', `/v1/operations/${id}/cancel`, { commandId: mintId(), reason: 'A slip.' });
  await expect(approver.getByRole('article')).toContainText('Cancelled');
  await expect(asked).toBeVisible();
});

// Red when: the button or the key does not reach the question, or a part of an answer is kept or offered.
test('an answer is stopped by the button or by Escape, nothing of it is kept, and everyone can use the panel', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'asked-and-stopped', minor: 12_900 });
  const agent = await visit('agent', { reducedMotion: 'reduce' });
  await findOrder(agent, order);
  await agent.getByText('Ask the assistant').click();
  const question = agent.getByLabel('What should happen?');
  const answers = agent.getByRole('listitem').filter({ hasText: 'Refund 20.50 euros for the headphones' });
  const stopped = answers.getByText('Stopped. Nothing of it was kept.');
  const ask = async (): Promise<void> => {
    await question.fill('Refund 20.50 euros for the headphones');
    await agent.getByRole('button', { name: 'Ask', exact: true }).click();
  };
  house.network.loseAnswers();
  await ask();
  await agent.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(stopped).toHaveCount(1);
  await ask();
  await expect(agent.getByRole('button', { name: 'Stop', exact: true })).toBeFocused();
  await agent.keyboard.press('Escape');
  await expect(stopped).toHaveCount(2);
  await expect(agent.getByRole('button', { name: 'Ask', exact: true })).toBeFocused();
  await expect(agent.getByRole('button', { name: 'Fill in the refund form' })).toHaveCount(0);

  await house.network.mend();
  await ask();
  await expect(agent.getByRole('button', { name: 'Fill in the refund form' })).toBeVisible();
  for (const [width, height] of [
    [390, 844],
    [1024, 768],
    [1440, 900],
  ] as const) {
    await agent.setViewportSize({ width, height });
    await expectReachable(agent, `the assistant at ${String(width)}`);
  }
});
