import type { Browser, Locator, Page } from '@playwright/test';
import { startEventReceiver } from '../harness/event-receiver.ts';
import type { House } from '../harness/house.ts';
import { devices, expect, test } from '../harness/journey.ts';
import { expectReachable } from '../harness/reachable.ts';
import { expectInside, propose, signIn } from '../harness/steps.ts';

test.use({ settings: { HOLDFAST_WEBHOOKS_ALLOW_LOOPBACK: 'on' } });

const sizes = { phone: devices.agent, tablet: devices.approver, desktop: devices.operator };

/** By keyboard; what was said of the last act may stand there before the next one may begin. */
const press = async (button: Locator): Promise<void> => {
  await expect(button).toBeEnabled();
  await button.press('Enter');
};

const adminAt = async (
  browser: Browser,
  house: House,
  name: string,
  device: keyof typeof sizes,
): Promise<Page> => {
  const email = `${name.toLowerCase()}@example.test`;
  const ada = await house.welcome('admin', { email, name: `${name} Admin` });
  const page = await (await browser.newContext(sizes[device])).newPage();
  await page.goto(house.origin);
  await signIn(page, ada);
  await expectInside(page);
  return page;
};
const secretOn = async (page: Page, title: string): Promise<string> => {
  const notice = page.getByRole('status').filter({ hasText: title });
  const secret = (await notice.getByRole('button', { name: /^Copy/ }).innerText()).trim();
  await press(notice.getByRole('button', { name: 'I have copied it' }));
  await expect(notice).toHaveCount(0);
  return secret;
};
const statusWith = async (house: House, key: string): Promise<number> => {
  const response = await fetch(`${house.origin}/v1/operations`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return response.status;
};

// Red when: a secret is shown again or never, an old one stops before it was said to, or a revoked key still works.
test('an admin makes a key, changes its secret while the old one works on, and revokes both', async ({
  house,
  browser,
}) => {
  const page = await adminAt(browser, house, 'Kay', 'tablet');
  await page.goto(`${house.origin}/settings/keys`);
  await press(page.getByRole('button', { name: 'Make a key' }));
  await press(page.getByRole('button', { name: 'Make the key' }));
  await expect(page.getByLabel('What it is for')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('What it is for').fill('Help desk');
  await page.getByLabel('How much of its role').selectOption({ label: 'Only reads' });
  await expectReachable(page, 'keys, a new one');
  await press(page.getByRole('button', { name: 'Make the key' }));
  const first = await secretOn(page, 'The key');
  expect(await statusWith(house, first)).toBe(200);
  await expect(page.getByText(first)).toHaveCount(0);

  await press(page.getByRole('button', { name: 'New secret: Help desk' }));
  await page.getByRole('alertdialog').getByLabel('The old one works for').selectOption('3600');
  await press(page.getByRole('alertdialog').getByRole('button', { name: 'New secret' }));
  const second = await secretOn(page, 'The key');
  expect(second).not.toBe(first);
  expect([await statusWith(house, first), await statusWith(house, second)]).toEqual([200, 200]);
  await expect(page.getByText('The secret before works until')).toBeVisible();
  await expectReachable(page, 'keys, one with two secrets');

  await press(page.getByRole('button', { name: 'Revoke: Help desk' }));
  await press(page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }));
  expect(await statusWith(house, second)).toBe(200);
  await press(page.getByRole('button', { name: 'Revoke: Help desk' }));
  await press(page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }));
  await expect(page.getByText('"Help desk" works no more.')).toBeVisible();
  expect([await statusWith(house, first), await statusWith(house, second)]).toEqual([401, 401]);
  await page.context().close();
});

// Red when: an address inside is taken, an event goes out unsigned or is lost while nobody takes it, or what was not
// delivered cannot be seen and sent again.
test('an admin has a program told: an address inside is refused, a test arrives signed, and what was not taken is sent again', async ({
  house,
  browser,
  visit,
}) => {
  const outside = await startEventReceiver();
  const page = await adminAt(browser, house, 'Wes', 'desktop');
  await page.goto(`${house.origin}/settings/webhooks`);
  await press(page.getByRole('button', { name: 'Add an address' }));
  await page.getByRole('textbox', { name: 'Address' }).fill('https://10.0.0.7/hook');
  await press(page.getByRole('button', { name: 'Add it' }));
  await expect(page.getByRole('textbox', { name: 'Address' })).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByText(/public internet/).last()).toBeVisible();
  await page.getByRole('textbox', { name: 'Address' }).fill(outside.url);
  await expectReachable(page, 'webhooks, a new one');
  await press(page.getByRole('button', { name: 'Add it' }));
  // A second one added before the first one's secret was copied: both stand there, each with its address.
  const other = `${outside.url}-other`;
  await press(page.getByRole('button', { name: 'Add an address' }));
  await page.getByRole('textbox', { name: 'Address' }).fill(other);
  await press(page.getByRole('button', { name: 'Add it' }));
  await secretOn(page, `What the events for ${other} are signed with`);
  outside.trust(await secretOn(page, `What the events for ${outside.url} are signed with`));
  await press(page.getByRole('button', { name: `Remove: ${other}` }));
  await press(page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }));
  await expect(page.getByRole('button', { name: `Remove: ${other}` })).toHaveCount(0);

  await press(page.getByRole('button', { name: `Send a test: ${outside.url}` }));
  await expect.poll(() => outside.taken().map(({ type }) => type)).toEqual(['webhook.test']);

  outside.answer(500);
  const order = await house.sell({ name: 'told-outside', minor: 3_000 });
  await propose(await visit('agent'), order);
  await press(page.getByRole('button', { name: `Deliveries: ${outside.url}` }));
  await expect(async () => {
    await press(page.getByRole('button', { name: 'Look again' }));
    await expect(page.getByText(/Refused, answer 500/).first()).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await expectReachable(page, 'webhooks, one that is refused');
  outside.answer(204);
  await press(page.getByRole('button', { name: 'Send everything undelivered again' }));
  await expect.poll(() => outside.taken().map(({ type }) => type)).toContain('operation.proposed');
  const ids = outside.taken().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);

  await press(page.getByRole('button', { name: `Remove: ${outside.url}` }));
  await press(page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }));
  await expect(page.getByText('Nothing is sent there any more.')).toBeVisible();
  await page.context().close();
  await outside.stop();
});

// Red when: a role that was changed by mistake cannot be put back where it was done, or somebody removed is still let in.
test('an admin invites somebody, changes a role and takes it back, removes a person and has them back', async ({
  house,
  browser,
}) => {
  const page = await adminAt(browser, house, 'Pat', 'phone');
  const kim = await house.welcome('agent', { email: 'kim@example.test', name: 'Kim Leaving' });
  await page.goto(`${house.origin}/settings/people`);
  await press(page.getByRole('button', { name: 'Invite somebody' }));
  await page.getByLabel('E-mail').fill('not an address');
  await page.getByLabel('Name, as others see it').fill('Noa New');
  await press(page.getByRole('button', { name: 'Send invitation' }));
  await expect(page.getByLabel('E-mail')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('E-mail').fill('noa@example.test');
  await press(page.getByRole('button', { name: 'Send invitation' }));
  await expect(page.getByText('Hand this link on yourself')).toBeVisible();
  const invited = page.getByRole('listitem').filter({ hasText: 'noa@example.test' });
  await expect(invited).toContainText('agent');
  await expectReachable(page, 'people, one invited');
  await press(invited.getByRole('button', { name: 'Withdraw: Noa New' }));
  await press(page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }));
  await expect(page.getByText('The invitation of Noa New is withdrawn.')).toBeVisible();

  const role = page.getByLabel('Role of Kim Leaving');
  await role.selectOption('approver');
  await expect(page.getByText('Kim Leaving is Approver now')).toBeVisible();
  await press(page.getByRole('button', { name: 'Undo' }));
  await expect(role).toHaveValue('agent');

  const signedIn = async (): Promise<boolean> => {
    const response = await fetch(`${house.origin}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: house.origin },
      body: JSON.stringify({ email: kim.email, password: kim.password }),
    });
    const cookie = response.headers.getSetCookie().map((one) => one.split(';')[0]);
    const me = await fetch(`${house.origin}/v1/me`, { headers: { cookie: cookie.join('; ') } });
    return me.ok;
  };
  expect(await signedIn()).toBe(true);
  await press(page.getByRole('button', { name: 'Remove: Kim Leaving' }));
  await press(page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }));
  await expect(page.getByText('Kim Leaving does not belong here any more.')).toBeVisible();
  await expectReachable(page, 'people, one left');
  expect(await signedIn()).toBe(false);
  await press(page.getByRole('button', { name: 'Undo' }));
  await expect(role).toHaveValue('agent');
  expect(await signedIn()).toBe(true);
  await page.context().close();
});
