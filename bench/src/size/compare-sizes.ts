import type { Settings } from '../arguments.ts';
import type { Endings } from '../house/endings.ts';
import { startHouse, type House } from '../house/house.ts';
import { median } from '../percentile.ts';
import { openApiClient, type ApiClient } from '../product/api-client.ts';
import type { Measured } from '../measured.ts';
import { databaseProfile } from '../profile/profile-server.ts';
import { countingStatements, forgetStatements, readStatements } from '../profile/statements.ts';
import { verdictOf, type Line } from '../table.ts';
import { openRig, type Rig } from '../throughput.ts';
import { fillFinished } from './finished-operations.ts';

/** At the large size everything goes as at the small one, within a tenth. */
const loopAim = { atLeast: 0.9 };
const questionAim = { atMost: 1.1 };

type Question = { readonly what: string; readonly ask: (house: House, api: ApiClient) => Promise<unknown> };

const overHttp = (what: string, path: string): Question => ({
  what,
  ask: async (house, api) => {
    const answer = await api.ask('GET', path, house.keys.agent);
    if (answer.status === 200) return;
    const log = house.server.output().slice(-1_000);
    throw new Error(`GET ${path} was answered ${String(answer.status)}; the server says: ${log}`);
  },
});

const questions: readonly Question[] = [
  overHttp('list, newest first', '/v1/operations?limit=50'),
  overHttp('list, one state', '/v1/operations?state=denied&limit=50'),
  overHttp('list, what needs a person', '/v1/operations?needsPerson=true&limit=50'),
  overHttp('list, one order', '/v1/operations?orderId=old-order-777'),
  overHttp('search, one operation', '/v1/operations?q=old-order-777&limit=50'),
  overHttp('search, one order', '/v1/orders?q=old-order-777'),
  {
    what: 'due work',
    ask: async ({ sql }) => sql`select * from organisations_with_due_work(now())`,
  },
];

/** One database, filled, with the server on it and its clients. The feed is joined first: a snapshot tells everything. */
type Place = { readonly house: House; readonly rig: Rig; readonly api: ApiClient };

const openPlace = async (
  settings: Settings,
  endings: Endings,
  stored: number,
  say: (text: string) => void,
): Promise<Place> => {
  const house = await startHouse(endings, {
    postgresSettings: ['max_wal_size=4GB', 'maintenance_work_mem=512MB', ...countingStatements],
  });
  const rig = await openRig(house, settings.clients);
  endings.add(rig.close);
  const begin = performance.now();
  await house.stock.add(settings.quick ? 20_000 : 80_000);
  await fillFinished(house.sql, house.organisationId, stored, (done) => {
    if (done % 250_000 === 0) say(`  ${done.toLocaleString('en')} stored`);
  });
  say(
    `  ${stored.toLocaleString('en')} operations stored in ${((performance.now() - begin) / 1000).toFixed(0)} s`,
  );
  return { house, rig, api: openApiClient(house.origin, 4) };
};

const timed = async ({ house, api }: Place, question: Question): Promise<number> => {
  const begin = performance.now();
  await question.ask(house, api);
  return performance.now() - begin;
};

/** A question that takes seconds is not asked as often as one that takes a millisecond. */
const tries = 25;
const patienceMs = 20_000;

const compareQuestion = async (small: Place, large: Place, question: Question): Promise<Line[]> => {
  const times: [number[], number[]] = [[], []];
  const begin = performance.now();
  // The first of each is not counted: it fills caches.
  await timed(small, question);
  await timed(large, question);
  for (let round = 0; round < tries && performance.now() - begin < patienceMs; round += 1) {
    times[0].push(await timed(small, question));
    times[1].push(await timed(large, question));
  }
  const [before, after] = times.map(median);
  const line = { part: 'size', aim: null };
  return [
    { ...line, what: `${question.what}: small, median`, value: before ?? null, unit: 'ms' },
    { ...line, what: `${question.what}: large, median`, value: after ?? null, unit: 'ms' },
    {
      ...{ part: 'size', what: `${question.what}: large of small`, unit: '×', aim: questionAim },
      value: before === undefined || after === undefined ? null : after / before,
    },
  ];
};

const compareLoops = async (small: Place, large: Place, settings: Settings): Promise<Line[]> => {
  const [warmUpMs, durationMs] = settings.quick ? [2_000, 4_000] : [5_000, 10_000];
  const rounds = settings.rounds ?? (settings.quick ? 2 : 4);
  const rate = async ({ rig }: Place, ms: number): Promise<number> => {
    const run = await rig.loop(settings.clients, ms);
    return run.operations / run.seconds;
  };
  await rate(small, warmUpMs);
  await rate(large, warmUpMs);
  await forgetStatements(small.house.sql);
  await forgetStatements(large.house.sql);
  const rates: { small: number; large: number }[] = [];
  for (let round = 0; round < rounds; round += 1)
    rates.push({ small: await rate(small, durationMs), large: await rate(large, durationMs) });
  const line = { part: 'size', unit: 'ops/s', aim: null };
  return [
    { ...line, what: 'loop: small', value: median(rates.map((pair) => pair.small)) },
    { ...line, what: 'loop: large', value: median(rates.map((pair) => pair.large)) },
    {
      ...{ part: 'size', what: 'loop: large of small, median of pairs', unit: '×', aim: loopAim },
      value: median(rates.map((pair) => pair.large / pair.small)),
    },
  ];
};

/** The same product on a small and on a large database, in turns, so that a busy machine hurts both alike. */
export const compareSizes = async (
  settings: Settings,
  endings: Endings,
  say: (text: string) => void,
): Promise<Measured> => {
  const [few, many] = settings.quick ? [1_000, 100_000] : [10_000, 1_000_000];
  const small = await openPlace(settings, endings, few, say);
  const large = await openPlace(settings, endings, many, say);
  const loops = await compareLoops(small, large, settings);
  const ofLoops = [
    databaseProfile('size, loop, small', await readStatements(small.house.sql)),
    databaseProfile('size, loop, large', await readStatements(large.house.sql)),
  ];
  await forgetStatements(large.house.sql);
  const answers: Line[] = [];
  for (const question of questions) answers.push(...(await compareQuestion(small, large, question)));
  const ofAnswers = [databaseProfile('size, questions, large', await readStatements(large.house.sql))];
  small.api.close();
  large.api.close();
  return {
    lines: [
      { part: 'size', what: 'operations stored, small', value: few, unit: '', aim: null },
      { part: 'size', what: 'operations stored, large', value: many, unit: '', aim: null },
      ...loops,
      ...answers,
    ],
    profiles: [...(misses(loops) ? ofLoops : []), ...(misses(answers) ? ofAnswers : [])],
  };
};

const misses = (lines: readonly Line[]): boolean => lines.some((line) => verdictOf(line) === 'missed');
