import { spawnSync } from 'node:child_process';
import { repositoryRoot } from '../harness/program.ts';
import { startFaultProxy, type FaultProxy } from '../harness/fault-proxy.ts';
import { startHouseBehind, type House } from '../harness/house.ts';
import { readServerRows, type ServerRows } from '../harness/server-rows.ts';
import { checkStrictWrite, checkTwoTabs } from './device-checks.ts';
import type { EngineBrowser } from './engine-browser.ts';
import { findFirefox, findOurChromium, findWebKit, MissingProgram } from './find-programs.ts';
import { partsInPage, type EngineParts } from './in-page.ts';
import { runOfflineJourney } from './offline-journey.ts';
import { makePuppeteerBrowser } from './puppeteer-browser.ts';
import { makeWebKitBrowser } from './webkit-browser.ts';

/**
 * The main offline journey in three engines: `pnpm e2e:engines`, or one by name: `pnpm e2e:engines firefox`.
 * Exit code 0: every engine passed; 1: one did not; 2: one could not be run here, and it says what to install.
 */

type EngineName = 'chromium' | 'firefox' | 'webkit';
type Make = () => Promise<EngineBrowser>;

/** Each finds its programs at once, so that a missing one is told before anything runs. */
const engines: Readonly<Record<EngineName, () => Make>> = {
  chromium: () => {
    const program = findOurChromium();
    return () => makePuppeteerBrowser('chrome', program);
  },
  firefox: () => {
    const program = findFirefox();
    return () => makePuppeteerBrowser('firefox', program);
  },
  webkit: () => {
    const programs = findWebKit();
    return () => makeWebKitBrowser(programs);
  },
};

const isEngine = (name: string): name is EngineName => name in engines;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** What this engine cannot do, and what follows from that. */
const limitsOf = (parts: EngineParts): readonly string[] => [
  ...(parts.backgroundSync
    ? []
    : [
        'no Background Sync: what is saved is sent when the app is opened, visible or online, never while closed',
      ]),
  ...(parts.locks ? [] : ['no Web Locks: the lease alone keeps two tabs from sending']),
  ...(parts.broadcastChannel ? [] : ['no BroadcastChannel']),
  ...(parts.storageManager ? [] : ['no storage manager: it cannot be asked to keep what is stored']),
];

type Result = {
  readonly name: EngineName;
  readonly version: string;
  readonly failure: string | null;
  readonly seconds: number;
};

const runEngine = async (
  name: EngineName,
  make: Make,
  house: House<FaultProxy>,
  serverRows: ServerRows,
): Promise<Result> => {
  const begin = performance.now();
  const seconds = (): number => (performance.now() - begin) / 1000;
  const saw = (what: string): void => print(`  ${seconds().toFixed(1).padStart(5)} s  ${what}`);
  print(`\n── ${name}`);
  const browser = await make();
  try {
    const first = await browser.start();
    saw(browser.version());
    await first.open(`${house.origin}/healthz`);
    const parts = await first.evaluate(partsInPage);
    for (const limit of limitsOf(parts)) saw(`cannot: ${limit}`);
    const of = { house, serverRows, browser, parts, engine: name, saw };
    await checkStrictWrite(of, await runOfflineJourney(of, first));
    await checkTwoTabs(of, false);
    await checkTwoTabs(of, true);
    return { name, version: browser.version(), failure: null, seconds: seconds() };
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    saw(`FAILED: ${failure}`);
    return { name, version: browser.version(), failure, seconds: seconds() };
  } finally {
    await browser.remove();
    await house.network.mend();
    house.network.clear();
  }
};

const wantedEngines = (given: readonly string[]): readonly EngineName[] => {
  const unknown = given.filter((name) => !isEngine(name));
  const all = Object.keys(engines).filter(isEngine);
  if (unknown.length > 0)
    throw new MissingProgram(`There is no engine ${unknown.join(', ')} here. Known: ${all.join(', ')}.`);
  return given.length === 0 ? all : given.filter(isEngine);
};

/** The programs of each engine, or a line for each that is missing. */
const findAll = (names: readonly EngineName[]): ReadonlyMap<EngineName, Make> | null => {
  const found = new Map<EngineName, Make>();
  for (const name of names) {
    try {
      found.set(name, engines[name]());
    } catch (error) {
      if (!(error instanceof MissingProgram)) throw error;
      process.stderr.write(`${name}: ${error.message}\n`);
    }
  }
  return found.size === names.length ? found : null;
};

const buildWeb = (): boolean => {
  print('Building the web app');
  const built = spawnSync('pnpm', ['--filter', '@holdfast/web', 'run', 'build'], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (built.error) process.stderr.write(`${built.error.message}\n`);
  return built.status === 0;
};

const main = async (): Promise<number> => {
  const found = findAll(wantedEngines(process.argv.slice(2)));
  if (found === null) return 2;
  if (!buildWeb()) return 1;
  const house = await startHouseBehind(startFaultProxy);
  const serverRows = readServerRows(await house.databaseUrl());
  const results: Result[] = [];
  try {
    for (const [name, make] of found) results.push(await runEngine(name, make, house, serverRows));
  } finally {
    await serverRows.close();
    await house.stop();
  }
  print('');
  for (const { name, version, failure, seconds } of results)
    print(`${failure === null ? 'passed' : 'FAILED'}  ${name}  ${version}  (${seconds.toFixed(0)} s)`);
  const failed = results.filter(({ failure }) => failure !== null).length;
  print(`engines: ${results.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
};

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof MissingProgram)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
