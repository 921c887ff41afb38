import type { BrowserContext, Page } from '@playwright/test';
import type { Order } from '../harness/house.ts';
import { expect, test, type FaultyHouse } from '../harness/outbox-test.ts';
import { until } from '../harness/program.ts';
import { eventsOf, queueRows, type QueueRows } from '../harness/queue-rows.ts';
import { card, expectInside, fillRefund, operationOn, sendButton } from '../harness/steps.ts';

const openAt = async (page: Page, address: string): Promise<Page> => {
  await page.goto(address);
  await expectInside(page);
  return page;
};

const untilCommandSeen = (house: FaultyHouse): Promise<unknown> =>
  until('a command to leave', async () => house.network.seen().find(({ path }) => path === '/v1/commands'));

const commandsAre = (house: FaultyHouse, fate: 'hold' | 'hold-answer'): void =>
  house.network.decide(({ path }) => (path === '/v1/commands' ? fate : 'pass'));

/** One item, whose one verdict is recorded once, however often and by whomever it was sent. */
const expectOneVerdict = (rows: QueueRows, order: Order): void => {
  const entries = rows.entries.filter(({ orderId }) => orderId === order.id);
  expect(entries).toHaveLength(1);
  const events = eventsOf(rows, entries[0]?.key ?? '');
  expect(events.filter((kind) => kind === 'verdict')).toHaveLength(1);
};

const crash = async (page: Page): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  // Nobody is left to answer it.
  void session.send('Page.crash').catch(() => undefined);
  await crashed;
};

/** The tab from which the next command leaves; `null` where it is the service worker. */
const senderOf = async (context: BrowserContext): Promise<Page | null> => {
  const request = await context.waitForEvent('request', (one) => one.url().endsWith('/v1/commands'));
  return request.serviceWorker() === null ? request.frame().page() : null;
};

const ways = [
  { how: 'closed', end: (page: Page) => page.close() },
  { how: 'crashed', end: crash },
] as const;

for (const { how, end } of ways) {
  // Red when: a form opened in a second tab begins a draft of its own, or what a tab queued is sent by that tab alone
  // (the wake by the queue's live read is left out).
  test(`of three tabs the sending one is ${how}: the draft was shared, another sends, one operation`, async ({
    house,
    serverRows,
    deviceOf,
  }) => {
    const order = await house.sell({ name: `three-tabs-${how}`, minor: 3_000 });
    const device = await deviceOf('agent');
    const first = await openAt(await device.start(), `${house.origin}/orders/${order.id}`);
    await fillRefund(first, order);
    await first.getByLabel('Note').fill('Typed in the first tab.');
    const second = await openAt(await device.newTab(), `${house.origin}/orders/${order.id}/refund`);
    await expect(second.getByLabel('Note')).toHaveValue('Typed in the first tab.');
    const third = await openAt(await device.newTab(), house.origin);
    const [draft, ...more] = (await queueRows(third)).drafts;
    expect(more).toEqual([]);

    commandsAre(house, 'hold');
    const sender = senderOf(device.context());
    await sendButton(second).click();
    await untilCommandSeen(house);
    const id = await operationOn(second);
    expect(id).toBe(draft?.operationId);
    const sending = await sender;
    // Where the service worker was first, the tab that queued it ends.
    await end(sending ?? second);
    const left = [first, second, third].find((tab) => tab !== (sending ?? second)) ?? third;
    // The copy that was under way arrives all the same, and late.
    await house.network.mend();

    await left.goto(`${house.origin}/operations/${id}`);
    await expect(card(left)).toContainText('Waiting for approval.');
    await until('the verdict to be recorded', async () =>
      (await queueRows(left)).log.some(({ event }) => event.kind === 'verdict') ? true : undefined,
    );
    const rows = await queueRows(left);
    expectOneVerdict(rows, order);
    expect(rows.drafts).toEqual([]);
    const sent = rows.log.filter(({ event }) => event.kind === 'attempt-started');
    if (sending !== null) expect(sent.length).toBeGreaterThan(1);
    expect((await serverRows.operationsOf([order.id])).map((operation) => operation.id)).toEqual([id]);
  });
}

const setLifeCycle = async (page: Page, state: 'frozen' | 'active'): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setWebLifecycleState', { state });
};

// Red when: the lease of a frozen tab is waited for without an end, or the answer that it hears after it is resumed is
// recorded as a second verdict.
test('the sending tab is frozen in mid-request: another one takes over, and resumed it doubles nothing', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const order = await house.sell({ name: 'frozen-tab', minor: 3_300 });
  const device = await deviceOf('agent');
  const sending = await openAt(await device.start(), `${house.origin}/orders/${order.id}`);
  await fillRefund(sending, order);
  commandsAre(house, 'hold');
  await sendButton(sending).click();
  await untilCommandSeen(house);
  const id = await operationOn(sending);
  const other = await openAt(await device.newTab(), `${house.origin}/operations/${id}`);
  await setLifeCycle(sending, 'frozen');
  house.network.decide(() => 'pass');

  await until(
    'another tab to have it answered',
    async () =>
      (await queueRows(other)).log.some(({ event }) => event.kind === 'verdict') ? true : undefined,
    60_000,
  );
  await expect(card(other)).toContainText('Waiting for approval.');
  house.network.release();
  await setLifeCycle(sending, 'active');
  await expect(card(sending)).toContainText('Waiting for approval.');
  await until('the first attempt to be ended by its own tab', async () => {
    const { log } = await queueRows(other);
    const count = (kind: string): number => log.filter(({ event }) => event.kind === kind).length;
    return count('attempt-started') === count('attempt-ended') ? true : undefined;
  });
  expectOneVerdict(await queueRows(other), order);
  expect((await serverRows.operationsOf([order.id])).map((operation) => operation.id)).toEqual([id]);
});
