import { randomBytes } from 'node:crypto';
import type { Browser, Page } from '@playwright/test';
import postgres from 'postgres';
import type { House, Order } from '../harness/house.ts';
import { devices, expect, test } from '../harness/journey.ts';
import { expectInside, reach, signIn } from '../harness/steps.ts';
import { until } from '../harness/program.ts';
import { expectReachable } from '../harness/reachable.ts';

// A person is needed as soon as the first look has shown nothing.
test.use({
  settings: { HOLDFAST_NEEDS_PERSON_AFTER_MS: '2000', HOLDFAST_CHECK_BACKOFF_MS: '1000,1000,2000' },
});

/** A UUIDv7, as a device mints one. */
const mintId = (): string => {
  const hex = Date.now().toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

const amount = { minor: 4_000, currency: 'EUR' };

/** Proposed and approved by people elsewhere; what the provider does with it was armed before. */
const lose = async (house: House, order: Order): Promise<string> => {
  const operationId = mintId();
  const propose = {
    ...{ type: 'propose', commandId: operationId, operationId, kind: 'refund', orderId: order.id, amount },
    ...{ reason: 'returned', note: 'The parcel is back.' },
  };
  await house.askAsPerson('agent', '/v1/commands', { commands: [propose] });
  const { fingerprint } = (await house.operation(operationId)) as unknown as { fingerprint: string };
  const approve = { type: 'approve', commandId: mintId(), operationId, fingerprint };
  await house.askAsPerson('approver', '/v1/commands', { commands: [approve] });
  return operationId;
};

const needsPerson = (house: House, id: string) =>
  until(`${id} to need a person`, async () => {
    const record = await house.operation(id);
    return record.needsPerson ? record : undefined;
  });

const inDatabase = async <Found>(
  house: House,
  work: (sql: postgres.Sql) => Promise<Found>,
): Promise<Found> => {
  const sql = postgres(await house.databaseUrl(), { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
};

/** Operations of which a person asked the provider, as their rows say. */
const askedForByPeople = (house: House): Promise<readonly string[]> =>
  inDatabase(house, async (sql) => {
    const rows = await sql<{ id: string }[]>`select id from operations where check_asked_at is not null`;
    return rows.map(({ id }) => id);
  });

const openCase = async (page: Page, house: House, order: Order): Promise<void> => {
  await page.goto(`${house.origin}/uncertain`);
  await page.getByRole('link', { name: new RegExp(order.customer) }).click();
  await expect(page.getByRole('heading', { name: 'Both sides' })).toBeVisible();
};

const secondOperator = async (house: House, browser: Browser): Promise<Page> => {
  const person = await house.welcome('operator', { email: 'olga@example.test', name: 'Olga Second' });
  const page = await (await browser.newContext(devices.operator)).newPage();
  await page.goto(house.origin);
  await signIn(page, person);
  await expectInside(page);
  return page;
};

test('three cases, found late, never happened and contradicted afterwards, are settled on the screen that shows them', async ({
  house,
  visit,
  browser,
}) => {
  const sell = (name: string) => house.sell({ name: `desk-${name}`, minor: 9_900 });
  const [late, never, contradicted] = [await sell('late'), await sell('never'), await sell('contradicted')];
  for (const { payment } of [late, never]) {
    await house.provider.fault({
      on: 'refund.create',
      do: 'drop_before',
      times: 'always',
      paymentIntent: payment,
    });
  }
  const { payment } = contradicted;
  await house.provider.fault({ on: 'webhook', do: 'hold', times: 'always', paymentIntent: payment });
  await house.provider.fault({
    on: 'refund.create',
    do: 'execute_then_drop',
    times: 'always',
    paymentIntent: payment,
  });
  await house.provider.fault({
    on: 'refund.create',
    do: 'hide_from_list',
    ms: 900_000,
    paymentIntent: payment,
  });
  const ids = {
    late: await lose(house, late),
    never: await lose(house, never),
    contradicted: await lose(house, contradicted),
  };
  for (const id of Object.values(ids)) await needsPerson(house, id);
  // Somebody paid it out by hand meanwhile: the provider's record names no operation.
  await house.provider.post('/fake/refunds', { payment_intent: late.payment, amount: amount.minor });

  const operator = await visit('operator');
  await operator.goto(`${house.origin}/uncertain`);
  await expect(operator.getByRole('listitem').filter({ hasText: 'Needs a person' })).toHaveCount(3);
  await expectReachable(operator, 'queue of attention');

  // With the keyboard alone: down to the first, look at it, take it, open it.
  await operator.keyboard.press('j');
  await operator.keyboard.press('l');
  await expect(operator.getByText('The provider is being asked about it.')).toBeVisible();
  await operator.keyboard.press('t');
  const queue = operator.getByRole('list', { name: 'The queue of attention' });
  await expect(queue.getByText('You have it', { exact: true })).toBeVisible();
  await operator.keyboard.press('Enter');
  await expect(operator.getByRole('heading', { name: 'Both sides' })).toBeVisible();

  // Two at once, from the queue.
  await operator.goto(`${house.origin}/uncertain`);
  for (const { customer } of [never, contradicted]) {
    await operator.getByRole('checkbox', { name: new RegExp(`^Mark .*${customer}`) }).check();
  }
  expect(await askedForByPeople(house)).toEqual([ids.late]);
  await operator.getByRole('button', { name: 'Look now at 2' }).click();
  await expect(operator.getByText('The provider is being asked about all 2.')).toBeVisible();
  expect(new Set(await askedForByPeople(house))).toEqual(new Set(Object.values(ids)));
  await expect(operator.getByRole('button', { name: 'Look now at all 3' })).toBeVisible();

  // Found late.
  await openCase(operator, house, late);
  const dashboard = operator.getByRole('link', { name: 'Open in Stripe’s dashboard' });
  await expect(dashboard).toHaveAttribute(
    'href',
    new RegExp(`^https://dashboard\\.stripe\\.com/\\w+/test/payments/${late.payment}$`),
  );
  await expect(dashboard).toHaveAttribute('rel', 'noopener noreferrer');
  await expect(operator.getByText('that names no operation')).toBeVisible();
  await expectReachable(operator, 'case');
  await operator.getByRole('button', { name: 'Use this reference' }).click();
  await operator.getByLabel('Note: how you know').fill('Paid out by hand; the reference is theirs.');
  await operator.getByRole('button', { name: 'Settle', exact: true }).click();
  const confirmed = await reach(house, ids.late, 'confirmed');
  const byHand = await house.provider.refunds(late.payment);
  expect(byHand.map(({ id }) => id)).toEqual([confirmed.provider.reference]);
  await expect(operator.getByRole('main').getByRole('article')).toContainText('Stripe reports it refunded');
  // What was bound here is not told as if Stripe's record named it.
  await expect(operator.getByText(/^shows none; bound to this operation by /)).toBeVisible();

  // Never happened: one word waits for another person's, who looks at the same evidence.
  const second = await secondOperator(house, browser);
  for (const [index, order] of [never, contradicted].entries()) {
    await openCase(operator, house, order);
    await operator.getByRole('radio', { name: /It did not happen/ }).check();
    await operator.getByLabel('Note: how you know').fill('Stripe shows nothing after an hour.');
    await operator.getByRole('button', { name: 'Settle', exact: true }).click();
    await expect(operator.getByText('Another operator must say the same.')).toBeVisible();
    await expect(operator.getByText('You wrote: “Stripe shows nothing after an hour.”')).toBeVisible();
    expect((await house.operation([ids.never, ids.contradicted][index] ?? '')).state).toBe('outcome_unknown');

    await second.goto(`${house.origin}/uncertain?reason=second-word`);
    await expect(second.getByText(/Waits for a second operator\. .+ said: it did not happen$/)).toHaveCount(
      1,
    );
    await expect(second.getByText('1 case, 1 needs a person')).toBeVisible();
    await openCase(second, house, order);
    await second.getByRole('button', { name: 'Say the same: It did not happen' }).click();
    await second.getByLabel('Note: how you know').fill('I see none either.');
    await second.getByRole('button', { name: 'Settle', exact: true }).click();
    await reach(house, [ids.never, ids.contradicted][index] ?? '', 'failed');
  }
  expect(await house.provider.refunds(never.payment)).toEqual([]);
  // Two people, two notes: each stands with whoever wrote it.
  await second.goto(`${house.origin}/operations/${ids.never}`);
  const article = second.getByRole('main').getByRole('article');
  await expect(article).toContainText('(“Stripe shows nothing after an hour.”) and');
  await expect(article).toContainText('(“I see none either.”)');

  // Contradicted afterwards: it comes back by itself, loudly, and leaves only when somebody has looked.
  await house.provider.clearFaults();
  const back = await reach(house, ids.contradicted, 'confirmed');
  expect(back.needsPerson).toBe(true);
  await openCase(second, house, contradicted);
  await expect(second.getByText('Nothing that replaces it is sent while this stands.')).toBeVisible();
  await expect(
    second.getByText(/ recorded \(.+\) that it did not happen: “Stripe shows nothing/),
  ).toBeVisible();
  await expect(second.getByText('Since then Stripe has shown something else.')).toBeVisible();
  await expectReachable(second, 'contradicted case');
  await second.getByLabel('Note: what you found').fill('It was late; the customer keeps it.');
  await second.getByRole('button', { name: 'I have looked at it' }).click();
  await until('nobody to be needed', async () =>
    (await house.operation(ids.contradicted)).needsPerson ? undefined : true,
  );
  await expect(
    second.getByText(/ has looked at it; it stays as it is recorded\. .+ wrote: “It was late;/),
  ).toBeVisible();
  const paid = await house.provider.refunds(contradicted.payment);
  expect(paid.map(({ amount: minor }) => minor)).toEqual([amount.minor]);

  await second.goto(`${house.origin}/uncertain`);
  await expect(second.getByText('No outcome is uncertain.')).toBeVisible();
  await second.context().close();
});

// Red when: the queue shows its copy's times alone, or what came of a look is not read again.
test('the queue shows when a case is looked at next although no version tells of it, and says what came of a look', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'desk-looks', minor: 9_900 });
  await house.provider.fault({
    ...{ on: 'refund.create', do: 'drop_before', times: 'always', paymentIntent: order.payment },
  });
  const id = await lose(house, order);
  await needsPerson(house, id);
  const operator = await visit('operator');
  await operator.goto(`${house.origin}/uncertain`);
  const row = operator.getByRole('listitem').filter({ hasText: order.customer });
  await expect(row).toBeVisible();
  const { version } = await house.operation(id);
  // A look under way sets its own next time once more.
  const putOff = (): Promise<unknown> =>
    inDatabase(
      house,
      (sql) => sql`update operations set wake_at = now() + interval '3 hours',
        next_check_at = now() + interval '3 hours' where id = ${id}`,
    );
  await expect
    .poll(async () => putOff().then(() => row.textContent()), { timeout: 30_000 })
    .toMatch(/checked in [23] h/);

  await row.getByRole('link').focus();
  await operator.keyboard.press('l');
  await expect(row).toContainText(/asked .*: Stripe shows nothing of it yet/);
  await expect(operator.getByText('The provider was asked: nothing new about 1.').first()).toBeVisible();
  expect((await house.operation(id)).version).toBe(version);

  await row.getByRole('link').click();
  // Within two seconds of the question before it is not taken.
  await expect(async () => {
    await operator.getByRole('button', { name: 'Check now' }).click();
    await expect(operator.getByText(/^Asked .*: Stripe shows nothing of it yet\.$/).first()).toBeVisible({
      timeout: 5_000,
    });
  }).toPass();
});

test('on a phone the queue and a case can be read and used', async ({ house, visit }) => {
  const order = await house.sell({ name: 'desk-phone', minor: 9_900 });
  await house.provider.fault({
    ...{ on: 'refund.create', do: 'drop_before', times: 'always', paymentIntent: order.payment },
  });
  const id = await lose(house, order);
  await needsPerson(house, id);
  const phone = await visit('operator', { viewport: { width: 390, height: 844 }, hasTouch: true });
  await phone.goto(`${house.origin}/uncertain?q=${order.id}&order=largest`);
  await expect(phone.getByRole('link', { name: new RegExp(order.customer) })).toBeVisible();
  await expectReachable(phone, 'queue on a phone');
  await phone.getByRole('link', { name: new RegExp(order.customer) }).click();
  await phone.getByRole('link', { name: 'Back', exact: true }).click();
  // To the list as it was narrowed.
  await expect(phone).toHaveURL(`${house.origin}/uncertain?q=${order.id}&order=largest`);
  await phone.getByRole('link', { name: new RegExp(order.customer) }).click();
  await phone.getByRole('button', { name: 'Take it' }).click();
  await expect(phone.getByText('You have it')).toBeVisible();
  await phone.getByLabel('Comment').fill('Called the customer.');
  await phone.getByRole('button', { name: 'Keep the comment' }).click();
  await expect(phone.getByRole('list', { name: 'Comments' })).toContainText('Called the customer.');
  await expectReachable(phone, 'case on a phone');
  // Each piece of evidence stands whole on the screen, in words.
  const seenYet = phone.getByRole('region', { name: 'Observations' }).last().getByRole('row').last();
  await expect(seenYet).toContainText('Nothing yet');
  const summary = seenYet.getByRole('cell', { name: /The provider shows nothing of it yet/ });
  const place = await summary.boundingBox();
  expect((place?.x ?? 0) + (place?.width ?? 999)).toBeLessThanOrEqual(390);
});

// Red when: the form closes with the press, or the refusal is said anywhere but at the field it is about.
test('a refused settlement is said at its field, keeps what was typed, and leaves nothing behind that waits', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'desk-refused', minor: 9_900 });
  await house.provider.fault({
    ...{ on: 'refund.create', do: 'drop_before', times: 'always', paymentIntent: order.payment },
  });
  const id = await lose(house, order);
  await needsPerson(house, id);
  const operator = await visit('operator');
  await openCase(operator, house, order);
  const reference = operator.getByLabel("Provider's reference");
  const note = operator.getByLabel('Note: how you know');
  const settle = operator.getByRole('button', { name: 'Settle', exact: true });
  const card = operator.getByText('Your settlement was not accepted');
  const needsYou = operator.getByRole('banner').getByText(/Needs you/);
  await operator.getByRole('radio', { name: /It was refunded/ }).check();
  await note.fill('Their support told me.');
  for (const wrong of ['re_bogus', 're_wrong']) {
    await reference.fill(wrong);
    await settle.press('Enter');
    await expect(reference).toHaveAccessibleDescription(
      new RegExp(`^${wrong}: The provider does not know that reference\\..*Copy it from`),
    );
    await expect(reference).toBeFocused();
    await expect(note).toHaveValue('Their support told me.');
    await expect(card).toHaveCount(0);
    await expect(needsYou).toHaveCount(0);
  }
  await expectReachable(operator, 'refused settlement');

  // Without a connection the verdict comes later, when nobody looks at the form any more.
  await operator.context().setOffline(true);
  await reference.fill('re_later');
  await settle.click();
  await expect(operator.getByText('Saved on this device. Holdfast has not answered yet')).toBeVisible();
  await expect(reference).toHaveValue('re_later');
  await operator.getByRole('link', { name: 'This device', exact: true }).first().click();
  await operator.context().setOffline(false);
  await expect(card).toBeVisible();
  await expect(operator.getByText('Reference: re_later')).toBeVisible();
  await expect(operator.getByText('Note: Their support told me.')).toBeVisible();
  await operator.getByRole('button', { name: 'Take it up again' }).click();
  await expect(reference).toHaveValue('re_later');
  await expect(reference).toBeFocused();
  await expect(note).toHaveValue('Their support told me.');

  // Put right, it takes the place of the refused one, and the focus is led to what came of it.
  await house.provider.post('/fake/refunds', { payment_intent: order.payment, amount: amount.minor });
  const [byHand] = await house.provider.refunds(order.payment);
  await reference.fill(byHand?.id ?? '');
  await settle.press('Enter');
  await reach(house, id, 'confirmed');
  await expect(operator.getByRole('main').getByRole('article')).toBeFocused();
  await expect(card).toHaveCount(0);
  await expect(needsYou).toHaveCount(0);
  expect((await house.provider.refunds(order.payment)).map(({ id: one }) => one)).toEqual([byHand?.id]);
});

// Red when: the queue or the case does not say since when it is pending, what is usual, or when it is looked at again.
test('what the provider has been processing for six days says so, what is usual, and when it is asked again', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'desk-pending', minor: 9_900 });
  await house.provider.fault({
    ...{ on: 'refund.create', do: 'pending_then', ms: 29 * 86_400_000, paymentIntent: order.payment },
  });
  const id = await lose(house, order);
  await reach(house, id, 'pending');
  await inDatabase(
    house,
    (sql) => sql`update operations set pending_since = now() - interval '6 days 1 hour', wake_at = now()
      where id = ${id}`,
  );
  await needsPerson(house, id);
  const operator = await visit('operator');
  await operator.goto(`${house.origin}/uncertain`);
  const row = operator.getByRole('listitem').filter({ hasText: order.customer });
  await expect(row).toContainText('for 6 days');
  await expect(row).toContainText('usually within 5 days');
  await expect(row).toContainText(/checked in \d+ (min|h)/);
  await openCase(operator, house, order);
  await expect(
    operator.getByText('Stripe has been processing it for 6 days. That is longer than usual.'),
  ).toBeVisible();
  await expect(operator.getByText('Stripe usually has them done within 5 days.')).toBeVisible();
  await expect(operator.getByText(/^Stripe is asked about re_\w+ again in \d+ (min|h)\./)).toBeVisible();
  await expectReachable(operator, 'pending for long');
});
