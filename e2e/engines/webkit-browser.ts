import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Builder, Capabilities, type WebDriver, type WebElement } from 'selenium-webdriver';
import { freePort } from '../harness/house.ts';
import { until } from '../harness/program.ts';
import type { EngineBrowser, Tab, Wanted } from './engine-browser.ts';
import { findInPage } from './in-page.ts';

export type WebKitPrograms = {
  readonly driver: string;
  readonly miniBrowser: string;
  readonly xvfb: string;
  /** A C compiler, for the few lines that let it keep its profile. */
  readonly compiler: string;
};

type Process = { readonly id: number; readonly parent: number; readonly name: string };

const processes = async (): Promise<readonly Process[]> => {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = ids.map(async (id): Promise<Process | null> => {
    // `id (name) state parent …`; the name may hold blanks. It may be gone by now.
    const text = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
    const [, name, parent] = /\((.*)\) \S (\d+)/.exec(text) ?? [];
    return name === undefined ? null : { id: Number(id), parent: Number(parent), name };
  });
  return (await Promise.all(read)).filter((one) => one !== null);
};

/** Everything that this process started, and what that started. */
const startedBy = async (ancestor: number): Promise<readonly Process[]> => {
  const all = await processes();
  const below = (id: number): readonly Process[] =>
    all.filter(({ parent }) => parent === id).flatMap((child) => [child, ...below(child.id)]);
  return below(ancestor);
};

const signal = (id: number): void => {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
};

/** A screen that nobody sees, on the first free number. */
const startScreen = async (xvfb: string): Promise<{ child: ChildProcess; display: string }> => {
  const child = spawn(xvfb, ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [numbers] = (await once(child.stdio[3] as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { child, display: `:${numbers.toString().trim()}` };
};

/** Builds the library that makes it keep its profile. */
const buildKeptProfile = (compiler: string, folder: string): string => {
  const library = path.join(folder, 'kept-profile.so');
  const source = path.join(import.meta.dirname, 'kept-profile.c');
  const built = spawnSync(compiler, ['-shared', '-fPIC', '-o', library, source], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`${compiler} did not build ${source}: ${built.stderr}`);
  return library;
};

const startDriver = async (program: string, display: string, folder: string, library: string) => {
  const port = await freePort();
  const child = spawn(program, [`--port=${port}`, '--host=127.0.0.1'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      DISPLAY: display,
      HOME: path.join(folder, 'home'),
      LD_PRELOAD: library,
      KEPT_PROFILE: path.join(folder, 'profile'),
      LANG: 'en_US.UTF-8',
      // Its sandbox needs what a container seldom gives. It opens nothing but our own pages on loopback.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
  });
  const address = `http://127.0.0.1:${port}`;
  await until('WebKitWebDriver to listen', async () =>
    (await fetch(`${address}/status`)).ok ? true : undefined,
  );
  return { child, address };
};

const find = (driver: WebDriver, wanted: Wanted): Promise<WebElement> =>
  until(`a ${wanted.role} named ${wanted.name}`, async () => {
    const element = await driver.executeScript<WebElement | null>(
      `return (${findInPage.toString()})(arguments[0])`,
      wanted,
    );
    return element ?? undefined;
  });

type Ended = { readonly value: unknown } | { readonly error: string };

const evaluateSource = (inPage: string): string => `
  const given = [...arguments];
  const done = given.pop();
  Promise.resolve()
    .then(() => (${inPage})(...given))
    .then((value) => done({ value: value === undefined ? null : value }), (error) => done({ error: String(error) }));
`;

/** The driver speaks to one tab at a time: each call goes to its own first. */
const tabOf = (driver: WebDriver, handle: string): Tab => {
  const here = <Value>(act: () => Promise<Value>): Promise<Value> =>
    driver.switchTo().window(handle).then(act);
  return {
    open: (address) => here(() => driver.get(address)),
    reload: () => here(() => driver.navigate().refresh()),
    press: (wanted) => here(async () => (await find(driver, wanted)).click()),
    fill: (wanted, text) =>
      here(async () => {
        const field = await find(driver, wanted);
        await field.clear();
        await field.sendKeys(text);
      }),
    evaluate: (inPage, ...given) =>
      here(async () => {
        const ended = await driver.executeAsyncScript<Ended>(evaluateSource(inPage.toString()), ...given);
        if ('error' in ended) throw new Error(ended.error);
        return ended.value as Awaited<ReturnType<typeof inPage>>;
      }),
  };
};

type Running = { readonly driver: WebDriver; readonly service: ChildProcess; readonly screen: ChildProcess };

/** Ends everything at once: nothing is written down any more. */
const killAll = async ({ service, screen }: Running): Promise<void> => {
  const ended = Promise.all([once(service, 'exit'), once(screen, 'exit')]);
  const below = await startedBy(service.pid ?? 0);
  for (const { id } of below) signal(id);
  service.kill('SIGKILL');
  screen.kill('SIGKILL');
  await ended;
};

/** WebKit by WebKitWebDriver, on a profile of its own. (Its driver never comes back from taking a picture.) */
export const makeWebKitBrowser = async (programs: WebKitPrograms): Promise<EngineBrowser> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-webkit-'));
  await mkdir(path.join(folder, 'home'));
  await mkdir(path.join(folder, 'profile'));
  const library = buildKeptProfile(programs.compiler, folder);
  let running: Running | undefined;
  let version = '';

  const launch = async (withoutLocks: boolean): Promise<Running> => {
    const { child: screen, display } = await startScreen(programs.xvfb);
    const { child: service, address } = await startDriver(programs.driver, display, folder, library);
    const capabilities = new Capabilities({
      browserName: 'MiniBrowser',
      timeouts: { script: 60_000, pageLoad: 60_000 },
      'webkitgtk:browserOptions': {
        binary: programs.miniBrowser,
        args: [
          '--automation',
          `--cookies-file=${path.join(folder, 'profile', 'cookies')}`,
          ...(withoutLocks ? ['--features=-WebLocksAPI'] : []),
        ],
      },
    });
    const driver = await new Builder().usingServer(address).withCapabilities(capabilities).build();
    version = `WebKitGTK/${(await driver.getCapabilities()).getBrowserVersion()}`;
    return { driver, service, screen };
  };
  const current = (): Running => {
    if (running === undefined) throw new Error('the browser does not run');
    return running;
  };
  const kill = async (): Promise<void> => {
    const ending = current();
    running = undefined;
    await killAll(ending);
  };

  return {
    start: async (options) => {
      running = await launch(options?.withoutLocks ?? false);
      return tabOf(running.driver, await running.driver.getWindowHandle());
    },
    newTab: async () => {
      const { driver } = current();
      // A window of its own, since a tab in the background draws nothing and cannot be brought to the front.
      await driver.switchTo().newWindow('window');
      return tabOf(driver, await driver.getWindowHandle());
    },
    close: async () => {
      await current().driver.quit();
      await kill();
    },
    kill,
    version: () => version,
    remove: async () => {
      if (running !== undefined) await kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
