import { expect, test } from '../harness/journey.ts';
import { approve, card, expectNoSecondTry, expectOneRefund, propose, reach } from '../harness/steps.ts';

test('F121: the provider declines: no screen says refunded, and it says that no money moved', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'declined', minor: 2_200 });
  const agent = await visit('agent');
  const id = await propose(agent, order);
  await house.provider.fault({
    on: 'refund.create',
    do: 'error_before',
    status: 400,
    type: 'invalid_request_error',
    code: 'charge_disputed',
    message: 'The charge is disputed.',
  });
  const approver = await visit('approver');
  await approve(approver, order);
  const record = await reach(house, id, 'failed');
  expect(record.sentence).toMatch(/^No money moved\. Stripe declined it/);
  for (const page of [agent, approver]) {
    await expect(card(page)).toContainText('No money moved. Stripe declined it');
    await expect(page.getByRole('main')).not.toContainText(/Refunded$|reports it refunded/);
  }
  expect(await house.provider.refunds(order.payment)).toEqual([]);
});

test('F053: pending is not success: it says who has it, and offers no second try', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'pending', minor: 3_300 });
  const agent = await visit('agent');
  const id = await propose(agent, order);
  await house.provider.fault({ on: 'refund.create', do: 'pending_then', then: 'succeeded', ms: 6_000 });
  await approve(await visit('approver'), order);
  await expect(card(agent)).toContainText(
    'Stripe has accepted it and is processing it. The customer does not have the money yet.',
  );
  await expect(card(agent)).not.toContainText('Refunded');
  await expectNoSecondTry(agent);
  await expectOneRefund(house, order, id, 3_300);
  await expect(card(agent)).toContainText('Stripe reports it refunded');
});

test('F004: no answer within the deadline is unknown, never failed, and then confirmed', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'timeout', minor: 4_400 });
  const agent = await visit('agent');
  const id = await propose(agent, order);
  await house.provider.fault({ on: 'webhook', do: 'hold', times: 'always' });
  await house.provider.fault({ on: 'refund.create', do: 'execute_then_hang' });
  await house.provider.fault({ on: 'refund.create', do: 'hide_from_list', ms: 7_000 });
  await approve(await visit('approver'), order);
  await expect(card(agent)).toContainText(
    'The request was submitted, but confirmation is delayed. We are checking it.',
  );
  await expectNoSecondTry(agent);
  await expectOneRefund(house, order, id, 4_400);
  const { timeline } = await house.operation(id);
  const states = timeline?.map(({ state }) => state);
  expect(states).toContain('outcome_unknown');
  expect(states).not.toContain('failed');
  await expect(card(agent)).toContainText('Stripe reports it refunded');
});

test('what one person does is seen by another without a reload', async ({ house, visit }) => {
  const order = await house.sell({ name: 'second-browser', minor: 9_900 });
  const operator = await visit('operator');
  await operator.getByRole('navigation').getByRole('link', { name: 'Operations' }).click();
  const approver = await visit('approver');
  const id = await propose(await visit('agent'), order);
  const row = operator.getByRole('row', { name: new RegExp(order.id) });
  await expect(row).toContainText('Waiting for approval');
  await approve(approver, order);
  await expect(row).toContainText('Refunded');
  await expectOneRefund(house, order, id, 9_900);
});
