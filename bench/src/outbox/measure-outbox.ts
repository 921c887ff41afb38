import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright';
import type { Settings } from '../arguments.ts';
import type { Endings } from '../house/endings.ts';
import type { Measured } from '../measured.ts';
import { functionsBySelfTime, type CpuProfile } from '../profile/self-times.ts';
import { repositoryRoot } from '../program.ts';
import { verdictOf, type Line } from '../table.ts';
import { build } from './build-page.ts';
import { findChromium } from './find-chromium.ts';
import { linesOfCaughtUp, linesOfDrained, linesOfSaved, type DrainedRun } from './outbox-lines.ts';
import { linesOfPackageSize } from './package-size.ts';
import type { CaughtUp, Measures, Pair } from './page-results.ts';
import { startPreparedServer, type PreparedServer } from './prepared-server.ts';

declare global {
  // In the page: what `page/page.ts` puts there.
  var measures: Measures | undefined;
}

type Place = { readonly page: Page; readonly context: BrowserContext; readonly server: PreparedServer };

/** A profile on the disk: in a window without one, Chromium keeps IndexedDB in memory and nothing is ever synced. */
const openPlace = async (workFolder: string, endings: Endings): Promise<Place> => {
  const pageFolder = path.join(workFolder, 'page');
  build('page', pageFolder);
  const server = await startPreparedServer(pageFolder, endings);
  const context = await chromium.launchPersistentContext(path.join(workFolder, 'profile'), {
    executablePath: findChromium(),
    args: ['--no-sandbox'],
  });
  endings.add(() => context.close());
  const page = await context.newPage();
  await page.goto(server.origin);
  await page.waitForFunction(() => globalThis.measures !== undefined);
  return { page, context, server };
};

const shownFunctions = 25;

/** The page's processor time by function, while something runs in it. Written where any viewer of profiles finds it. */
const profiled = async <Value>(
  { context, page }: Place,
  settings: Settings,
  name: string,
  run: () => Promise<Value>,
): Promise<{ value: Value; notes: readonly string[] }> => {
  const session = await context.newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.start');
  const value = await run();
  const { profile } = await session.send('Profiler.stop');
  await session.detach();
  const folder = path.resolve(repositoryRoot, settings.profileFolder);
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `outbox-${name}.cpuprofile`);
  await writeFile(file, JSON.stringify(profile));
  const top = functionsBySelfTime(profile as CpuProfile)
    .slice(0, shownFunctions)
    .map(
      ({ name: of, seconds, share }) =>
        `  ${(share * 100).toFixed(1)} %  ${(seconds * 1000).toFixed(0)} ms  ${of}`,
    );
  return { value, notes: [`outbox, ${name}, functions by their own time (${file}):`, ...top] };
};

const savePairs = ({ page }: Place, name: string, rounds: number): Promise<readonly Pair[]> =>
  page.evaluate(([as, count]) => globalThis.measures?.saved(as, count) ?? [], [name, rounds] as const);

const drainOnce = async ({ page, server }: Place, name: string, count: number): Promise<DrainedRun> => {
  server.takeRequests();
  const run = await page.evaluate(([as, many]) => globalThis.measures?.drain(as, many), [
    name,
    count,
  ] as const);
  if (run === undefined) throw new Error('the page has nothing to measure with');
  // One was the bare side's, one found out that nobody is signed in.
  return { ...run, requests: server.takeRequests() - 2 };
};

const catchUpOnce = async ({ page }: Place, name: string, count: number): Promise<CaughtUp> => {
  const run = await page.evaluate(([as, many]) => globalThis.measures?.catchUp(as, many), [
    name,
    count,
  ] as const);
  if (run === undefined) throw new Error('the page has nothing to measure with');
  return run;
};

const inTurns = async <Run>(
  rounds: number,
  run: (round: number) => Promise<Run>,
): Promise<readonly Run[]> => {
  const runs: Run[] = [];
  // The first one is not counted: it compiles.
  for (let round = 0; round <= rounds; round += 1) {
    const done = await run(round);
    if (round > 0) runs.push(done);
  }
  return runs;
};

const profiles = async (
  place: Place,
  settings: Settings,
  lines: readonly Line[],
): Promise<readonly string[]> => {
  const isWanted = (what: string): boolean =>
    settings.profile ||
    (!settings.quick && lines.some((line) => line.what.startsWith(what) && verdictOf(line) === 'missed'));
  const notes: string[] = [];
  const take = async (what: string, name: string, run: () => Promise<unknown>): Promise<void> => {
    if (!isWanted(what)) return;
    const taken = await profiled(place, settings, name, run);
    notes.push(...(settings.profile ? taken.notes : taken.notes.slice(0, 1)));
  };
  await take('tap', 'save', () => savePairs(place, 'profile-save', 50));
  await take('sending', 'send', () => drainOnce(place, 'profile-send', 1_000));
  await take('catching', 'catch-up', () => catchUpOnce(place, 'profile-catch-up', 10_000));
  return notes;
};

export const measureOutbox = async (settings: Settings, endings: Endings): Promise<Measured> => {
  const workFolder = await mkdtemp(path.join(tmpdir(), 'holdfast-bench-outbox-'));
  endings.add(() => rm(workFolder, { recursive: true, force: true, maxRetries: 3 }));
  const place = await openPlace(workFolder, endings);
  const { quick } = settings;
  const rounds = settings.rounds ?? (quick ? 2 : 5);
  const [items, changes] = quick ? [200, 2_000] : [1_000, 10_000];
  const pairs = await savePairs(place, 'save', quick ? 20 : 100);
  const drained = await inTurns(rounds, (round) => drainOnce(place, `send-${String(round)}`, items));
  const caughtUp = await inTurns(rounds, (round) => catchUpOnce(place, `catch-up-${String(round)}`, changes));
  const lines = [
    ...linesOfSaved(pairs),
    ...linesOfDrained(items, drained),
    ...linesOfCaughtUp(changes, caughtUp),
  ];
  const notes = await profiles(place, settings, lines);
  const browser = `Chromium ${place.context.browser()?.version() ?? 'of unknown version'}`;
  return { lines: [...lines, ...linesOfPackageSize(workFolder)], notes, facts: { browser } };
};
