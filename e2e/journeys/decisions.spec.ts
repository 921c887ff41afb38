import { expect, test } from '../harness/journey.ts';
import { approve, card, openProposal, propose, reach } from '../harness/steps.ts';

// Long enough for a person to change their mind, and for this to be seen on a slow machine.
test.use({ settings: { HOLDFAST_UNDO_MS: '600000' } });

test('an approval taken back in the undo window submits nothing', async ({ house, visit }) => {
  const order = await house.sell({ name: 'taken-back', minor: 1_100 });
  const agent = await visit('agent');
  const id = await propose(agent, order);
  const approver = await visit('approver');
  await approve(approver, order);
  await reach(house, id, 'approved');
  await expect(card(agent)).toContainText('It can be taken back');
  await approver.getByRole('button', { name: 'Take it back' }).click();
  const record = await reach(house, id, 'proposed');
  expect(record.attemptCount).toBe(0);
  await expect(approver.getByRole('button', { name: 'Approve' })).toBeVisible();
  await expect(card(agent)).toContainText('Waiting for approval');
  expect(await house.provider.refunds(order.payment)).toEqual([]);
});

test('a denial needs a reason, which the proposer reads', async ({ house, visit }) => {
  const order = await house.sell({ name: 'denied', minor: 1_200 });
  const agent = await visit('agent');
  const id = await propose(agent, order);
  const approver = await visit('approver');
  await openProposal(approver, order);
  await approver.getByRole('button', { name: 'Deny' }).click();
  const dialog = approver.getByRole('alertdialog');
  await dialog.getByRole('button', { name: 'Deny' }).click();
  await expect(dialog).toContainText('Say why. The proposer reads it.');
  expect((await house.operation(id)).state).toBe('proposed');
  await dialog.getByLabel('Why').fill('The box came back empty.');
  await dialog.getByRole('button', { name: 'Deny' }).click();
  await reach(house, id, 'denied');
  await expect(card(agent)).toContainText('Denied by Lena Lead: The box came back empty.');
  expect(await house.provider.refunds(order.payment)).toEqual([]);
});
