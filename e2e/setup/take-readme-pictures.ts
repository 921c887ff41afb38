import { chromium, type Browser, type Page } from '@playwright/test';
import { findChromium } from './find-chromium.ts';

/**
 * Takes the README's pictures from a running demo: `node e2e/setup/take-readme-pictures.ts [origin] [provider]`.
 * Start the demo with HOLDFAST_CHECK_BACKOFF_MS=60000, so that an unknown outcome stands long enough to be seen.
 */
const origin = process.argv[2] ?? 'http://localhost:4780';
const provider = process.argv[3] ?? 'http://127.0.0.1:4781';
const folder = 'docs/pictures';

const fault = async (body: Record<string, unknown>): Promise<void> => {
  await fetch(`${provider}/fake/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
};

const signIn = async (browser: Browser, name: RegExp, width: number, height: number): Promise<Page> => {
  const page = await browser.newPage({ viewport: { width, height }, locale: 'en-GB' });
  await page.goto(origin);
  await page.getByRole('button', { name }).click();
  await page.getByRole('navigation').first().waitFor();
  return page;
};

type Order = { id: string; returns: { status: string }[]; refundable: { minor: number }; disputed: boolean };

const propose = async (agent: Page, orderId: string): Promise<void> => {
  await agent.goto(`${origin}/orders/${orderId}`);
  await agent.getByRole('button', { name: 'Refund', exact: true }).click();
  await agent.getByRole('checkbox').first().click();
  await agent.getByRole('button', { name: 'Send for approval' }).click();
  await agent.getByText('Waiting for approval.').first().waitFor();
};

const main = async (): Promise<void> => {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const agent = await signIn(browser, /agent/i, 390, 844);
  const found = (await agent.evaluate(async () => {
    const pages: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = (await (await fetch(`/v1/orders?q=&limit=100${next}`)).json()) as {
        items: unknown[];
        nextCursor: string | null;
      };
      pages.push(...answer.items);
      cursor = answer.nextCursor;
    }
    return pages;
  })) as Order[];
  const good = found.filter(
    (order) =>
      !order.disputed &&
      order.refundable.minor > 0 &&
      order.returns.some(({ status }) => status === 'received'),
  );
  for (const order of good.slice(0, 4)) await propose(agent, order.id);

  await fault({ on: 'webhook', do: 'hold', times: 'always' });
  await fault({ on: 'refund.create', do: 'execute_then_drop', times: 1 });
  const approver = await signIn(browser, /approver/i, 1024, 768);
  await approver.goto(`${origin}/approvals`);
  await approver.getByRole('button', { name: 'Approve' }).waitFor();
  await approver.screenshot({ path: `${folder}/approvals-tablet.png` });
  await approver.getByRole('button', { name: 'Approve' }).click();
  const dialog = approver.getByRole('dialog').or(approver.getByRole('alertdialog'));
  if (await dialog.isVisible()) await dialog.getByRole('button', { name: 'Approve' }).click();

  const operator = await signIn(browser, /operator/i, 1440, 900);
  await operator.goto(`${origin}/uncertain`);
  await operator.getByText('Being checked').first().waitFor();
  await operator.screenshot({ path: `${folder}/uncertain-desktop.png` });

  await agent.goto(origin);
  await agent.getByText('confirmation is delayed').first().click();
  await agent.getByRole('button', { name: 'Check now' }).waitFor();
  await agent.screenshot({ path: `${folder}/operation-phone.png` });
  await browser.close();
};

await main();
