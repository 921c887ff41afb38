import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import { test } from '../harness/browser-test.ts';
import { demandWebBuild } from '../setup/demand-web-build.ts';
import { freePort } from '../harness/house.ts';
import { startProgram, until, type Program } from '../harness/program.ts';
import { queueRows } from '../harness/queue-rows.ts';
import { graveFindings } from '../harness/reachable.ts';
import { card, operationOn } from '../harness/steps.ts';

const startDemo = async () => {
  demandWebBuild();
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-bad-networks-'));
  const [port, fakePort] = [await freePort(), await freePort()];
  const program: Program = startProgram('apps/server/src/start/start.ts', [], {
    PORT: String(port),
    FAKE_STRIPE_PORT: String(fakePort),
    HOLDFAST_DATA_DIR: folder,
    HOLDFAST_WEB_BUILD: 'off',
  });
  await until(
    'the demo to be ready',
    async () => {
      if (!program.running()) throw new Error(`it ended: ${program.output().slice(-2000)}`);
      return Promise.resolve(program.output().includes('Ctrl-C stops all of it.') ? true : undefined);
    },
    180_000,
  );
  const end = async (): Promise<void> => {
    await program.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  };
  return { origin: `http://localhost:${port}`, end };
};

type ShopOrder = {
  readonly id: string;
  readonly disputed: boolean;
  readonly placedAt: string;
  readonly refundable: { readonly minor: number };
  readonly returns: readonly { readonly status: string }[];
};

/** Someone else's view of the server: a session of its own, with no bad network. */
const askAsOperator = async (origin: string): Promise<(route: string) => Promise<unknown>> => {
  const signIn = await fetch(`${origin}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email: 'operator@demo.holdfast', password: 'operator in the demo' }),
  });
  const cookie = signIn.headers.getSetCookie().map((one) => one.split(';')[0]);
  return async (route) =>
    (await fetch(`${origin}${route}`, { headers: { cookie: cookie.join('; ') } })).json();
};

const expectReachable = async (page: Page): Promise<void> => {
  expect(await graveFindings(page)).toEqual([]);
};

/** With the keyboard alone: the account menu, its item, the choice, and out again. */
const choose = async (page: Page, what: string): Promise<void> => {
  await page.getByRole('button', { name: 'You', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'Try bad networks' }).press('Enter');
  const panel = page.getByRole('dialog', { name: 'Try bad networks' });
  await panel.getByRole('radio', { name: what, exact: true }).press('Space');
  await expect(panel.getByRole('radio', { name: what, exact: true })).toBeChecked();
  await expectReachable(page);
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
};

const bar = (page: Page) => page.getByRole('complementary', { name: 'Try bad networks' });

// Red when: the server cuts before it carries out (nothing arrives), an answer that was cut counts as a verdict, the
// clock is not the outbox's, or the bar is not there while something is on.
test('the demo tries lost answers and a wrong clock: one operation, an honest sentence, and a bar that says so', async ({
  browser,
}) => {
  const demo = await startDemo();
  try {
    const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
    await page.goto(demo.origin);
    await page.getByRole('button', { name: /Ada Field/ }).click();
    const ask = await askAsOperator(demo.origin);
    const { items } = (await ask('/v1/orders?limit=200')) as { items: ShopOrder[] };
    const order = items.find(
      ({ disputed, placedAt, refundable, returns }) =>
        !disputed &&
        refundable.minor > 0 &&
        Date.parse(placedAt) > Date.now() - 90 * 86_400_000 &&
        returns.some(({ status }) => status === 'received'),
    );
    if (order === undefined) throw new Error('the demo has no order to refund');
    await page.getByRole('searchbox').fill(order.id);
    await page
      .getByRole('link', { name: new RegExp(order.id) })
      .first()
      .click();
    await choose(page, 'One day ahead');
    await choose(page, 'Answers are lost');
    await expect(bar(page)).toContainText("every answer is lost, and this device's clock is one day ahead");

    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: /^(Send for approval|Save on this device)$/ }).click();
    const id = await operationOn(page);
    const known = () =>
      until('the server to have it', async () => {
        const found = (await ask(`/v1/operations?orderId=${order.id}`)) as { items: { id: string }[] };
        return found.items.length > 0 ? found.items : undefined;
      });
    expect((await known()).map((operation) => operation.id)).toEqual([id]);
    await expect(card(page)).toContainText(/Saved on this device\.|Waiting to hear/);
    const rows = await queueRows(page);
    const queuedAtMs = rows.entries[0]?.queuedAtMs ?? 0;
    expect(Math.abs(queuedAtMs - Date.now() - 86_400_000)).toBeLessThan(600_000);

    await bar(page).getByRole('button', { name: 'Switch off' }).click();
    await expect(bar(page)).toHaveCount(0);
    await expect(card(page)).toContainText('Waiting for approval.', { timeout: 60_000 });
    expect((await known()).map((operation) => operation.id)).toEqual([id]);
  } finally {
    await demo.end();
  }
});
