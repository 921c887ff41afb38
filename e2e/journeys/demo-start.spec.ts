import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import { test } from '../harness/browser-test.ts';
import { freePort } from '../harness/house.ts';
import { startProgram, until, type Program } from '../harness/program.ts';
import { card, operationOn } from '../harness/steps.ts';

type LedgerRefund = {
  readonly id: string;
  readonly amount: number;
  readonly metadata: Record<string, string>;
};

/** What the start command starts, on a data folder of its own, with the ports it was given. */
const startDemo = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-demo-'));
  const [port, fakePort] = [await freePort(), await freePort()];
  const origin = `http://localhost:${port}`;
  const fake = `http://127.0.0.1:${fakePort}`;
  let program: Program | undefined;
  return {
    folder,
    origin,
    start: async (): Promise<void> => {
      const started = startProgram('apps/server/src/start/start.ts', [], {
        PORT: String(port),
        FAKE_STRIPE_PORT: String(fakePort),
        HOLDFAST_DATA_DIR: folder,
        HOLDFAST_UNDO_MS: '0',
        HOLDFAST_WEB_BUILD: 'off',
      });
      program = started;
      await until(
        'the demo to be ready',
        async () => {
          if (!started.running()) throw new Error(`it ended: ${started.output().slice(-2000)}`);
          return started.output().includes('Ctrl-C stops all of it.') ? true : undefined;
        },
        180_000,
      );
    },
    output: (): string => program?.output() ?? '',
    end: async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => program?.end(signal),
    ledger: async (): Promise<LedgerRefund[]> =>
      ((await (await fetch(`${fake}/fake/ledger`)).json()) as { refunds: LedgerRefund[] }).refunds,
    /** The provider's and the database's process. */
    others: async (): Promise<number[]> => {
      const health = (await (await fetch(`${fake}/fake/health`)).json()) as { pid: number };
      const [first = ''] = (await readFile(path.join(folder, 'postgres/postmaster.pid'), 'utf8')).split('\n');
      return [health.pid, Number(first)];
    },
  };
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const enterAs = async (page: Page, origin: string, name: RegExp): Promise<void> => {
  await page.goto(origin);
  await page.getByRole('button', { name }).click();
  await expect(page.getByRole('button', { name: 'You', exact: true })).toBeVisible();
};

type ShopOrder = {
  readonly id: string;
  readonly disputed: boolean;
  readonly placedAt: string;
  readonly refundable: { readonly minor: number };
  readonly returns: readonly { readonly status: string }[];
};

/** A recent order of the demo's shop whose return has come back. */
const orderToRefund = async (page: Page): Promise<string> => {
  const answer = await page.request.get(`${new URL(page.url()).origin}/v1/orders?limit=200`);
  const { items } = (await answer.json()) as { items: ShopOrder[] };
  const oldest = Date.now() - 90 * 86_400_000;
  const order = items.find(
    ({ disputed, placedAt, refundable, returns }) =>
      !disputed &&
      refundable.minor > 0 &&
      Date.parse(placedAt) > oldest &&
      returns.some(({ status }) => status === 'received'),
  );
  if (order === undefined) throw new Error('the demo has no order to refund');
  return order.id;
};

test('one start gives a shop to try: sign in by one tap, propose, approve, confirmed; stopping leaves nothing running, data stays', async ({
  browser,
}) => {
  test.setTimeout(420_000);
  const demo = await startDemo();
  try {
    await demo.start();
    const agent = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
    await enterAs(agent, demo.origin, /Ada Field/);
    const order = await orderToRefund(agent);
    await agent.getByRole('searchbox').fill(order);
    await agent
      .getByRole('link', { name: new RegExp(order) })
      .first()
      .click();
    await agent.getByRole('button', { name: 'Refund', exact: true }).click();
    await agent.getByRole('checkbox').first().check();
    await agent.getByRole('button', { name: 'Send for approval' }).click();
    const id = await operationOn(agent);
    await expect(card(agent)).toContainText('Waiting for approval.');

    const approver = await (await browser.newContext({ viewport: { width: 1024, height: 768 } })).newPage();
    await enterAs(approver, demo.origin, /Ben Lead/);
    await approver.goto(`${demo.origin}/approvals/${id}`);
    await approver.getByRole('button', { name: 'Approve' }).click();
    await approver.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click();
    await expect(card(agent)).toContainText('Stripe reports it refunded');
    const refunds = await demo.ledger();
    expect(refunds).toHaveLength(1);
    await expect(card(agent)).toContainText(refunds[0]?.id ?? 'no refund');

    const running = await demo.others();
    await demo.end('SIGTERM');
    await until('everything to have stopped', async () => (running.some(isRunning) ? undefined : true));

    await demo.start();
    await agent.goto(`${demo.origin}/operations/${id}`);
    await expect(card(agent)).toContainText('Stripe reports it refunded');
    expect(await demo.ledger()).toEqual(refunds);

    const before = await demo.others();
    await demo.end('SIGKILL');
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await until('all of it to be dead', async () => (before.some(isRunning) ? undefined : true));
    await demo.start();
    await agent.reload();
    await expect(card(agent)).toContainText('Stripe reports it refunded');
    expect(await demo.ledger()).toEqual(refunds);
  } finally {
    await demo.end('SIGTERM');
    await rm(demo.folder, { recursive: true, force: true });
  }
});
