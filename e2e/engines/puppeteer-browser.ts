import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser, type ElementHandle, type LaunchOptions, type Page } from 'puppeteer-core';
import { until } from '../harness/program.ts';
import type { EngineBrowser, Tab, Wanted } from './engine-browser.ts';
import { findInPage } from './in-page.ts';

const viewport = { width: 1024, height: 900 };

const find = (page: Page, wanted: Wanted): Promise<ElementHandle<HTMLElement>> =>
  until(`a ${wanted.role} named ${wanted.name}`, async () => {
    const handle = await page.evaluateHandle(findInPage, wanted);
    return (handle.asElement() as ElementHandle<HTMLElement> | null) ?? undefined;
  });

const tabOf = (page: Page): Tab => ({
  // A tab in the background draws nothing: no click arrives there.
  open: async (address) => {
    await page.bringToFront();
    await page.goto(address);
  },
  reload: async () => void (await page.reload()),
  press: async (wanted) => {
    await page.bringToFront();
    await (await find(page, wanted)).click();
  },
  fill: async (wanted, text) => {
    await page.bringToFront();
    const field = await find(page, wanted);
    await field.click({ clickCount: 3 });
    await field.type(text);
  },
  evaluate: async (inPage, ...given) =>
    (await page.evaluate(`(${inPage.toString()})(...${JSON.stringify(given)})`)) as Awaited<
      ReturnType<typeof inPage>
    >,
});

/** Takes the locks away before any script of the page's documents runs. */
const hideLocks = (page: Page): Promise<unknown> =>
  page.evaluateOnNewDocument(() => {
    Reflect.deleteProperty(Navigator.prototype, 'locks');
  });

/** Its driver puts Firefox's own settings back when that has ended; a start in the middle of it finds half of them. */
const untilPutBack = (profile: string): Promise<unknown> =>
  until("the profile's settings to be put back", async () =>
    (await readdir(profile)).some((name) => name.endsWith('.puppeteer')) ? undefined : true,
  );

const launchOptions = (engine: 'chrome' | 'firefox', program: string, folder: string): LaunchOptions => ({
  browser: engine,
  executablePath: program,
  headless: true,
  userDataDir: path.join(folder, 'profile'),
  defaultViewport: viewport,
  // Firefox writes beside its profile, too, and refuses a home that is another person's.
  env: { ...process.env, HOME: path.join(folder, 'home'), LANG: 'en_US.UTF-8' },
  args:
    engine === 'chrome'
      ? ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', '--lang=en-US']
      : [],
  ...(engine === 'firefox' && { extraPrefsFirefox: { 'intl.accept_languages': 'en-US' } }),
});

/** Chromium, or Firefox by WebDriver BiDi: on a profile of its own that outlives a kill. */
export const makePuppeteerBrowser = async (
  engine: 'chrome' | 'firefox',
  program: string,
): Promise<EngineBrowser> => {
  const folder = await mkdtemp(path.join(tmpdir(), `holdfast-${engine}-`));
  await mkdir(path.join(folder, 'home'));
  await mkdir(path.join(folder, 'profile'));
  let running: Browser | undefined;
  let version = '';
  let areLocksHidden = false;

  const current = (): Browser => {
    if (running === undefined) throw new Error('the browser does not run');
    return running;
  };
  const kill = async (): Promise<void> => {
    const child = current().process();
    running = undefined;
    if (child?.pid === undefined) throw new Error('the browser has no process');
    const ended = once(child, 'exit');
    // It leads a group of its own: one signal reaches all of its processes.
    process.kill(-child.pid, 'SIGKILL');
    await ended;
    await untilPutBack(path.join(folder, 'profile'));
  };

  const prepared = async (page: Page): Promise<Tab> => {
    if (areLocksHidden) await hideLocks(page);
    return tabOf(page);
  };

  return {
    start: async (options) => {
      areLocksHidden = options?.withoutLocks ?? false;
      running = await puppeteer.launch(launchOptions(engine, program, folder));
      version = await running.version();
      const [page] = await running.pages();
      return prepared(page ?? (await running.newPage()));
    },
    newTab: async () => prepared(await current().newPage()),
    close: async () => {
      const ending = current();
      running = undefined;
      await ending.close();
      await untilPutBack(path.join(folder, 'profile'));
    },
    kill,
    version: () => version,
    remove: async () => {
      if (running !== undefined) await kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
