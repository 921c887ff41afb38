import { expect, test } from '../harness/journey.ts';
import { approve, card, expectNoSecondTry, expectOneRefund, propose } from '../harness/steps.ts';

const delayed = 'The request was submitted, but confirmation is delayed. We are checking it.';

/** The answer is lost, and for a while the provider's listing does not show the refund either. */
const loseTheAnswer = (hiddenForMs: number) => [
  { on: 'webhook', do: 'hold', times: 'always' },
  { on: 'refund.create', do: 'execute_then_drop' },
  { on: 'refund.create', do: 'hide_from_list', ms: hiddenForMs },
];

test('F001: the answer is lost after the money moved; looking at the provider settles it: one refund', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'story', minor: 12_999 });
  const agent = await visit('agent');
  const id = await propose(agent, order);
  await expect(card(agent)).toContainText('Waiting for approval.');

  for (const fault of loseTheAnswer(4_000)) await house.provider.fault(fault);
  const approver = await visit('approver');
  await approve(approver, order);

  await expect(card(agent)).toContainText(delayed);
  await expectNoSecondTry(agent);
  expect(await house.provider.refunds(order.payment)).toHaveLength(1);
  expect((await house.operation(id)).state).toBe('outcome_unknown');

  // Nobody touches the screen: it turns into what was found.
  await expectOneRefund(house, order, id, 12_999);
  const { provider } = await house.operation(id);
  await expect(card(agent)).toContainText(`Stripe reports it refunded, reference ${provider.reference}.`);
  await expect(card(agent)).toContainText('Refunded');
  expect((await house.operation(id)).attempts).toHaveLength(1);
});

test('the answer is lost; the webhook arrives and settles it: one refund', async ({ house, visit }) => {
  const order = await house.sell({ name: 'story-webhook', minor: 4_999, currency: 'USD' });
  const agent = await visit('agent');
  const id = await propose(agent, order);
  for (const fault of loseTheAnswer(600_000)) await house.provider.fault(fault);
  await approve(await visit('approver'), order);

  await expect(card(agent)).toContainText(delayed);
  await expectNoSecondTry(agent);
  await house.provider.post('/fake/webhooks/release', {});
  await expectOneRefund(house, order, id, 4_999);
  await expect(card(agent)).toContainText('Stripe reports it refunded');
  const { observations } = await house.operation(id);
  expect(observations?.map(({ source }) => source)).toContain('webhook');
});
