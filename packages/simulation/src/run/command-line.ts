import { parseArgs } from 'node:util';
import { createSharedDatabase } from '../world/database.ts';
import { createRealDatabase } from '../real-postgres/real-database.ts';
import type { HistoryDatabase } from '../world/history-database.ts';
import { planOf, type Plan } from '../world/plan.ts';
import { mutants } from '../mutants/mutants.ts';
import { openPlantedWorld } from '../mutants/planted-world.ts';
import { swarms, type SwarmName } from '../world/swarms.ts';
import { exitCodes } from './exit-codes.ts';
import { exploreAll } from '../exhaustive/explore-all.ts';
import { runMany, type ManyOptions, type Progress } from './many-histories.ts';
import { runJobs, sumsOf, type Told } from './many-jobs.ts';
import { runHistory, type Outcome } from './run-history.ts';
import { shrink, type LiveOne } from './shrink.ts';
import { tryMutants } from './try-mutants.ts';

const usage = `pnpm sim --seeds N [--from S]    lives N histories, from seed S on (a fresh one where none is given)
pnpm sim --minutes M [--from S]  lives histories for so long
pnpm sim --seed S [--plan JSON]  lives one again, exactly, and tells it
pnpm sim --mutants [NAME] [--seeds N] [--afresh] [--part K/N]
                                 plants each known mistake, or those with that in their name, and lives up to N
                                 histories (300) until it is found: first the one that is known to find it (--afresh: not);
                                 --part 1/2 is every second of them, --part 2/2 the others
pnpm sim --mutant NAME --seed S  lives one with that mistake in it, tells it, and makes it smaller where it breaks
pnpm sim … --postgres URL        lives them on a real PostgreSQL, in databases of their own (URL: of a superuser)
pnpm sim … --jobs N               lives them in N processes at once (1)
pnpm sim --exhaustive            visits every state of the small worlds

--swarm NAME: all histories are of one of the swarms.
A violation is made smaller (--no-shrink: not) and ends the run (--keep-going: it goes on).
Ends with 0 where nothing was found, 10 for safety, 11 for liveness, 12 for a crash, 1 where a mutant was missed, 2 where it was asked wrongly.`;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const tellProgress = (
  { histories, elapsedMs, steps, lastedMs, operations, refunds }: Progress,
  from: number,
  through: number,
): string => {
  const each = (sum: number): string => (histories === 0 ? '0' : (sum / histories).toFixed(1));
  const rate = elapsedMs === 0 ? 0 : (histories / elapsedMs) * 1_000;
  const lived = through < from ? '' : ` (each of ${String(from)} to ${String(through)})`;
  return `${String(histories)} histories${lived}, ${rate.toFixed(1)} a second; each ${each(lastedMs / 1_000)} s of its own time in ${each(steps)} steps, ${each(operations)} operations, ${each(refunds)} refunds at the provider`;
};

const tellReached = (reached: ReadonlyMap<string, number>): string =>
  [...reached]
    .toSorted(([what, one], [which, other]) => other - one || (what < which ? -1 : 1))
    .map(([what, times]) => `${what} ${String(times)}`)
    .join(', ');

const replay = (plan: Plan, mistake?: string): string => {
  const planted = mistake === undefined ? '' : ` --mutant '${mistake}'`;
  return `pnpm sim${planted} --seed ${String(plan.seed)} --plan '${JSON.stringify(plan)}'`;
};

const violationLines = async (
  { plan, violation }: Outcome,
  database: HistoryDatabase,
  shrinks: boolean,
): Promise<readonly string[]> => {
  if (violation === null) return [];
  const found = `seed ${String(plan.seed)} breaks ${violation.kind}: ${violation.message}`;
  if (!shrinks) return [found];
  const live: LiveOne = async (smaller) => (await runHistory(smaller, database)).violation;
  const small = await shrink(plan, violation, live);
  return [found, `made smaller in ${String(small.runs)} runs: ${replay(small.plan)}`];
};

/** Lives what is asked for on the pretended PostgreSQL, or on a real one where its address is given. */
const onDatabase = async (
  url: string | undefined,
  work: (database: HistoryDatabase) => Promise<number>,
): Promise<number> => {
  if (url === undefined) return work(await createSharedDatabase());
  const database = await createRealDatabase(url);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
};

const tellOne = ({ plan, log, violation, steps, lastedMs }: Outcome): number => {
  say(`seed ${String(plan.seed)}: ${JSON.stringify(plan)}`);
  for (const line of log) say(line);
  say(`${String(steps)} steps, ${(lastedMs / 1_000).toFixed(1)} s of its own time`);
  say(violation === null ? 'nothing was broken' : `${violation.kind}: ${violation.message}`);
  return exitCodes[violation?.kind ?? 'clean'];
};

/** One history with a mistake planted in what is shipped, told, and made smaller where it breaks. */
const liveOnePlanted = async (mistake: string, planOfIt: (swarm?: SwarmName) => Plan, shrinks: boolean) => {
  const mutant = mutants.find(({ name }) => name.includes(mistake));
  if (mutant === undefined) throw new Error(`there is no mutant "${mistake}"`);
  const plan = planOfIt(mutant.swarm);
  const world = await openPlantedWorld(mutant);
  const database = await world.createSharedDatabase();
  const outcome = await world.runHistory(plan, database, true);
  const code = tellOne(outcome);
  if (outcome.violation === null || !shrinks) return code;
  const live: LiveOne = async (smaller) => (await world.runHistory(smaller, database)).violation;
  const small = await shrink(plan, outcome.violation, live);
  say(`made smaller in ${String(small.runs)} runs: ${replay(small.plan, mutant.name)}`);
  return code;
};

type Many = Pick<ManyOptions, 'from' | 'goesOn' | 'swarm'> & {
  readonly shrinks: boolean;
  readonly keepsGoing: boolean;
};

const tellEnd = (from: number, through: number, progress: Progress): void => {
  say(`seeds ${String(from)} to ${String(through)}; changes: ${tellReached(progress.reached)}`);
};

/** One process's share of a run that several make: it tells the one that began it, and nobody else. */
const liveShare = async (
  { from, goesOn, swarm, shrinks, keepsGoing }: Many,
  [job, jobs]: readonly [number, number],
  database: HistoryDatabase,
): Promise<number> => {
  const tell = (told: Told): void => void process.send?.(told);
  process.once('disconnect', () => process.exit());
  await runMany(database, {
    ...{ from: from + job, by: jobs, swarm, nowMs: () => performance.now() },
    goesOn: (done, elapsedMs) => goesOn(job + done * jobs, elapsedMs),
    onProgress: (progress) => tell({ what: 'progress', progress: sumsOf(progress) }),
    onViolation: async (outcome) => {
      const lines = await violationLines(outcome, database, shrinks);
      tell({ what: 'violation', code: exitCodes[outcome.violation?.kind ?? 'clean'], lines });
      return keepsGoing;
    },
  });
  process.disconnect();
  return exitCodes.clean;
};

const liveInJobs = async (jobs: number, from: number, keepsGoing: boolean): Promise<number> => {
  const given = process.argv.slice(2).filter((one, index, all) => {
    const isOf = (option: string): boolean =>
      one === option || one.startsWith(`${option}=`) || all[index - 1] === option;
    return !isOf('--jobs') && !isOf('--from');
  });
  const onProgress = (now: Progress, soFar: number): void => say(tellProgress(now, from, soFar));
  const { progress, through, code } = await runJobs({ given, jobs, from, keepsGoing, say, onProgress });
  say(tellProgress(progress, from, through));
  tellEnd(from, through, progress);
  return code;
};

const liveMany = async (
  { from, goesOn, swarm, shrinks, keepsGoing }: Many,
  database: HistoryDatabase,
): Promise<number> => {
  let code = exitCodes.clean;
  const progress = await runMany(database, {
    ...{ from, goesOn, swarm, by: 1 },
    nowMs: () => performance.now(),
    onProgress: (now) => say(tellProgress(now, from, from + now.histories - 1)),
    onViolation: async (outcome) => {
      if (code === exitCodes.clean) code = exitCodes[outcome.violation?.kind ?? 'clean'];
      for (const line of await violationLines(outcome, database, shrinks)) say(line);
      return keepsGoing;
    },
  });
  tellEnd(from, from + progress.histories - 1, progress);
  return code;
};

const swarmNamed = (name: string): SwarmName => {
  if (!Object.hasOwn(swarms, name)) throw new Error(`there is no swarm "${name}"`);
  return name as SwarmName;
};

const optionsOf = () =>
  parseArgs({
    allowPositionals: true,
    options: {
      seeds: { type: 'string' },
      seed: { type: 'string' },
      minutes: { type: 'string' },
      from: { type: 'string' },
      plan: { type: 'string' },
      postgres: { type: 'string' },
      jobs: { type: 'string', default: '1' },
      share: { type: 'string' },
      exhaustive: { type: 'boolean' },
      mutants: { type: 'boolean' },
      part: { type: 'string', default: '1/1' },
      mutant: { type: 'string' },
      swarm: { type: 'string' },
      afresh: { type: 'boolean' },
      'no-shrink': { type: 'boolean' },
      'keep-going': { type: 'boolean' },
    },
  });

/** A seed that was hardly used before; what it is gets said. */
const freshSeed = (): number => Math.floor(Date.now() / 1_000) % 1_000_000_000;

const main = async (): Promise<number> => {
  let options: ReturnType<typeof optionsOf>['values'];
  let named: string | undefined;
  try {
    const asked = optionsOf();
    options = asked.values;
    [named] = asked.positionals;
  } catch (error) {
    say(`${error instanceof Error ? error.message : ''}\n\n${usage}`);
    return exitCodes.usage;
  }
  if (options.exhaustive === true) return exploreAll(say) ? exitCodes.clean : exitCodes.safety;
  const swarm = options.swarm === undefined ? undefined : swarmNamed(options.swarm);
  const { seed, plan, mutant, postgres } = options;
  const shrinks = options['no-shrink'] !== true;
  if (plan !== undefined || seed !== undefined) {
    const planned = (ofMutant?: SwarmName): Plan =>
      plan === undefined ? planOf(Number(seed), swarm ?? ofMutant) : (JSON.parse(plan) as Plan);
    if (mutant !== undefined) return liveOnePlanted(mutant, planned, shrinks);
    return onDatabase(postgres, async (one) => tellOne(await runHistory(planned(), one, true)));
  }
  const from = options.from === undefined ? freshSeed() : Number(options.from);
  if (options.mutants === true) {
    const hunt = {
      seeds: Number(options.seeds ?? 300),
      from: Number(options.from ?? 1),
      usesKnownSeeds: options.afresh !== true,
    };
    const [part = 0, parts = 0] = options.part.split('/').map(Number);
    if (!(Number.isInteger(part) && Number.isInteger(parts) && part >= 1 && part <= parts)) {
      say(`--part says which of how many parts, as 1/2, not ${options.part}\n\n${usage}`);
      return exitCodes.usage;
    }
    return (await tryMutants(hunt, named, [part, parts], say)) ? exitCodes.clean : exitCodes.missed;
  }
  const seeds = Number(options.seeds ?? 'NaN');
  const minutes = Number(options.minutes ?? 'NaN');
  if (Number.isNaN(seeds) && Number.isNaN(minutes)) {
    say(usage);
    return exitCodes.usage;
  }
  const goesOn = Number.isNaN(seeds)
    ? (_: number, elapsedMs: number): boolean => elapsedMs < minutes * 60_000
    : (done: number): boolean => done < seeds;
  const many = {
    ...{ from, goesOn, swarm },
    shrinks,
    keepsGoing: options['keep-going'] === true,
  };
  const jobs = Number(options.jobs);
  if (!Number.isInteger(jobs) || jobs < 1) {
    say(`--jobs says in how many processes: a whole number from 1 on, not ${options.jobs}\n\n${usage}`);
    return exitCodes.usage;
  }
  if (jobs > 1) return liveInJobs(jobs, from, many.keepsGoing);
  const [job, of] = (options.share ?? '').split('/').map(Number);
  return onDatabase(postgres, (database) =>
    job === undefined || of === undefined ? liveMany(many, database) : liveShare(many, [job, of], database),
  );
};

process.exitCode = await main();
