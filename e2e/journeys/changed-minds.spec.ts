import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { expect, test } from '../harness/journey.ts';
import { graveFindings } from '../harness/reachable.ts';
import {
  card,
  expectOneRefund,
  fillRefund,
  openProposal,
  operationOn,
  propose,
  reach,
} from '../harness/steps.ts';

/** A device in a tunnel: nothing gets through, and its browser says so. */
const enterTunnel = (page: Page): Promise<void> => page.context().setOffline(true);
const leaveTunnel = (page: Page): Promise<void> => page.context().setOffline(false);

/** The commands that this device holds of an operation, as its rows say: what was queued, and what became of each. */
const rowsOf = (page: Page, id: string): Promise<string[]> =>
  page.evaluate(async (operationId) => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('holdfast-queue');
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(new Error('the queue could not be opened'));
    });
    const all = (table: string) =>
      new Promise<Record<string, unknown>[]>((resolve, reject) => {
        const asked = database.transaction(table).objectStore(table).getAll();
        asked.onsuccess = () => resolve(asked.result as Record<string, unknown>[]);
        asked.onerror = () => reject(new Error(`${table} could not be read`));
      });
    const [entries, log] = [await all('entries'), await all('log')];
    database.close();
    return entries
      .filter((entry) => entry['operationId'] === operationId)
      .sort((one, other) => Number(one['position']) - Number(other['position']))
      .map((entry) => {
        const events = log
          .filter((row) => row['entryKey'] === entry['key'])
          .sort((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1))
          .map((row) => (row['event'] as { kind: string }).kind);
        return `${String(entry['type'])}: ${events.join(' ')}`.trim();
      });
  }, id);

const expectReachable = async (page: Page): Promise<void> => {
  expect(await graveFindings(page)).toEqual([]);
};

/** A UUIDv7, as any other client would mint one. */
const mintId = (): string => {
  const time = Date.now().toString(16).padStart(12, '0');
  const random = randomBytes(10).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}`;
};

const say = async (page: Page, what: 'Approve' | 'Deny', reason?: string): Promise<void> => {
  await page.getByRole('article').getByRole('button', { name: what, exact: true }).click();
  const dialog = page.getByRole('alertdialog');
  if (reason !== undefined) await dialog.getByLabel('Why').fill(reason);
  await dialog.getByRole('button', { name: what }).click();
};

// Red when: `replacedBy` answers with nothing; when `conflictOf` answers nothing for a refusal.
test('decided three ways offline, one word is sent; it had been cancelled meanwhile, and a card says all of it', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'changed-minds', minor: 6_100 });
  const id = await propose(await visit('agent'), order);
  const approver = await visit('approver');
  await openProposal(approver, order);
  await enterTunnel(approver);
  await say(approver, 'Approve');
  await expect(card(approver)).toContainText('Approval is saved on this device.');
  await expect(card(approver)).not.toContainText('Approved:');
  await say(approver, 'Deny', 'The box came back empty.');
  await expect(card(approver)).toContainText('Denial is saved on this device.');
  await say(approver, 'Approve');
  await expect(card(approver)).toContainText('Approval is saved on this device.');
  await expect(approver.getByRole('link', { name: /1 on this device/ })).toBeVisible();
  // A word of which a try was begun stays and is the one that goes; one that was never tried is replaced.
  const kept = (await rowsOf(approver, id)).filter((row) => !row.includes('dropped'));
  expect(kept.map((row) => row.split(':')[0])).toEqual(['approve']);

  const command = { commandId: mintId(), reason: 'Wrong customer.' };
  await house.askAsPerson('agent', `/v1/operations/${id}/cancel`, command);
  await leaveTunnel(approver);
  const conflict = approver.getByRole('alert').filter({ hasText: 'Your approval was not accepted' });
  await expect(conflict).toBeVisible({ timeout: 60_000 });
  await expect(conflict).toContainText('Approve EUR 61.00');
  await expect(conflict).toContainText('EUR 61.00 was refundable on your screen.');
  await expect(conflict).toContainText("by this device's clock");
  await expect(conflict).toContainText('Cancelled by Amara Field');
  await expect(conflict).toContainText('There is nothing left to do.');
  await expect(conflict.getByRole('button')).toHaveCount(1);
  await expectReachable(approver);
  await approver.emulateMedia({ colorScheme: 'dark' });
  await expectReachable(approver);
  await conflict.getByRole('button', { name: 'I have read this' }).click();
  await expect(conflict).toHaveCount(0);
  expect((await house.operation(id)).approvals).toEqual([]);
  expect(await house.provider.refunds(order.payment)).toEqual([]);
});

// Red when: `OfflineRest` does not rest; when `decideUndoDrop` writes nothing or mints another entry.
test('F089: cancelled before it was sent, nothing is sent; taken back by keyboard, it is the same refund, once', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'undone-cancel', minor: 6_200 });
  // A browser that is only told that it is offline still lets its service worker send in the background.
  const agent = await visit('agent', { serviceWorkers: 'block' });
  await agent.goto(`${house.origin}/orders/${order.id}`);
  await fillRefund(agent, order);
  await enterTunnel(agent);
  // An answer to what was asked before would say that it is no tunnel: the button says what will truly happen.
  await agent.getByRole('button', { name: 'Save on this device' }).click();
  const id = await operationOn(agent);
  const cancel = async (): Promise<void> => {
    await agent.getByRole('button', { name: 'Cancel this refund' }).click();
    const dialog = agent.getByRole('alertdialog');
    await dialog.getByLabel('Why').fill('Typed twice.');
    await dialog.getByRole('button', { name: 'Cancel this refund' }).click();
  };
  await cancel();
  const undo = agent.getByRole('button', { name: 'Undo' });
  await expect(undo).toBeFocused();
  await expectReachable(agent);
  expect(await rowsOf(agent, id)).toEqual(['propose: dropped']);
  await agent.keyboard.press('Enter');
  await expect(card(agent)).toContainText('Saved on this device.');
  await cancel();
  await expect(undo).toBeVisible();
  await leaveTunnel(agent);
  await expect(agent.getByRole('link', { name: /All received/ })).toBeVisible({ timeout: 60_000 });
  expect(await house.operationsOf(order.id)).toEqual([]);
  // Later, by way of the device's record.
  await agent.getByRole('link', { name: /What is on this device/ }).click();
  await agent
    .getByRole('region', { name: 'Record' })
    .getByRole('link', { name: new RegExp(order.id) })
    .first()
    .click();
  await undo.click();
  await reach(house, id, 'proposed');
  // The server has it before the device has heard so.
  await expect
    .poll(() => rowsOf(agent, id))
    .toEqual(['propose: dropped reopened dropped reopened attempt-started attempt-ended verdict']);
  expect((await house.operationsOf(order.id)).map((operation) => operation.id)).toEqual([id]);
});

// Red when: `conflictOf` gives a refused cancellation no card, or its title says that it was cancelled.
test('F089: cancelled when it was already carried out, it is never shown as cancelled', async ({
  house,
  visit,
}) => {
  const order = await house.sell({ name: 'late-cancel', minor: 6_300 });
  const agent = await visit('agent');
  const id = await propose(agent, order);
  await expect(card(agent)).toContainText('Waiting for approval.');
  await enterTunnel(agent);
  await agent.getByRole('button', { name: 'Cancel this refund' }).click();
  await agent.getByRole('alertdialog').getByLabel('Why').fill('Typed twice.');
  await agent.getByRole('alertdialog').getByRole('button', { name: 'Cancel this refund' }).click();
  await expect(agent.getByText('Cancellation: Saved on this device.')).toBeVisible();
  const { fingerprint } = (await house.operation(id)) as unknown as { fingerprint: string };
  await house.askAsPerson('approver', `/v1/operations/${id}/approve`, { commandId: mintId(), fingerprint });
  await expectOneRefund(house, order, id, 6_300);
  await leaveTunnel(agent);
  const conflict = agent.getByRole('alert').filter({ hasText: 'It was not cancelled' });
  await expect(conflict).toBeVisible({ timeout: 60_000 });
  await expect(conflict).toContainText('Stripe reports it refunded');
  await expect(conflict).toContainText('Approved by Lena Lead,');
  await expect(card(agent)).toContainText('Stripe reports it refunded');
  await expect(agent.getByText(/Cancelled (by|on)/)).toHaveCount(0);
});
