import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright';
import { expect, it } from 'vitest';
import { serveExample } from '../example/serve.ts';

const system = '/usr/bin/chromium';
const executablePath = process.env['CHROMIUM_PATH'] ?? (existsSync(system) ? system : undefined);

// Red when: an action is sent under a new ID after a reload, leaves the queue without its verdict, or is not stored.
it('queued offline, reloaded, sent while answers are lost: the server holds each reading exactly once', async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'outbox-example-')), 'readings.jsonl');
  const example = await serveExample(file);
  const browser = await chromium.launch({
    args: ['--no-sandbox', '--disable-gpu'],
    ...(executablePath !== undefined && { executablePath }),
  });
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(example.url);
    await page.waitForFunction(() => document.querySelector('[role=status]') !== null);
    await context.setOffline(true);
    const readings = [11, 12, 13, 14];
    for (const reading of readings) {
      await page.fill('[name=reading]', String(reading));
      await page.click('button');
      await page.waitForFunction(
        (text) => document.querySelector('ol')?.textContent.includes(text),
        `: ${reading}, saved on this device`,
      );
    }
    expect(example.readings.recorded.size).toBe(0);
    await context.setOffline(false);
    await page.reload();
    await page.waitForFunction(
      () =>
        document.querySelectorAll('li').length === 4 &&
        document.body.innerText.match(/has it/g)?.length === 4,
      undefined,
      { timeout: 30_000 },
    );
    const held = [...example.readings.recorded.values()].map(({ action }) => action.reading);
    expect(held.sort()).toEqual(readings);
    expect(example.readings.requestCount()).toBeGreaterThan(1);
  } finally {
    await browser.close();
    await example.close();
  }
}, 60_000);
