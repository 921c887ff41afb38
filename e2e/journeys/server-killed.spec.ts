import { expect, test } from '../harness/journey.ts';
import { until } from '../harness/program.ts';
import { approve, card, expectOneRefund, propose } from '../harness/steps.ts';

test('F032: the server is killed while the provider works; started again it finds the one refund', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'killed-working', minor: 5_100 });
  const agent = await visit('agent');
  const id = await propose(agent, order);
  await house.provider.fault({ on: 'webhook', do: 'hold', times: 'always' });
  await house.provider.fault({ on: 'refund.create', do: 'execute_then_hang' });
  await approve(await visit('approver'), order);
  await until('the provider to have moved the money', async () => {
    const refunds = await house.provider.refunds(order.payment);
    return refunds.length === 1 ? true : undefined;
  });
  await house.kill();
  await house.restart();
  await expectOneRefund(house, order, id, 5_100);
  const record = await house.operation(id);
  expect(record.attempts?.length).toBe(record.attemptCount);
  expect(record.attemptCount).toBeGreaterThan(0);
  // The browser was open all the time and needed no reload.
  await expect(card(agent)).toContainText('Stripe reports it refunded', { timeout: 60_000 });
});

test('the server is killed right after the approval; started again it refunds once', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'killed-approved', minor: 5_200 });
  const agent = await visit('agent');
  const id = await propose(agent, order);
  await approve(await visit('approver'), order);
  await until('the approval to be recorded', async () => {
    const { approvals } = await house.operation(id);
    return approvals.length === 1 ? true : undefined;
  });
  await house.kill();
  await house.restart();
  await expectOneRefund(house, order, id, 5_200);
  await expect(card(agent)).toContainText('Stripe reports it refunded', { timeout: 60_000 });
});
