import assert from 'node:assert/strict';
import { mintId } from '../harness/many-items.ts';
import type { House } from '../harness/house.ts';
import { until } from '../harness/program.ts';
import { proposalsOf } from '../harness/queue-rows.ts';
import type { Tab } from './engine-browser.ts';
import {
  expectProved,
  fillRefund,
  openOrder,
  operationOn,
  rowsOf,
  sendsOf,
  signIn,
  untilInstalled,
  untilOnDevice,
  untilSays,
  untilVerdict,
  type Case,
} from './steps.ts';

// Red when: the shell does not open without a network, what was saved is not stored strictly before it says so, it is
// sent under a new ID after the restart, or an engine without Background Sync is told that a connection alone sends.

const minor = 7_700;
const kept = /Saved on this device\.|Waiting to hear/;

/** Only where the browser wakes the app is a connection enough; elsewhere the app has to be open. */
const expectHonestPromise = (text: string, backgroundSync: boolean): void => {
  if (backgroundSync) assert.match(text, /It will be sent when there is a connection\./);
  else {
    assert.match(text, /It will be sent when Holdfast is open and there is a connection\./);
    assert.doesNotMatch(text, /It will be sent when there is a connection/);
  }
  assert.doesNotMatch(text, /background|even when (it is )?closed|after you close/i);
};

const approveElsewhere = async (house: House, id: string): Promise<void> => {
  const { fingerprint } = (await house.operation(id)) as unknown as { fingerprint: string };
  await house.askAsPerson('approver', `/v1/operations/${id}/approve`, { commandId: mintId(), fingerprint });
};

/** As on a day before: signed in, the app installed, and the browser closed in order, so that its cookies are on disk. */
const signInOnce = async ({ house, saw, browser }: Case, tab: Tab): Promise<Tab> => {
  await tab.open(house.origin);
  await signIn(tab, house.people.agent);
  await untilSays(tab, /What is on this device/);
  await untilInstalled(tab);
  saw('signed in, service worker installed');
  await browser.close();
  return browser.start();
};

type Proposed = { readonly id: string; readonly order: string; readonly payment: string };

/** Proposes without a network, in an app that was opened without one. */
const proposeOffline = async (of: Case, tab: Tab): Promise<Proposed> => {
  const { house, saw, parts, serverRows } = of;
  const order = await house.sell({ name: `offline-${of.engine}`, minor });
  await openOrder(tab, house, order);
  await untilOnDevice(tab, order);

  await house.network.cut();
  await tab.reload();
  await untilSays(tab, new RegExp(order.customer));
  saw('network cut, reloaded: the app and the order are there');
  await fillRefund(tab, order);
  await tab.press({ role: 'button', name: '^Save on this device$' });
  const id = await operationOn(tab);
  const text = await untilSays(tab, /Saved on this device\. It/);
  expectHonestPromise(text, parts.backgroundSync);
  await expectProved(tab, serverRows);
  assert.deepEqual(
    proposalsOf(await rowsOf(tab), order.id).map(({ operationId }) => operationId),
    [id],
  );
  saw(`proposed: "${/Saved on this device\. It[^\n]*/.exec(text)?.[0] ?? ''}"`);
  return { id, order: order.id, payment: order.payment };
};

/** The main journey: saved without a network, killed, started again, sent once, approved, refunded once. */
export const runOfflineJourney = async (of: Case, first: Tab): Promise<Tab> => {
  const { house, saw, browser, serverRows } = of;
  const { id, order, payment } = await proposeOffline(of, await signInOnce(of, first));

  await browser.kill();
  const tab = await browser.start();
  await tab.open(`${house.origin}/operations/${id}`);
  await untilSays(tab, kept);
  assert.equal(proposalsOf(await rowsOf(tab), order).length, 1);
  assert.deepEqual(await serverRows.operationsOf([order]), []);
  await expectProved(tab, serverRows);
  saw('killed, started again on the same profile without a network: it is still there');

  house.network.clear();
  await house.network.mend();
  await untilSays(tab, /Waiting for approval\./);
  await untilVerdict(tab, id);
  const stored = await serverRows.operationsOf([order]);
  assert.deepEqual(
    stored.map((one) => [one.id, one.state, one.amount_minor]),
    [[id, 'proposed', minor]],
  );
  assert.equal(sendsOf(house, id).length, 1);
  saw('network back: sent by itself, in one request, one operation at the server');

  await approveElsewhere(house, id);
  await untilSays(tab, /Stripe reports it refunded/);
  await until('the record to be confirmed', async () =>
    (await house.operation(id)).state === 'confirmed' ? true : undefined,
  );
  const refunds = await house.provider.refunds(payment);
  assert.deepEqual(
    refunds.map(({ amount }) => amount),
    [minor],
  );
  await expectProved(tab, serverRows);
  saw("approved elsewhere: this screen says it is refunded, the provider's ledger has one refund");
  return tab;
};
