import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Settings } from '../arguments.ts';
import type { Endings } from '../house/endings.ts';
import { startHouse } from '../house/house.ts';
import { repositoryRoot } from '../program.ts';
import type { Run } from '../run.ts';
import { openRig, type Rig } from '../throughput.ts';
import {
  after,
  functionsBySelfTime,
  ownersBySelfTime,
  type CpuProfile,
  type SelfTime,
} from './self-times.ts';
import { countingStatements, forgetStatements, readStatements, type Statement } from './statements.ts';

export type ServerProfile = {
  readonly part: string;
  /** The profile itself, for any viewer of V8 profiles; `null` where only the database was watched. */
  readonly file: string | null;
  /** Operations done meanwhile; `null` where questions were asked instead. */
  readonly operations: number | null;
  readonly owners: readonly SelfTime[];
  readonly functions: readonly SelfTime[];
  readonly statements: readonly Statement[];
};

const warmUpMs = 3_000;
/** Of thousands of functions the last ones tell nothing; the file has them all. */
const keptFunctions = 60;
const keptOwners = 30;
const shownFunctions = 20;
const shownOwners = 12;
const shownStatements = 20;

/** A second, short run of a part: the server under V8's sampling profiler, the database counting its statements. */
export const profileServer = async (
  part: 'loop' | 'burst',
  settings: Settings,
  endings: Endings,
): Promise<ServerProfile> => {
  const folder = path.resolve(repositoryRoot, settings.profileFolder);
  const name = `${part}.cpuprofile`;
  await mkdir(folder, { recursive: true });
  const house = await startHouse(endings, {
    nodeArguments: ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}`],
    postgresSettings: countingStatements,
  });
  const rig = await openRig(house, settings.clients);
  await house.stock.add(20_000);
  await rig.loop(settings.clients, warmUpMs);
  await forgetStatements(house.sql);
  const secondsBefore = (performance.now() - house.serverStartedAt) / 1000;
  const run = await workOf(part, rig, settings);
  const statements = await readStatements(house.sql);
  await rig.close();
  await house.stopServer();
  const file = path.join(folder, name);
  const profile = after(JSON.parse(await readFile(file, 'utf8')) as CpuProfile, secondsBefore);
  return {
    ...{ part, file, statements, operations: run.operations },
    owners: ownersBySelfTime(profile).slice(0, keptOwners),
    functions: functionsBySelfTime(profile).slice(0, keptFunctions),
  };
};

const workOf = (part: 'loop' | 'burst', rig: Rig, { clients, burst }: Settings): Promise<Run> =>
  part === 'loop' ? rig.loop(clients, 8_000) : rig.burst(Math.min(burst ?? 500, 500));

const shares = (times: readonly SelfTime[], count: number): string[] =>
  times.slice(0, count).map(({ name, share }) => `  ${(share * 100).toFixed(1).padStart(5)} %  ${name}`);

/** Where only the database's side was watched. */
export const databaseProfile = (part: string, statements: readonly Statement[]): ServerProfile => ({
  ...{ part, file: null, operations: null, owners: [], functions: [], statements },
});

const statementLines = ({ statements, operations }: ServerProfile): string[] => {
  const shown = statements.slice(0, shownStatements);
  const column = (value: number): string => value.toFixed(2).padStart(8);
  if (operations === null) {
    return [
      'What the database is asked, the dearest first, as calls and ms a call:',
      ...shown.map(
        ({ text, calls, totalMs }) => `  ${column(calls)} ${column(totalMs / calls)}  ${text.slice(0, 140)}`,
      ),
    ];
  }
  const calls = statements.reduce((total, statement) => total + statement.calls, 0);
  return [
    `What the database is asked: ${(calls / operations).toFixed(1)} statements an operation; the dearest, as calls and ms an operation:`,
    ...shown.map(
      ({ text, calls: times, totalMs }) =>
        `  ${column(times / operations)} ${column(totalMs / operations)}  ${text.slice(0, 140)}`,
    ),
  ];
};

/** The profile as text for people. */
export const profileText = (profile: ServerProfile): string => {
  const { part, file, owners, functions } = profile;
  const ofServer = [
    'Whose code the server runs (share of its processor time):',
    ...shares(owners, shownOwners),
    'In which functions:',
    ...shares(functions, shownFunctions),
  ];
  return [
    `Profile of the ${part}${file === null ? '' : `: ${file}`}`,
    ...(file === null ? [] : ofServer),
    ...statementLines(profile),
  ].join('\n');
};
