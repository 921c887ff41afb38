import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import type { House, Order } from '../harness/house.ts';
import { devices, expect, test } from '../harness/journey.ts';
import { until } from '../harness/program.ts';
import { expectReachable } from '../harness/reachable.ts';
import { card, expectOneRefund, propose, reach } from '../harness/steps.ts';

// A house of its own: it is put back to an earlier time, and whoever shared it would lose what they did.
test.use({ settings: { HOLDFAST_CHECK_BACKOFF_MS: '1000,2000,600000' } });

/** A UUIDv7, as a device mints one. */
const mintId = (): string => {
  const hex = Date.now().toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

const approveElsewhere = async (house: House, operationId: string): Promise<void> => {
  const { fingerprint } = (await house.operation(operationId)) as unknown as { fingerprint: string };
  const approve = { type: 'approve', commandId: mintId(), operationId, fingerprint };
  await house.askAsPerson('approver', '/v1/commands', { commands: [approve] });
};

/** Carried out, and then sent back by the bank. */
const sentBack = async (house: House, order: Order): Promise<string> => {
  const operationId = mintId();
  const propose = {
    ...{ type: 'propose', commandId: operationId, operationId, kind: 'refund', orderId: order.id },
    ...{ amount: { minor: 1_500, currency: 'EUR' }, reason: 'returned' },
  };
  await house.askAsPerson('agent', '/v1/commands', { commands: [propose] });
  await approveElsewhere(house, operationId);
  const { provider } = await reach(house, operationId, 'confirmed');
  await house.provider.post(`/fake/refunds/${String(provider.reference)}`, { status: 'failed' });
  await reach(house, operationId, 'reversed');
  return operationId;
};

const sizes = [devices.agent, devices.approver, devices.operator].map(({ viewport }) => viewport);
const expectReachableAtEverySize = async (page: Page, screen: string): Promise<void> => {
  for (const size of sizes) {
    if (size === undefined || size === null) throw new Error('a device has a size');
    await page.setViewportSize(size);
    await expectReachable(page, `${screen}, ${String(size.width)} wide`);
  }
};

// Red when: a restore makes a device forget what it had sent, what it tells again is carried out twice, or what was seen
// to since the copy looks seen to although nobody here knows of it any more.
test('F125: put back to ten minutes ago: agent and desk read what is so, what came back is open again, and no refund is made twice', async ({
  house,
  visit,
}) => {
  const returned = await house.sell({ name: 'returned', minor: 4_000 });
  await sentBack(house, returned);
  const desk = await visit('operator');
  await desk.goto(`${house.origin}/came-back`);
  await expect(desk.getByRole('link', { name: new RegExp(returned.customer) })).toBeVisible();
  await expect(desk.getByText('Nobody sees to it yet.')).toBeVisible();
  await expectReachableAtEverySize(desk, 'came back');

  const agent = await visit('agent');
  await house.keepCopy();
  await agent.goto(house.origin);

  // What happens between the copy and its return: one is sent, and the one that came back is seen to.
  const order = await house.sell({ name: 'since-the-copy', minor: 6_000 });
  const id = await propose(agent, order);
  await until('the proposal to arrive', () => house.operation(id));
  await approveElsewhere(house, id);
  await expectOneRefund(house, order, id, 6_000);
  // The evidence comes late, and the page makes room for it while somebody writes: what they wrote stays.
  let arrive = (): void => undefined;
  const late = new Promise<void>((resolve) => (arrive = resolve));
  const ofOne = /\/v1\/operations\/[0-9a-f-]{36}$/;
  await desk.route(ofOne, async (route) => {
    await late;
    await route.continue();
  });
  await desk.getByRole('link', { name: new RegExp(returned.customer) }).click();
  await desk.getByRole('button', { name: 'Close with a note' }).click();
  const note = desk.getByRole('alertdialog').getByRole('textbox');
  await note.fill('Paid in cash at the till.');
  arrive();
  await expect(desk.getByText('Both sides')).toBeAttached();
  await desk.unroute(ofOne);
  await expect(note).toHaveValue('Paid in cash at the till.');
  await desk.getByRole('alertdialog').getByRole('button', { name: 'Close it' }).click();
  await expect(desk.getByRole('heading', { name: 'Seen to' })).toBeVisible();

  await house.putCopyBack();

  // The device tells again what it had sent, and the provider's ledger settles it: no second refund.
  await house.sell({ name: 'since-the-copy', minor: 6_000 });
  await until('the device to tell again', () => house.operation(id), 90_000);
  await expectOneRefund(house, order, id, 6_000);
  await agent.goto(`${house.origin}/operations/${id}`);
  await expect(card(agent)).toContainText('Stripe reports it refunded');
  await expect(agent.getByText('Submitting is on hold')).toBeVisible();
  await expectReachable(agent, 'a refund told again after a restore');

  // Nobody here knows any more that its customer was paid: it stands there again, and says nothing it cannot know.
  await desk.goto(`${house.origin}/came-back`);
  await expect(desk.getByRole('link', { name: new RegExp(returned.customer) })).toBeVisible();
  await expect(desk.getByText('Nobody sees to it yet.')).toBeVisible();

  await desk.goto(`${house.origin}/hold`);
  await expect(desk.getByText('The database was put back from a backup')).toBeVisible();
  await expectReachableAtEverySize(desk, 'hold after a restore');
  await desk.getByRole('checkbox', { name: 'All of this is done' }).check();
  await desk.getByLabel('Why it goes on all the same').fill('The till was asked, too.');
  await desk.getByRole('button', { name: 'Let submitting go on' }).click();
  await desk.getByRole('alertdialog').getByRole('button', { name: 'Let it go on' }).click();
  await expect(desk.getByText('Approved refunds are sent as soon as it is their turn.')).toBeVisible();
  await desk.goto(`${house.origin}/came-back`);
  await expect(desk.getByText('Submitting is on hold')).toHaveCount(0);
  expect(await house.provider.refunds(order.payment)).toHaveLength(1);
});
