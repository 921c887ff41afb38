import { expect, test } from '../harness/journey.ts';
import { approve, card, expectInside, openProposal, propose, reach, signIn } from '../harness/steps.ts';

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

// Red when: a verdict does not say whose decision it met, or the card of one that was taken stays without a word.
test('two approvers on two tablets: one denies while the other approves offline, and each is told who and when', async ({
  house,
  visit,
  browser,
}) => {
  const order = await house.sell({ name: 'two-tablets', minor: 1_300 });
  const another = await house.sell({ name: 'two-tablets-next', minor: 1_400 });
  const agent = await visit('agent');
  const id = await propose(agent, order);
  await agent.goto(house.origin);
  const second = await propose(agent, another);
  const lena = await visit('approver');
  const person = await house.welcome('approver', { email: 'cleo@example.test', name: 'Cleo Second' });
  const context = await browser.newContext({ viewport: { width: 1024, height: 768 } });
  try {
    const cleo = await context.newPage();
    await cleo.goto(house.origin);
    await signIn(cleo, person);
    await expectInside(cleo);
    await openProposal(lena, order);
    await lena.context().setOffline(true);
    await lena.keyboard.press('a');
    await lena.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click();
    await expect(card(lena)).toContainText('Approval is saved on this device.');

    await openProposal(cleo, order);
    await cleo.keyboard.press('d');
    await cleo.getByLabel('Why').fill('The box came back empty.');
    await cleo.getByRole('alertdialog').getByRole('button', { name: 'Deny' }).click();
    await reach(house, id, 'denied');

    await lena.context().setOffline(false);
    const conflict = lena.getByRole('alert').filter({ hasText: 'Your approval was not accepted' });
    await expect(conflict).toContainText('Denied by Cleo Second', { timeout: 60_000 });
    await expect(conflict).toContainText('There is nothing left to do.');
    await conflict.getByRole('button', { name: 'I have read this' }).click();
    await expect(conflict).toHaveCount(0);

    // Taken while it is looked at: the card says who, and goes once that is read.
    await openProposal(lena, another);
    await openProposal(cleo, another);
    await lena.keyboard.press('d');
    await lena.getByLabel('Why').fill('Wrong customer.');
    await lena.getByRole('alertdialog').getByRole('button', { name: 'Deny' }).click();
    await reach(house, second, 'denied');
    const taken = cleo.getByRole('status').filter({ hasText: 'Denied by somebody else' });
    await expect(taken).toContainText('Denied by Lena Lead: Wrong customer.');
    await taken.getByRole('button', { name: 'I have read this' }).click();
    await expect(taken).toHaveCount(0);
    expect(await house.provider.refunds(order.payment)).toEqual([]);
    expect(await house.provider.refunds(another.payment)).toEqual([]);
  } finally {
    await context.close();
  }
});
