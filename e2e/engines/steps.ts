import assert from 'node:assert/strict';
import { saidInPage, unproved } from '../harness/evidence.ts';
import type { FaultProxy } from '../harness/fault-proxy.ts';
import type { House, Order, Person } from '../harness/house.ts';
import { until } from '../harness/program.ts';
import { rowsInPage, type QueueRows } from '../harness/queue-rows.ts';
import type { ServerRows } from '../harness/server-rows.ts';
import type { EngineBrowser, Tab } from './engine-browser.ts';
import { installedInPage, isOrderInPage, textInPage, type EngineParts } from './in-page.ts';

/** What the journey and the checks of one engine work with. */
export type Case = {
  readonly house: House<FaultProxy>;
  readonly serverRows: ServerRows;
  readonly browser: EngineBrowser;
  readonly parts: EngineParts;
  /** Apart from the orders of the other engines. */
  readonly engine: string;
  /** Tells what was just seen. */
  readonly saw: (what: string) => void;
};

/** Waits until the screen says this, and gives all that it says. */
export const untilSays = (tab: Tab, words: RegExp, timeoutMs = 60_000): Promise<string> => {
  let last = '';
  const ask = async (): Promise<string | undefined> => {
    last = await tab.evaluate(textInPage);
    return words.test(last) ? last : undefined;
  };
  return until(`the screen to say ${String(words)}`, ask, timeoutMs).catch((error: unknown) => {
    throw new Error(`${error instanceof Error ? error.message : ''}\nThe screen said:\n${last}`);
  });
};

export const signIn = async (tab: Tab, person: Person): Promise<void> => {
  await tab.fill({ role: 'field', name: '^E-mail' }, person.email);
  await tab.fill({ role: 'field', name: '^Password' }, person.password);
  await tab.press({ role: 'button', name: '^Sign in$' });
};

export const untilInstalled = (tab: Tab): Promise<unknown> =>
  until('the service worker to have taken over', async () =>
    (await tab.evaluate(installedInPage)) ? true : undefined,
  );

/** Opens the order's page and waits for the order. */
export const openOrder = async (tab: Tab, house: House, order: Order): Promise<void> => {
  await tab.open(`${house.origin}/orders/${order.id}`);
  await untilSays(tab, new RegExp(order.customer));
};

/** An order that was asked for is shown at once; the feed brings it to the device. */
export const untilOnDevice = (tab: Tab, order: Order): Promise<unknown> =>
  until('the order to be on the device', async () =>
    (await tab.evaluate(isOrderInPage, order.id)) ? true : undefined,
  );

/** From the order's page into the form, with the one line ticked. */
export const fillRefund = async (tab: Tab, order: Order): Promise<void> => {
  await tab.press({ role: 'button', name: '^(Refund|Continue your draft)$' });
  await tab.press({ role: 'checkbox', name: order.title });
};

export const operationOn = (tab: Tab): Promise<string> =>
  until("the operation's page", async () => {
    const address = await tab.evaluate(() => location.pathname);
    return /\/operations\/([0-9a-f-]{36})/.exec(address)?.[1];
  });

export const rowsOf = async (tab: Tab): Promise<QueueRows> =>
  (await tab.evaluate(rowsInPage)) ?? { drafts: [], entries: [], log: [] };

/** Nothing on this screen is stronger than what the device's and the server's rows prove. */
export const expectProved = async (tab: Tab, serverRows: ServerRows): Promise<void> => {
  const said = await tab.evaluate(saidInPage);
  assert.deepEqual(unproved(said, { rows: await rowsOf(tab), states: await serverRows.states() }), []);
};

/** The requests that carried this operation's proposal and came as far as the server's side of the network. */
export const sendsOf = (house: House<FaultProxy>, operationId: string) =>
  house.network.seen().filter(({ path, body }) => path === '/v1/commands' && body.includes(operationId));

/** Waits until the device has recorded what the server said to this operation's proposal. */
export const untilVerdict = (tab: Tab, operationId: string): Promise<unknown> =>
  until('the verdict to be recorded', async () => {
    const { log } = await rowsOf(tab);
    const ours = log.filter(({ entryKey }) => entryKey.startsWith(`${operationId}/`));
    return ours.some(({ event }) => event.kind === 'verdict') ? true : undefined;
  });
