import type { Page } from '@playwright/test';
import { mintId } from '../harness/many-items.ts';
import { evidenceOf, saidOn, unproved } from '../harness/evidence.ts';
import type { Order } from '../harness/house.ts';
import type { KillableBrowser } from '../harness/killable-browser.ts';
import { expect, test, type FaultyHouse } from '../harness/outbox-test.ts';
import { until } from '../harness/program.ts';
import { eventsOf, holdQueueWrites, queueRows, type QueueRows } from '../harness/queue-rows.ts';
import type { ServerRows } from '../harness/server-rows.ts';
import { card, expectInside, fillRefund, sendButton } from '../harness/steps.ts';

// The browser is killed at each step between the tap and the verdict, and started again on the same profile.
// Red when: the draft's ID is minted anew at each opening of the form (two operations), the entry is stored only after
// the request, an attempt without an end counts as received (the screen says more than is proved), or an entry whose
// attempt has no end is not sent again.

type Case = {
  readonly house: FaultyHouse;
  readonly serverRows: ServerRows;
  readonly device: KillableBrowser;
  readonly page: Page;
  readonly order: Order;
};

const note = 'Both ear pads were missing.';

/** Nothing reaches the server but what the test itself asks to read the device's rows. */
const takeAway = (house: FaultyHouse): void =>
  house.network.decide(({ path }) => (path === '/healthz' ? 'pass' : 'refuse'));

const commandsAre = (house: FaultyHouse, fate: 'hold' | 'hold-answer'): void =>
  house.network.decide(({ path }) => (path === '/v1/commands' ? fate : 'pass'));

const untilCommandIs = (house: FaultyHouse, what: 'seen' | 'known' | 'answered'): Promise<unknown> =>
  until(`the command to be ${what}`, async () => {
    const command = house.network.seen().find(({ path }) => path === '/v1/commands');
    if (command === undefined) return undefined;
    if (what === 'answered') return command.answered || undefined;
    return what === 'seen' || command.status !== null ? command : undefined;
  });

const openForm = async (page: Page, house: FaultyHouse, order: Order): Promise<void> => {
  await page.goto(`${house.origin}/orders/${order.id}`);
  await expectInside(page);
  await fillRefund(page, order);
};

const typeNote = async (page: Page): Promise<void> => {
  await page.getByLabel('Note').fill(note);
  await until('the note to be stored', async () =>
    JSON.stringify((await queueRows(page)).drafts).includes(note) ? true : undefined,
  );
};

type Left = 'form' | 'form-or-item' | 'item';

const steps: readonly {
  readonly name: string;
  /** Brings the app up to the step; the browser is killed right after. */
  readonly reach: (of: Case) => Promise<void>;
  /** What the tap leaves on the device. */
  readonly leaves: Left;
  readonly events?: readonly string[];
  readonly isAtServer?: boolean | 'perhaps';
}[] = [
  {
    name: 'while the draft is being made',
    leaves: 'form',
    reach: async ({ house, page, order }) => {
      await page.goto(`${house.origin}/orders/${order.id}`);
      await page.getByRole('button', { name: 'Refund', exact: true }).click({ noWaitAfter: true });
    },
  },
  {
    name: 'with a draft filled in',
    leaves: 'form',
    reach: async ({ house, page, order }) => {
      await openForm(page, house, order);
      await typeNote(page);
    },
  },
  {
    name: 'right after the tap',
    leaves: 'form-or-item',
    isAtServer: 'perhaps',
    reach: async ({ house, page, order }) => {
      await openForm(page, house, order);
      await typeNote(page);
      await sendButton(page).click({ noWaitAfter: true });
    },
  },
  {
    name: 'when the screen says that it is saved',
    leaves: 'item',
    reach: async ({ house, page, order }) => {
      await openForm(page, house, order);
      takeAway(house);
      await sendButton(page).click();
      await expect(card(page)).toContainText('Saved on this device.');
    },
  },
  {
    name: 'when the request has begun and arrived nowhere',
    leaves: 'item',
    events: ['attempt-started'],
    reach: async ({ house, page, order }) => {
      await openForm(page, house, order);
      commandsAre(house, 'hold');
      await sendButton(page).click();
      await untilCommandIs(house, 'seen');
    },
  },
  {
    name: 'when the server has it and its answer is on the way',
    leaves: 'item',
    events: ['attempt-started'],
    isAtServer: true,
    reach: async ({ house, page, order }) => {
      await openForm(page, house, order);
      commandsAre(house, 'hold-answer');
      await sendButton(page).click();
      await untilCommandIs(house, 'known');
    },
  },
  {
    name: 'when the answer is here and not yet recorded',
    leaves: 'item',
    events: ['attempt-started'],
    isAtServer: true,
    reach: async ({ house, device, page, order }) => {
      await openForm(page, house, order);
      commandsAre(house, 'hold-answer');
      await sendButton(page).click();
      await untilCommandIs(house, 'known');
      const other = await device.newTab();
      await other.goto(`${house.origin}/healthz`);
      await holdQueueWrites(other);
      house.network.release();
      await untilCommandIs(house, 'answered');
    },
  },
];

const expectLeft = (rows: QueueRows, order: Order, left: Left): void => {
  const drafts = rows.drafts.filter(({ orderId }) => orderId === order.id);
  const { entries } = rows;
  if (left === 'item') expect(entries.map(({ orderId }) => orderId)).toEqual([order.id]);
  if (left === 'form') expect(entries).toEqual([]);
  // The draft's end and the item's beginning are one step: never both, never neither.
  if (left === 'form-or-item') expect(entries.length + drafts.length).toBe(1);
  else expect(drafts.length).toBeLessThanOrEqual(left === 'form' ? 1 : 0);
};

/** What the started app says on its home, the device's and the operation's screen, against what is proved. */
const expectNothingStronger = async (of: Case, operationId: string): Promise<void> => {
  const { house, page, serverRows } = of;
  for (const path of ['/', '/device', `/operations/${operationId}`]) {
    await page.goto(`${house.origin}${path}`);
    await expectInside(page);
    await expect(page.locator(`main a[href*="${operationId}"], main article`).first()).toBeVisible();
    const said = await saidOn(page);
    expect(said.of.map((one) => one.operationId)).toContain(operationId);
    expect(unproved(said, await evidenceOf(page, serverRows))).toEqual([]);
  }
};

/** Finishes by hand what was still a form. */
const finish = async ({ house, page, order }: Case): Promise<void> => {
  await page.goto(`${house.origin}/orders/${order.id}/refund`);
  await page.getByRole('checkbox', { name: new RegExp(order.title) }).check();
  await sendButton(page).click();
};

for (const [index, step] of steps.entries()) {
  test(`killed ${step.name}: one operation, nothing lost, nothing said too early`, async ({
    house,
    serverRows,
    deviceOf,
  }) => {
    const order = await house.sell({ name: `killed-${index}`, minor: 2_000 + index });
    const device = await deviceOf('agent');
    await step.reach({ house, serverRows, device, order, page: await device.start() });
    await device.kill();

    takeAway(house);
    const page = await device.start();
    const of: Case = { house, serverRows, device, order, page };
    await page.goto(`${house.origin}/healthz`);
    const rows = await queueRows(page);
    expectLeft(rows, order, step.leaves);
    const [entry] = rows.entries;
    if (step.events) expect(eventsOf(rows, entry?.key ?? '').slice(0, 1)).toEqual(step.events);
    if (step.isAtServer !== 'perhaps')
      expect(await serverRows.operationsOf([order.id])).toHaveLength(step.isAtServer ? 1 : 0);
    const begun = entry?.operationId ?? rows.drafts[0]?.operationId;
    if (entry !== undefined) await expectNothingStronger(of, entry.operationId);

    await house.network.mend();
    if (entry === undefined) await finish(of);
    else await page.goto(`${house.origin}/operations/${entry.operationId}`);
    await expect(card(page)).toContainText('Waiting for approval.', { timeout: 60_000 });
    await until('the verdict to be recorded', async () =>
      (await queueRows(page)).log.some(({ event }) => event.kind === 'verdict') ? true : undefined,
    );
    const stored = await serverRows.operationsOf([order.id]);
    expect(stored.map(({ state }) => state)).toEqual(['proposed']);
    if (begun !== undefined) expect(stored[0]?.id).toBe(begun);
    expect((await queueRows(page)).entries).toHaveLength(1);
    expect(await house.provider.refunds(order.payment)).toEqual([]);
  });
}

const untilVerdict = (page: Page): Promise<unknown> =>
  until('the verdict to be recorded', async () =>
    (await queueRows(page)).log.some(({ event }) => event.kind === 'verdict') ? true : undefined,
  );

const expectOneVerdict = (rows: QueueRows): void => {
  expect(rows.entries).toHaveLength(1);
  expect(rows.log.filter(({ event }) => event.kind === 'verdict')).toHaveLength(1);
};

// Red when: half an answer is taken for a verdict, or its attempt for one that was not made.
test('the answer to what was saved is cut in the middle: it is sent again, and is one operation', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const order = await house.sell({ name: 'cut-answer', minor: 2_100 });
  const page = await (await deviceOf('agent')).start();
  await openForm(page, house, order);
  let cuts = 0;
  house.network.decide(({ path }) => (path === '/v1/commands' && ++cuts <= 2 ? 'cut-answer' : 'pass'));
  await sendButton(page).click();
  await untilVerdict(page);
  await expect(card(page)).toContainText('Waiting for approval.');
  expect(cuts).toBeGreaterThan(2);
  const rows = await queueRows(page);
  expectOneVerdict(rows);
  const stored = await serverRows.operationsOf([order.id]);
  expect(stored.map(({ id, state }) => [id, state])).toEqual([[rows.entries[0]?.operationId, 'proposed']]);
  expect(await house.provider.refunds(order.payment)).toEqual([]);
});

// Red when: what a browser hears when it goes on is recorded a second time, or its screen goes back to what it was.
test('the whole browser is frozen with its request under way until the refund is made: going on, it is one operation, and the screen says what is so', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const order = await house.sell({ name: 'frozen-browser', minor: 2_200 });
  const device = await deviceOf('agent');
  const page = await device.start();
  await openForm(page, house, order);
  commandsAre(house, 'hold-answer');
  await sendButton(page).click();
  await untilCommandIs(house, 'known');
  device.freeze();
  await house.network.mend();
  const [begun] = await serverRows.operationsOf([order.id]);
  const id = begun?.id ?? '';
  const { fingerprint } = (await house.operation(id)) as unknown as { fingerprint: string };
  await house.askAsPerson('approver', `/v1/operations/${id}/approve`, { commandId: mintId(), fingerprint });
  await until('the refund to be confirmed', async () =>
    (await serverRows.states()).get(id) === 'confirmed' ? true : undefined,
  );
  device.thaw();
  await expect(card(page)).toContainText('Stripe reports it refunded', { timeout: 60_000 });
  await untilVerdict(page);
  expectOneVerdict(await queueRows(page));
  expect((await serverRows.operationsOf([order.id])).map((one) => one.id)).toEqual([id]);
  expect(await house.provider.refunds(order.payment)).toHaveLength(1);
});
