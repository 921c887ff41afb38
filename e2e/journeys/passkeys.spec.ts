import type { Browser, Page } from '@playwright/test';
import postgres from 'postgres';
import { devices, expect, test } from '../harness/journey.ts';
import { addAuthenticator } from '../harness/passkey.ts';
import type { House, Person } from '../harness/house.ts';
import {
  card,
  expectInside,
  expectOneRefund,
  openProposal,
  propose,
  reach,
  signIn,
} from '../harness/steps.ts';
import { until } from '../harness/program.ts';

const asked = async <Row>(
  house: House,
  ask: (sql: postgres.Sql) => Promise<readonly Row[]>,
): Promise<readonly Row[]> => {
  const sql = postgres(await house.databaseUrl(), { max: 1, onnotice: () => undefined });
  try {
    return await ask(sql);
  } finally {
    await sql.end({ timeout: 2 });
  }
};

const approvalsOf = (house: House, id: string) =>
  asked(
    house,
    (sql) => sql<{ signed: boolean; signatures: number }[]>`
      select a.signed, (select count(*)::int from approval_signatures s
        where s.operation_id = a.operation_id and s.command_id = a.command_id) as signatures
      from approvals a where a.operation_id = ${id}`,
  );

const register = async (page: Page): Promise<void> => {
  const status = await page.evaluate(async () => {
    const post = (path: string, body: unknown) =>
      fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { options } = (await (await post('/v1/me/passkeys/options', {})).json()) as { options: never };
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
    const answer = await post('/v1/me/passkeys', { name: 'Tablet', credential: credential.toJSON() });
    return `${answer.status} ${await answer.text()}`;
  });
  expect(status).toContain('200');
};

/** On a tablet of their own: in with the password, a passkey made, out, and in again with the passkey alone. */
const withPasskey = async (browser: Browser, house: House, person: Person): Promise<Page> => {
  const context = await browser.newContext(devices.approver);
  const page = await context.newPage();
  await addAuthenticator(page);
  await page.goto(house.origin);
  await signIn(page, person);
  await expectInside(page);
  await register(page);
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

test('signed in with a passkey, approved without a connection: the approval arrives signed, and one refund is made', async ({
  house,
  visit,
  browser,
}) => {
  const person = await house.welcome('approver', { email: 'pia@example.test', name: 'Pia Key' });
  const order = await house.sell({ name: 'signed-offline', minor: 4_100 });
  const id = await propose(await visit('agent'), order);
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

test('signed without a connection while money went back elsewhere: refused, a card says so, and we refund nothing', async ({
  house,
  visit,
  browser,
}) => {
  const person = await house.welcome('approver', { email: 'quinn@example.test', name: 'Quinn Key' });
  const order = await house.sell({ name: 'signed-stale', minor: 4_200 });
  const id = await propose(await visit('agent'), order);
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
      const [row] = await asked(house, (sql) => sql`select from payments where refunded_elsewhere = 1000`);
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
