import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, errors, type Browser, type BrowserContext, type Page } from '@playwright/test';

export type BrowserSetup = {
  readonly executablePath: string;
  readonly arguments: readonly string[];
  readonly viewport: { readonly width: number; readonly height: number };
  /** Each time it is started. */
  readonly onStart: (context: BrowserContext) => void;
};

/** A browser with a profile of its own, which can be killed as a system kills it, and started again on that profile. */
export type KillableBrowser = {
  readonly context: () => BrowserContext;
  /** Its open tabs; none while it does not run. */
  readonly pages: () => readonly Page[];
  /** Starts it where it does not run, and gives its first tab. */
  readonly start: (moreArguments?: readonly string[]) => Promise<Page>;
  readonly newTab: () => Promise<Page>;
  /** SIGKILL to all of its processes at once: nothing is written down any more. */
  readonly kill: () => Promise<void>;
  /** Stops all of its processes where they are, as a tablet does that is put to sleep, and lets them go on. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Ends it in order, as by its menu. */
  readonly close: () => Promise<void>;
  /** Ends it and removes its profile. */
  readonly remove: () => Promise<void>;
  readonly profile: string;
};

const locale = 'en-US';
/** What a person's step may take on a busy machine. What never comes is told with what stands on the screen. */
const longestStepMs = 60_000;

const endpointOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = /DevTools listening on (ws:\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`the browser ended: ${text.slice(-2000)}`)));
  });

const connectMs = 20_000;
/** A browser that has just begun sometimes leaves the first one who asks without an answer; the next gets one. */
const connected = async (endpoint: string): Promise<Browser> => {
  for (let attempt = 1; attempt < 3; attempt += 1) {
    try {
      return await chromium.connectOverCDP(endpoint, { timeout: connectMs });
    } catch (error) {
      if (!(error instanceof errors.TimeoutError)) throw error;
    }
  }
  return chromium.connectOverCDP(endpoint, { timeout: connectMs });
};

type Running = { readonly child: ChildProcess; readonly browser: Browser; readonly context: BrowserContext };

const launch = async (
  setup: BrowserSetup,
  profile: string,
  moreArguments: readonly string[],
): Promise<Running> => {
  const child = spawn(
    setup.executablePath,
    [
      ...setup.arguments,
      ...['--headless=new', `--user-data-dir=${profile}`, '--remote-debugging-port=0'],
      ...['--no-default-browser-check', '--disable-dev-shm-usage', '--password-store=basic'],
      ...[`--lang=${locale}`, `--window-size=${setup.viewport.width},${setup.viewport.height}`],
      ...moreArguments,
      'about:blank',
    ],
    // A process group of its own, so that one signal reaches all of its processes.
    { detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const browser = await connected(await endpointOf(child));
  const [context] = browser.contexts();
  if (context === undefined) throw new Error('the browser has no profile');
  // It is not Playwright's own, so it does not know the limits of its settings.
  context.setDefaultTimeout(longestStepMs);
  setup.onStart(context);
  return { child, browser, context };
};

const endOf = (child: ChildProcess): Promise<unknown> =>
  child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();

/** @param template a profile to begin with a copy of */
export const makeKillableBrowser = async (
  setup: BrowserSetup,
  template?: string,
): Promise<KillableBrowser> => {
  const profile = await mkdtemp(path.join(tmpdir(), 'holdfast-profile-'));
  if (template !== undefined) await cp(template, profile, { recursive: true });
  let running: Running | undefined;

  const current = (): Running => {
    if (running === undefined) throw new Error('the browser does not run');
    return running;
  };
  const sized = async (page: Page): Promise<Page> => {
    await page.setViewportSize(setup.viewport);
    return page;
  };
  const signalAll = ({ child }: Running, signal: NodeJS.Signals): void => {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  };
  const kill = async (): Promise<void> => {
    const now = current();
    const { child, browser } = now;
    running = undefined;
    const ended = endOf(child);
    signalAll(now, 'SIGKILL');
    await ended;
    await browser.close().catch(() => undefined);
  };
  const close = async (): Promise<void> => {
    const { child, browser } = current();
    running = undefined;
    const ended = endOf(child);
    const session = await browser.newBrowserCDPSession();
    await session.send('Browser.close').catch(() => undefined);
    await ended;
  };

  return {
    profile,
    context: () => current().context,
    pages: () => running?.context.pages() ?? [],
    start: async (moreArguments = []) => {
      running = await launch(setup, profile, moreArguments);
      const { context } = running;
      return sized(context.pages()[0] ?? (await context.newPage()));
    },
    newTab: async () => sized(await current().context.newPage()),
    kill,
    freeze: () => signalAll(current(), 'SIGSTOP'),
    thaw: () => signalAll(current(), 'SIGCONT'),
    close,
    remove: async () => {
      if (running !== undefined) await kill();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
