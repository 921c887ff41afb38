import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type BrowserContext, type Page } from '@playwright/test';
import { devices, expect, test } from '../harness/journey.ts';
import {
  approve,
  card,
  expectInside,
  expectOneRefund,
  fillRefund,
  openProposal,
  operationOn,
  propose,
  reach,
  sendButton,
  signIn,
} from '../harness/steps.ts';

/** The device's own record of the newest item: it ended with an answer that named it, and by nothing else. */
const expectAnswered = async (page: Page, what: string): Promise<void> => {
  await page.getByRole('link', { name: /What is on this device/ }).click();
  const record = page.getByRole('region', { name: 'Record' });
  const item = record.getByRole('listitem').filter({ hasText: what }).first();
  await expect(item).toContainText('Holdfast has it', { timeout: 60_000 });
  await item.getByText('What happened').first().click();
  await expect(item.getByText('Holdfast answered').first()).toBeVisible();
  await expect(record.getByText('Dropped here')).toHaveCount(0);
};

/** The app opens without a connection once its service worker has everything. */
const untilInstalled = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });

test('proposed offline, browser closed and opened again offline, then online: it arrives once, one refund', async ({
  house,
  visit,
  launchOptions,
  complaints,
}) => {
  const profile = await mkdtemp(path.join(tmpdir(), 'holdfast-browser-'));
  const open = async (): Promise<BrowserContext> => {
    const opened = await chromium.launchPersistentContext(profile, { ...launchOptions, ...devices.agent });
    complaints.listenTo(opened);
    return opened;
  };
  let context = await open();
  try {
    let agent = context.pages()[0] ?? (await context.newPage());
    await agent.goto(house.origin);
    await signIn(agent, house.people.agent);
    await expectInside(agent);
    await untilInstalled(agent);
    await agent.getByRole('navigation').getByRole('link', { name: 'Orders' }).click();
    const order = await house.sell({ name: 'offline', minor: 7_700 });
    await agent
      .getByRole('link', { name: new RegExp(order.id) })
      .first()
      .click();
    await expect(agent.getByRole('heading', { level: 1, name: order.customer })).toBeVisible();

    await house.network.cut();
    await fillRefund(agent, order);
    await agent.getByRole('button', { name: 'Save on this device' }).click();
    const id = await operationOn(agent);
    const saved = 'Saved on this device. It will be sent when there is a connection.';
    await expect(card(agent)).toContainText(saved);
    await context.close();

    context = await open();
    agent = context.pages()[0] ?? (await context.newPage());
    await agent.goto(house.origin);
    await agent.getByRole('link', { name: new RegExp(order.id) }).click();
    expect(await operationOn(agent)).toBe(id);
    // A browser closed in the middle of a try cannot know whether its bytes left, and says no more than that.
    await expect(card(agent)).toContainText(/Saved on this device\.|Waiting to hear/);
    expect(await house.operationsOf(order.id)).toEqual([]);

    await house.network.mend();
    await expect(card(agent)).toContainText('Waiting for approval.', { timeout: 60_000 });
    expect((await house.operationsOf(order.id)).map((operation) => operation.id)).toEqual([id]);
    await approve(await visit('approver'), order);
    await expectOneRefund(house, order, id, 7_700);
    await expect(card(agent)).toContainText('Stripe reports it refunded');
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  }
});

test("F008: the server's answer to a proposal is lost; it is sent again and stays one operation", async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'lost-proposal', minor: 5_500 });
  const agent = await visit('agent');
  await agent.goto(`${house.origin}/orders/${order.id}`);
  await fillRefund(agent, order);
  house.network.loseAnswers();
  await sendButton(agent).click();
  const id = await operationOn(agent);
  await reach(house, id, 'proposed');
  await expect(card(agent)).toContainText('Waiting to hear');
  await house.network.cut();
  await house.network.mend();
  await expect(card(agent)).toContainText('Waiting for approval.', { timeout: 60_000 });
  await expectAnswered(agent, 'Refund proposal');
  await approve(await visit('approver'), order);
  await expectOneRefund(house, order, id, 5_500);
});

test("F084: the server's answer to an approval is lost; it is sent again and stays one approval", async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'lost-approval', minor: 6_600 });
  const id = await propose(await visit('agent'), order);
  const approver = await visit('approver');
  await openProposal(approver, order);
  house.network.loseAnswers();
  await approver.getByRole('button', { name: 'Approve' }).click();
  await approver.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click();
  await reach(house, id, 'confirmed');
  await house.network.cut();
  await house.network.mend();
  await expectAnswered(approver, 'Approval');
  await expectOneRefund(house, order, id, 6_600);
  expect((await house.operation(id)).approvals).toHaveLength(1);
});

test('approved offline on a tablet: it waits on the device, is sent later, and refunds once', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'offline-approval', minor: 8_800 });
  const id = await propose(await visit('agent'), order);
  const approver = await visit('approver');
  await openProposal(approver, order);
  await house.network.cut();
  await approver.getByRole('button', { name: 'Approve' }).click();
  await approver.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click();
  await expect(card(approver)).toContainText('Approval is saved on this device.');
  await expect(approver.getByRole('link', { name: /1 on this device/ })).toBeVisible();
  expect((await house.operation(id)).state).toBe('proposed');
  await house.network.mend();
  await expectOneRefund(house, order, id, 8_800);
  expect((await house.operation(id)).approvals).toHaveLength(1);
});
