import { writeFile } from 'node:fs/promises';
import { readArguments, usage, type Settings } from './arguments.ts';
import { machineFacts, postgresFacts, type MachineFacts } from './facts/machine-facts.ts';
import { startHouse, type Endings } from './house/house.ts';
import { linesOfBurst, linesOfLoop } from './lines.ts';
import { profileServer, profileText, type ServerProfile } from './profile/profile-server.ts';
import { tableOf, verdictOf, type Line } from './table.ts';
import { compareBurst, compareLoop, openRig, shapeOf } from './throughput.ts';

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** What was started, ended in the opposite order. */
const makeEndings = () => {
  const endings: (() => Promise<void>)[] = [];
  return {
    add: (end: () => Promise<void>): void => {
      endings.push(end);
    },
    endAll: async (): Promise<void> => {
      for (let end = endings.pop(); end !== undefined; end = endings.pop()) {
        await end().catch((error: unknown) => {
          process.stderr.write(`bench: something did not end well: ${String(error)}\n`);
        });
      }
    },
  };
};

type AllEndings = Endings & { readonly endAll: () => Promise<void> };
type Result = { readonly lines: Line[]; facts: MachineFacts; readonly profiles: ServerProfile[] };

const benchThroughput = async (settings: Settings, endings: AllEndings, result: Result): Promise<void> => {
  const shape = shapeOf(settings);
  const house = await startHouse(endings);
  result.facts = { ...result.facts, ...(await postgresFacts(house.sql)) };
  const rig = await openRig(house, settings.clients);
  await house.stock.add(settings.quick ? 60_000 : 150_000);
  say('loop …');
  const loop = await compareLoop(rig, settings.clients, shape);
  if (settings.parts.includes('loop')) result.lines.push(...linesOfLoop(loop));
  if (settings.parts.includes('burst')) {
    say('burst …');
    result.lines.push(...linesOfBurst(await compareBurst(rig, shape), loop));
  }
  rig.close();
  await endings.endAll();
  for (const part of ['loop', 'burst'] as const) {
    if (!settings.parts.includes(part) || !(settings.profile || misses(result.lines, part))) continue;
    say(`profile of the ${part} …`);
    result.profiles.push(await profileServer(part, settings, endings));
    await endings.endAll();
  }
};

const misses = (lines: readonly Line[], part: string): boolean =>
  lines.some((line) => line.part === part && verdictOf(line) === 'missed');

const report = async (settings: Settings, { lines, facts, profiles }: Result): Promise<void> => {
  say('');
  say(tableOf(lines));
  say('');
  for (const [name, fact] of Object.entries(facts)) say(`${name}: ${fact}`);
  if (settings.quick) say('Quick runs: ratios are a hint, numbers are noise.');
  for (const profile of profiles) say(`\n${profileText(profile)}`);
  if (settings.jsonFile === null) return;
  const told = lines.map((line) => ({ ...line, verdict: verdictOf(line) }));
  await writeFile(
    settings.jsonFile,
    `${JSON.stringify({ facts, quick: settings.quick, lines: told, profiles }, null, 2)}\n`,
  );
};

const main = async (): Promise<number> => {
  const reading = readArguments(process.argv.slice(2));
  if (!reading.ok) {
    process.stderr.write(`bench: ${reading.because}\n${usage}\n`);
    return 2;
  }
  const { settings } = reading;
  const endings = makeEndings();
  let stopping: Promise<void> | undefined;
  const stop = (): void => {
    stopping ??= endings.endAll().then(() => process.exit(130));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const result: Result = { lines: [], facts: machineFacts(), profiles: [] };
  try {
    if (settings.parts.includes('loop') || settings.parts.includes('burst'))
      await benchThroughput(settings, endings, result);
  } catch (error) {
    // What breaks because a stop was asked for is no news.
    if (stopping === undefined) throw error;
  } finally {
    await (stopping ?? endings.endAll());
  }
  await report(settings, result);
  return 0;
};

process.exitCode = await main();
