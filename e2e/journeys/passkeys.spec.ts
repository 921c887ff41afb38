import type { Browser, Page } from '@playwright/test';
import { devices, expect, test } from '../harness/journey.ts';
import { addAuthenticator, makePasskey, openSecurity, rowsOf } from '../harness/passkey.ts';
import { mintId } from '../harness/many-items.ts';
import { expectReachable } from '../harness/reachable.ts';
import type { House, Order, Person } from '../harness/house.ts';
import { card, expectInside, expectOneRefund, openProposal, reach, signIn } from '../harness/steps.ts';
import { until } from '../harness/program.ts';

const approvalsOf = (house: House, id: string) =>
  rowsOf<{ signed: boolean; signatures: number }>(
    house,
    (sql) => sql`select a.signed, (select count(*)::int from approval_signatures s
        where s.operation_id = a.operation_id and s.command_id = a.command_id) as signatures
      from approvals a where a.operation_id = ${id}`,
  );

/** By a program of the agent's: what is looked at here is the approver's side. */
const propose = async (house: House, order: Order, minor: number): Promise<string> => {
  const id = mintId();
  const proposal = {
    kind: 'refund',
    orderId: order.id,
    amount: { minor, currency: 'EUR' },
    reason: 'returned',
  };
  const command = { type: 'propose', commandId: id, operationId: id, ...proposal };
  await house.askAsPerson('agent', '/v1/commands', { commands: [command] });
  await reach(house, id, 'proposed');
  return id;
};

/** On a tablet of their own: in with the password, a passkey made, out, and in again with the passkey alone. */
const withPasskey = async (browser: Browser, house: House, person: Person): Promise<Page> => {
  const context = await browser.newContext(devices.approver);
  const page = await context.newPage();
  await addAuthenticator(page);
  await page.goto(house.origin);
  await signIn(page, person);
  await expectInside(page);
  await openSecurity(page);
  await makePasskey(page, 'Tablet');
  await page.getByRole('button', { name: 'You', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await expectInside(page);
  return page;
};

const approveOffline = async (page: Page, house: House): Promise<void> => {
  await house.network.cut();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click();
  await expect(card(page)).toContainText('Approval is saved on this device.');
};

// Red when: the keys are not learned once the passkey is there; when the outbox leaves the assertion out.
test('signed in with a passkey, approved without a connection: the approval arrives signed, and one refund is made', async ({
  house,
  browser,
}) => {
  const person = await house.welcome('approver', { email: 'pia@example.test', name: 'Pia Key' });
  const order = await house.sell({ name: 'signed-offline', minor: 4_100 });
  const id = await propose(house, order, 4_100);
  const page = await withPasskey(browser, house, person);
  try {
    await openProposal(page, order);
    await approveOffline(page, house);
    expect((await house.operation(id)).approvals).toEqual([]);
    await house.network.mend();
    await expectOneRefund(house, order, id, 4_100);
    expect(await approvalsOf(house, id)).toEqual([{ signed: true, signatures: 1 }]);
  } finally {
    await page.context().close();
  }
});

// Red when: what the approver saw is left out of the command.
test('signed without a connection while money went back elsewhere: refused, a card says so, and we refund nothing', async ({
  house,
  browser,
}) => {
  const person = await house.welcome('approver', { email: 'quinn@example.test', name: 'Quinn Key' });
  const order = await house.sell({ name: 'signed-stale', minor: 4_200 });
  const id = await propose(house, order, 4_200);
  const page = await withPasskey(browser, house, person);
  try {
    await openProposal(page, order);
    await approveOffline(page, house);
    await house.provider.post('/fake/refunds', {
      payment_intent: order.payment,
      amount: 1_000,
      metadata: {},
    });
    await until('the refund elsewhere to be known', async () => {
      const [row] = await rowsOf(house, (sql) => sql`select from payments where refunded_elsewhere = 1000`);
      return row === undefined ? undefined : true;
    });
    await house.network.mend();
    const conflict = page.getByRole('alert').filter({ hasText: 'Your approval was not accepted' });
    await expect(conflict).toBeVisible({ timeout: 60_000 });
    await expect(conflict).toContainText('EUR 10.00 of it was refunded elsewhere.');
    await expect(conflict).toContainText('EUR 32.00 is refundable.');
    await reach(house, id, 'proposed');
    expect(await approvalsOf(house, id)).toEqual([]);
    expect((await house.provider.refunds(order.payment)).map(({ amount }) => amount)).toEqual([1_000]);
  } finally {
    await page.context().close();
  }
});

// Red when: the confirmation's answer is not waited for; when a revoked passkey stays in what approvals are signed with.
test('a passkey is made and revoked on the screen by keys alone; revoking asks who it is, and it opens nothing any more', async ({
  house,
  browser,
}) => {
  const person = await house.welcome('approver', { email: 'robin@example.test', name: 'Robin Key' });
  const context = await browser.newContext(devices.approver);
  const elsewhere = await browser.newContext();
  try {
    const page = await context.newPage();
    await addAuthenticator(page);
    await page.goto(house.origin);
    await signIn(page, person);
    await expectInside(page);
    await openSecurity(page);
    await expectReachable(page, 'no passkey');
    await makePasskey(page, 'Tablet');
    await expectReachable(page, 'one passkey');
    const passkeys = () =>
      rowsOf<{ name: string; revoked: boolean }>(
        house,
        (sql) => sql`select p.name, p.revoked_at is not null as revoked from sign_in.passkey p
          join sign_in."user" u on u.id = p.user_id where u.email = ${person.email}`,
      );
    expect(await passkeys()).toEqual([{ name: 'Tablet', revoked: false }]);

    const other = await elsewhere.newPage();
    await other.goto(house.origin);
    await signIn(other, person);
    await expectInside(other);
    await page.reload();
    const sessions = page.getByRole('region', { name: /Where you are signed in/ });
    await expect(sessions.getByRole('listitem')).toHaveCount(2);
    await expect(sessions.getByRole('listitem').first()).toContainText('This one');
    await sessions.getByRole('button', { name: /^End the session of/ }).press('Enter');
    await expect(page.getByText('That session has ended.')).toBeVisible();
    await expect(sessions.getByRole('listitem')).toHaveCount(1);
    await other.reload();
    await expect(other.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();

    await rowsOf(
      house,
      (sql) => sql`update sign_in.session s set proved_at = now() - interval '11 minutes'
        from sign_in."user" u where u.id = s."userId" and u.email = ${person.email}`,
    );
    await page.getByRole('button', { name: 'Revoke: Tablet' }).press('Enter');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).press('Enter');
    const confirmation = page.getByRole('alertdialog', { name: 'Confirm that it is you' });
    await expectReachable(page, 'confirm');
    await confirmation.getByLabel('Your password').fill('not this one');
    await page.keyboard.press('Enter');
    await expect(confirmation).toContainText('This is not your password.');
    expect(await passkeys()).toEqual([{ name: 'Tablet', revoked: false }]);
    await confirmation.getByLabel('Your password').fill(person.password);
    await page.keyboard.press('Enter');
    await expect(page.getByText('"Tablet" works no more.')).toBeVisible();
    expect(await passkeys()).toEqual([{ name: 'Tablet', revoked: true }]);
    await expect(page.getByText('two admins have to let you register a new one')).toBeVisible();
    await expectReachable(page, 'revoked');

    await page.getByRole('button', { name: 'You', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await expect(page.getByText('This passkey does not open anything here.')).toBeVisible();
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await expect(page.getByRole('heading', { name: 'A new password' })).toBeVisible();
    await expectReachable(page, 'forgotten');
  } finally {
    await context.close();
    await elsewhere.close();
  }
});
