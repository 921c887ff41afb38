import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Settings } from '../arguments.ts';
import { residentBytes } from '../facts/processor-time.ts';
import type { Endings } from '../house/endings.ts';
import { startHouse, type House } from '../house/house.ts';
import { median, percentile } from '../percentile.ts';
import { openApiClient, type ApiClient } from '../product/api-client.ts';
import { followFeed } from '../product/feed-follower.ts';
import { proposalOf } from '../product/product-loop.ts';
import { NeverSo, pause, startScript, until, type Program } from '../program.ts';
import type { Line } from '../table.ts';
import { uuidV7 } from '../uuid-v7.ts';

const listeners = 1_000;
/** What a crowd that has just come, or just gone quiet, still has to do. */
const settlingMs = 3_000;

const propose = async (house: House, api: ApiClient): Promise<string> => {
  const operationId = uuidV7();
  const body = proposalOf(house.stock.nextForProduct());
  const answer = await api.ask('PUT', `/v1/operations/${operationId}`, house.keys.agent, body);
  if (answer.status === 201) return operationId;
  throw new Error(`a proposal was answered ${String(answer.status)}: ${JSON.stringify(answer.body)}`);
};

const untilSaid = (crowd: Program, line: string): Promise<boolean> =>
  until(`the listeners to say "${line}"`, () => {
    if (!crowd.running()) throw new NeverSo(crowd.output());
    return Promise.resolve(crowd.output().includes(line) ? true : undefined);
  });

/** When the transaction that told the feed of each operation committed, in milliseconds since the epoch. */
const committedAtMs = async (house: House): Promise<ReadonlyMap<string, number>> => {
  const rows = await house.sql<{ id: string; ms: number }[]>`
    select subject_id as id, extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as ms
    from feed where subject = 'operation'`;
  return new Map(rows.map(({ id, ms }) => [id, ms]));
};

type Heard = Readonly<Record<string, readonly number[]>>;

/** Proposes one by one, each once everybody has heard of the one before, so that a delay is one change's own. */
const tellTheCrowd = async (
  house: House,
  api: ApiClient,
  cursor: string,
  changes: number,
  endings: Endings,
): Promise<{ readonly heard: Heard; readonly bytes: number | null }> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-bench-feed-'));
  endings.add(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'heard.json');
  const before = residentBytes(house.server.pid);
  const crowd = startScript('bench/src/feed/listeners.ts', [
    ...[house.origin, house.keys.agent, cursor, String(listeners), file],
  ]);
  endings.add(() => crowd.end());
  await untilSaid(crowd, 'all here');
  await pause(settlingMs);
  const idle = residentBytes(house.server.pid);
  for (let change = 0; change < changes; change += 1) {
    await untilSaid(crowd, `all heard ${await propose(house, api)}`);
    await pause(200);
  }
  await crowd.end('SIGTERM');
  const heard = JSON.parse(await readFile(file, 'utf8')) as Heard;
  return { heard, bytes: before === null || idle === null ? null : (idle - before) / listeners };
};

export const measureFeed = async (settings: Settings, endings: Endings): Promise<Line[]> => {
  const changes = settings.quick ? 5 : 30;
  const house = await startHouse(endings, { postgresSettings: ['track_commit_timestamp=on'] });
  const first = await followFeed(house.origin, house.keys.agent);
  const cursor = first.cursor();
  first.close();
  await house.stock.add(1_000);
  const api = openApiClient(house.origin, 4);
  // The server's own memory grows with its first requests; the crowd is not to be charged with that.
  for (let warm = 0; warm < 50; warm += 1) await propose(house, api);
  const { heard, bytes } = await tellTheCrowd(
    house,
    api,
    await newestCursor(house, cursor),
    changes,
    endings,
  );
  const committed = await committedAtMs(house);
  const delays = Object.entries(heard).flatMap(([id, times]) => {
    const at = committed.get(id);
    return at === undefined ? [] : times.map((time) => time - at);
  });
  api.close();
  const line = (what: string, value: number | null, unit: string): Line => ({
    ...{ part: 'feed', what, value, unit, aim: null },
  });
  return [
    line('listeners', listeners, ''),
    line('deliveries measured', delays.length, ''),
    line('from commit to each listener, median', median(delays), 'ms'),
    line('from commit to each listener, 99th percentile', percentile(delays, 0.99), 'ms'),
    line('from commit to the last listener, median', lastOfEach(heard, committed), 'ms'),
    line('memory of the server, each idle listener', bytes === null ? null : bytes / 1024, 'KiB'),
  ];
};

const lastOfEach = (heard: Heard, committed: ReadonlyMap<string, number>): number =>
  median(Object.entries(heard).map(([id, times]) => Math.max(...times) - (committed.get(id) ?? Number.NaN)));

/** Where a reader stands who has heard all of the warming up. */
const newestCursor = async (house: House, cursor: string): Promise<string> => {
  const reader = await followFeed(house.origin, house.keys.agent, cursor);
  let last = reader.cursor();
  await until('the feed to be quiet', async () => {
    await pause(1_500);
    const quiet = reader.cursor() === last && last !== cursor;
    last = reader.cursor();
    return quiet ? true : undefined;
  });
  reader.close();
  return last;
};
