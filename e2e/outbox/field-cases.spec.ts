import type { Page } from '@playwright/test';
import { expect, test } from '../harness/outbox-test.ts';
import { until } from '../harness/program.ts';
import { proposalsOf, queueRows } from '../harness/queue-rows.ts';
import { card, expectInside, fillRefund, operationOn, sendButton } from '../harness/steps.ts';

// Red when: a draft is kept after it was queued, or an address of the form begins a new draft although a refund of the
// order is on this device.
test('F028: reload, back, a tab opened again and a restored session: the filled form never makes a second operation', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const order = await house.sell({ name: 'restored', minor: 4_100 });
  const device = await deviceOf('agent');
  let page = await device.start();
  await page.goto(`${house.origin}/orders/${order.id}`);
  await expectInside(page);
  await fillRefund(page, order);
  const form = page.url();
  await sendButton(page).click();
  const id = await operationOn(page);
  await page.reload();
  await expect(card(page)).toContainText('Waiting for approval.');

  /** Whatever stands at the form's address now: it offers no way to send the same again. */
  const expectNoSecond = async (): Promise<void> => {
    const standing = page
      .getByText('A refund of this order is already under way')
      .or(page.getByRole('article').first())
      .or(page.getByRole('heading', { level: 1, name: order.customer }));
    await expect(standing.first()).toBeVisible();
    const { drafts } = await queueRows(page);
    expect(drafts).toEqual([]);
    expect(proposalsOf(await queueRows(page), order.id)).toHaveLength(1);
  };

  // Away and back: whether the browser kept the page and shows it again as it was, or makes it anew.
  const session = await page.context().newCDPSession(page);
  const restoredText = async (): Promise<string> => {
    const expression = 'document.body.innerText';
    const answer = await session.send('Runtime.evaluate', { expression, returnByValue: true });
    return String((answer.result as { value?: unknown }).value);
  };
  await page.goto(`${house.origin}/healthz`);
  await session.send('Runtime.evaluate', { expression: 'history.back()' });
  await until('the page to be shown again', async () =>
    /Waiting for approval\./.test(await restoredText()) ? true : undefined,
  );
  await session.send('Runtime.evaluate', { expression: 'history.back()' });
  await until('the form to be closed there', async () => {
    const text = await restoredText();
    return /Send for approval|Save on this device/.test(text) ? undefined : true;
  });
  await page.close();
  page = await device.newTab();
  await page.goto(form);
  await expectNoSecond();

  await device.close();
  await device.start(['--restore-last-session']);
  const restored = device
    .context()
    .pages()
    .find((one) => one.url().startsWith(house.origin));
  page = restored ?? (await device.newTab());
  if (restored === undefined) await page.goto(form);
  await expectNoSecond();
  const stored = await serverRows.operationsOf([order.id]);
  expect(stored.map((operation) => operation.id)).toEqual([id]);
});

const cancel = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Cancel this refund' }).click();
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'));
  await dialog.getByRole('textbox').fill('The customer called it off.');
  await dialog.getByRole('button', { name: 'Cancel this refund' }).click();
};

// Red when: the cancellation of what may have been sent is only local, so that the late copy is proposed after all.
test('F089: cancelled while its request is under way: the cancellation is sent, and the late copy does nothing', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const order = await house.sell({ name: 'cancelled-sent', minor: 4_300 });
  const device = await deviceOf('agent');
  const page = await device.start();
  await page.goto(`${house.origin}/orders/${order.id}`);
  await expectInside(page);
  await fillRefund(page, order);
  house.network.decide(({ path }) => (path === '/v1/commands' ? 'hold' : 'pass'));
  await sendButton(page).click();
  const id = await operationOn(page);
  await until('the request to leave', async () =>
    house.network.seen().find(({ path }) => path === '/v1/commands'),
  );
  await cancel(page);
  await until('the cancellation to be stored', async () =>
    (await queueRows(page)).entries.find(({ type }) => type === 'cancel'),
  );
  await expect(card(page)).not.toContainText('Cancelled by');
  house.network.decide(() => 'pass');
  house.network.release();
  await until(
    'the server to have it cancelled',
    async () => ((await serverRows.states()).get(id) === 'cancelled' ? true : undefined),
    60_000,
  );
  await expect(card(page)).toContainText('Cancelled by');
  expect(await house.provider.refunds(order.payment)).toEqual([]);
});

const canonical = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

// Red when: an ID is made of the time alone or of `Math.random`, or anything needs `crypto.randomUUID`,
// which an origin without TLS lacks.
test('F095: where the browser has no randomUUID, two tabs mint different canonical IDs in the same millisecond', async ({
  house,
  deviceOf,
}) => {
  const orders = [
    await house.sell({ name: 'plain-http-1', minor: 4_400 }),
    await house.sell({ name: 'plain-http-2', minor: 4_500 }),
  ];
  const device = await deviceOf('agent');
  const first = await device.start();
  const pages = [first, await device.newTab()];
  const at = Date.now();
  const ids: string[] = [];
  for (const [index, order] of orders.entries()) {
    const page = pages[index] ?? first;
    await page.addInitScript((now) => {
      Object.defineProperty(Crypto.prototype, 'randomUUID', { value: undefined });
      Math.random = () => 0.5;
      Date.now = () => now;
    }, at);
    await page.goto(`${house.origin}/orders/${order.id}`);
    await expectInside(page);
    await fillRefund(page, order);
    const draft = await until('the draft to be stored', async () =>
      (await queueRows(page)).drafts.find(({ orderId }) => orderId === order.id),
    );
    ids.push(draft.operationId);
  }
  for (const id of ids) expect(id).toMatch(canonical);
  expect(new Set(ids).size).toBe(2);
  // The same millisecond stands in front of both; what follows is chance.
  expect(new Set(ids.map((id) => id.slice(0, 13))).size).toBe(1);
});
