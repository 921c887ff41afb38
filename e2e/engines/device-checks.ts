import assert from 'node:assert/strict';
import { until } from '../harness/program.ts';
import type { Tab } from './engine-browser.ts';
import { strictWriteInPage } from './in-page.ts';
import { fillRefund, openOrder, operationOn, sendsOf, untilSays, untilVerdict, type Case } from './steps.ts';

/** What the product's "saved" rests on: a strict transaction that can be read back. */
export const checkStrictWrite = async ({ house, saw }: Case, tab: Tab): Promise<void> => {
  await tab.open(house.origin);
  const value = `written at ${String(performance.now())}`;
  const { durability, back } = await tab.evaluate(strictWriteInPage, value);
  assert.equal(back, value);
  saw(`IndexedDB: written with durability "${durability}" and read back`);
};

/**
 * Two tabs, both asked to send the same item while its first request is under way: it leaves once.
 * Red when: a tab sends without asking for the lock, or, where there is none, without the lease of the batch.
 */
export const checkTwoTabs = async (of: Case, withoutLocks: boolean): Promise<void> => {
  const { house, browser, saw, serverRows } = of;
  const order = await house.sell({
    name: `two-tabs-${of.engine}${withoutLocks ? '-without-locks' : ''}`,
    minor: 3_300,
  });
  await browser.kill();
  const first = await browser.start({ withoutLocks });
  await openOrder(first, house, order);
  house.network.clear();
  house.network.decide(({ path }) => (path === '/v1/commands' ? 'hold' : 'pass'));
  await fillRefund(first, order);
  await first.press({ role: 'button', name: '^(Send for approval|Save on this device)$' });
  const id = await operationOn(first);
  await until('the request to be under way', async () => sendsOf(house, id).length > 0 || undefined);
  // Opened now: a tab that goes to another page ends the request that it may have begun.
  const second = await browser.newTab();
  await second.open(`${house.origin}/operations/${id}`);
  for (const tab of [first, second])
    assert.equal(
      await tab.evaluate(() => 'locks' in navigator && navigator.locks !== undefined),
      !withoutLocks,
    );
  await untilSays(second, /Waiting to hear|Sending now/);
  await second.press({ role: 'button', name: '^Send now$' });
  await house.network.mend();
  await untilSays(first, /Waiting for approval\./);
  await untilSays(second, /Waiting for approval\./);
  await untilVerdict(second, id);
  assert.equal(sendsOf(house, id).length, 1);
  assert.equal((await serverRows.operationsOf([order.id])).length, 1);
  saw(`two tabs${withoutLocks ? ' without locks' : ''}, both asked to send: one request, one operation`);
};
