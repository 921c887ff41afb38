import { writeFile } from 'node:fs/promises';
import { readArguments, usage, type PartName, type Settings } from './arguments.ts';
import { machineFacts, type MachineFacts } from './facts/machine-facts.ts';
import { measureFeed } from './feed/measure-feed.ts';
import { measureFirstLoad } from './first-load/measure-first-load.ts';
import { makeEndings, type AllEndings } from './house/endings.ts';
import { measureThroughput } from './measure-throughput.ts';
import type { Measured } from './measured.ts';
import { measureOutbox } from './outbox/measure-outbox.ts';
import { pause } from './program.ts';
import { profileText, type ServerProfile } from './profile/profile-server.ts';
import { compareSizes } from './size/compare-sizes.ts';
import { tableOf, verdictOf, type Line } from './table.ts';

type Measure = (settings: Settings, endings: AllEndings) => Promise<Measured>;

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** In this order; the loop and the burst share a house, and the burst is measured against the loop. */
const measures: readonly { readonly parts: readonly PartName[]; readonly measure: Measure }[] = [
  { parts: ['loop', 'burst'], measure: measureThroughput },
  {
    parts: ['feed'],
    measure: async (settings, endings) => ({ lines: await measureFeed(settings, endings) }),
  },
  { parts: ['first-load'], measure: async (_, endings) => ({ lines: await measureFirstLoad(endings) }) },
  {
    parts: ['size'],
    measure: (settings, endings) => compareSizes(settings, endings, say),
  },
  { parts: ['outbox'], measure: measureOutbox },
];

type Result = {
  readonly lines: Line[];
  readonly profiles: ServerProfile[];
  readonly notes: string[];
  facts: MachineFacts;
};

const progressEveryMs = 10_000;

/** Says every ten seconds that this part is still at it, so that a long one does not look like one that hangs. */
const withProgress = async (name: string, measure: () => Promise<Measured>): Promise<Measured> => {
  const beganMs = performance.now();
  const timer = setInterval(() => {
    say(`  ${name}: ${Math.round((performance.now() - beganMs) / 1_000)} s so far …`);
  }, progressEveryMs);
  try {
    return await measure();
  } finally {
    clearInterval(timer);
  }
};

const measureAll = async (
  settings: Settings,
  endings: AllEndings,
  stopped: () => boolean,
): Promise<Result> => {
  const result: Result = { lines: [], profiles: [], notes: [], facts: machineFacts() };
  for (const { parts, measure } of measures) {
    const chosen = parts.filter((part) => settings.parts.includes(part));
    if (chosen.length === 0 || stopped()) continue;
    const name = chosen.join(', ');
    say(`${name} …`);
    const measured = await withProgress(name, () => measure(settings, endings));
    result.lines.push(...measured.lines);
    result.profiles.push(...(measured.profiles ?? []));
    result.notes.push(...(measured.notes ?? []));
    result.facts = { ...result.facts, ...measured.facts };
    await endings.endAll();
  }
  return result;
};

/** In full where it was asked for; else where it can be found. */
const profileTexts = (settings: Settings, profiles: readonly ServerProfile[]): readonly string[] => {
  if (settings.profile) return profiles.map(profileText);
  return profiles.map(
    ({ part, file }) =>
      `Profiled because it missed an aim: ${part}${file === null ? '' : `, ${file}`}. --profile shows it.`,
  );
};

const report = async (settings: Settings, { lines, facts, profiles, notes }: Result): Promise<void> => {
  say(`\n${tableOf(lines)}\n`);
  for (const [name, fact] of Object.entries(facts)) say(`${name}: ${fact}`);
  if (settings.quick) say('Quick runs: ratios are a hint, numbers are noise.');
  for (const text of profileTexts(settings, profiles)) say(`\n${text}`);
  if (notes.length > 0) say(`\n${notes.join('\n')}`);
  if (settings.jsonFile === null) return;
  const told = lines.map((line) => ({ ...line, verdict: verdictOf(line) }));
  const json = JSON.stringify({ facts, quick: settings.quick, lines: told, profiles, notes }, null, 2);
  await writeFile(settings.jsonFile, `${json}\n`);
};

const complain = (error: unknown): void => {
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const cause =
    error instanceof Error && error.cause !== undefined ? `\nbecause: ${String(error.cause)}` : '';
  process.stderr.write(`bench: ${said}${cause}\n`);
};

/** What is under way meets its end in the middle, and what that started last is ended a moment later. */
const stopEverything = async (endings: AllEndings): Promise<void> => {
  endings.close();
  await endings.endAll();
  await pause(500);
  await endings.endAll();
  process.exit(130);
};

const main = async (): Promise<number> => {
  const reading = readArguments(process.argv.slice(2));
  if (!reading.ok && reading.because === null) {
    say(usage);
    return 0;
  }
  if (!reading.ok) {
    process.stderr.write(`bench: ${reading.because}\n${usage}\n`);
    return 2;
  }
  const endings = makeEndings(complain);
  let stopping: Promise<void> | undefined;
  const stop = (): void => {
    stopping ??= stopEverything(endings);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    const result = await measureAll(reading.settings, endings, () => stopping !== undefined);
    await report(reading.settings, result);
    return 0;
  } catch (error) {
    // What breaks because a stop was asked for is no news.
    if (stopping === undefined) complain(error);
    return 1;
  } finally {
    await (stopping ?? endings.endAll());
  }
};

process.exitCode = await main();
