import type { Cluster, ClusterProcess } from '../harness/cluster.ts';
import type { PostgresServer } from '../harness/postgres-server.ts';
import type { Chance } from './chance.ts';

/** Everything that runs, by place: what is killed is started again at its place. */
export type Running = {
  readonly cluster: Cluster;
  readonly postgres: PostgresServer;
  readonly servers: ClusterProcess[];
  readonly workers: ClusterProcess[];
  readonly chance: Chance;
  readonly pause: (ms: number) => Promise<void>;
};

const portOf = (one: ClusterProcess): number => Number(new URL(one.origin).port);

const anyOf = (running: Running, list: readonly ClusterProcess[]): { place: number; one: ClusterProcess } => {
  const place = running.chance.between(0, list.length - 1);
  const one = list[place];
  if (one === undefined) throw new Error('nothing runs there');
  return { place, one };
};

const killWorker = async (running: Running): Promise<void> => {
  const { place, one } = anyOf(running, running.workers);
  await one.kill();
  running.workers[place] = await running.cluster.startWorker();
};

const killServer = async (running: Running): Promise<void> => {
  const { place, one } = anyOf(running, running.servers);
  await one.kill();
  running.servers[place] = await running.cluster.startApi({ port: portOf(one) });
};

/** Past its lease, so that others take over what it holds; then it goes on as if nothing had been. */
const freezeWorker = async (running: Running): Promise<void> => {
  const { one } = anyOf(running, running.workers);
  one.program.freeze();
  await running.pause(running.chance.between(3_500, 9_000));
  one.program.thaw();
};

const cutDatabase = async (running: Running): Promise<void> => {
  const { one } = anyOf(running, [...running.workers, ...running.servers]);
  await one.database.cut();
  await running.pause(running.chance.between(300, 3_000));
  await one.database.mend();
};

const loseDatabaseAnswers = async (running: Running): Promise<void> => {
  const { one } = anyOf(running, running.workers);
  one.database.loseAnswers();
  await running.pause(running.chance.between(200, 1_500));
  await one.database.cut();
  await one.database.mend();
};

const crashDatabase = async ({ postgres, chance, pause }: Running): Promise<void> => {
  await postgres.crash();
  await pause(chance.between(0, 1_500));
  await postgres.start();
};

const killDatabase = async ({ postgres, chance, pause }: Running): Promise<void> => {
  await postgres.kill();
  await pause(chance.between(0, 1_500));
  await postgres.start();
};

const refuseWrites = async ({ postgres, chance, pause }: Running): Promise<void> => {
  await postgres.readOnly(true);
  await pause(chance.between(300, 2_000));
  await postgres.readOnly(false);
};

const killProvider = async ({ cluster, chance, pause }: Running): Promise<void> => {
  await cluster.provider.kill();
  await pause(chance.between(0, 1_500));
  await cluster.provider.restart();
};

const cutProvider = async ({ cluster, chance, pause }: Running): Promise<void> => {
  await cluster.providerNetwork.cut();
  await pause(chance.between(200, 2_000));
  await cluster.providerNetwork.mend();
};

/** In the middle of an answer: to a commit, or of the provider, wherever that comes next. */
const cutAnswer = async (running: Running): Promise<void> => {
  const { cluster, chance } = running;
  if (chance.next() < 0.5) cluster.providerNetwork.cutAnswerIn('HTTP/1.1 200', chance.between(1, 3));
  else {
    const { one } = anyOf(running, [...running.workers, ...running.servers]);
    one.database.cutAnswerIn('COMMIT\0', chance.between(1, 5));
  }
};

const faults: readonly Record<string, unknown>[] = [
  { on: 'refund.create', do: 'execute_then_drop' },
  { on: 'refund.create', do: 'execute_then_500' },
  { on: 'refund.create', do: 'execute_then_hang' },
  { on: 'refund.create', do: 'drop_before' },
  { on: 'refund.create', do: 'error_before', status: 500 },
  { on: 'refund.create', do: 'html_502' },
  { on: 'refund.create', do: 'truncated_body' },
  { on: 'refund.create', do: 'rate_limit', retryAfter: 1 },
  { on: 'refund.create', do: 'pending_then', then: 'succeeded', ms: 2_000 },
  { on: 'refund.list', do: 'error_before', status: 500 },
  { on: 'refund.list', do: 'hide_from_list', ms: 4_000 },
  { on: 'webhook', do: 'hold' },
  { on: 'webhook', do: 'duplicate' },
];

const armFault = async ({ cluster, chance }: Running): Promise<string> => {
  const fault = chance.pick(faults);
  await cluster.provider.fault({ ...fault, times: chance.between(1, 6) });
  return `${String(fault['on'])} ${String(fault['do'])}`;
};

type Deed = readonly [name: string, weight: number, act: (running: Running) => Promise<unknown>];

const deeds: readonly Deed[] = [
  ['a worker is killed', 4, killWorker],
  ['a server is killed', 3, killServer],
  ['a worker is frozen past its lease', 2, freezeWorker],
  ['connections to the database are cut', 3, cutDatabase],
  ['answers of the database are lost', 2, loseDatabaseAnswers],
  ['the database crashes', 1, crashDatabase],
  ['the database is killed with all its processes', 1, killDatabase],
  ['the database takes no writes', 1, refuseWrites],
  ['the provider is killed', 1, killProvider],
  ['connections to the provider are cut', 2, cutProvider],
  ['an answer is cut in the middle', 4, cutAnswer],
  ['the provider fails', 8, armFault],
];

const draw = (chance: Chance): Deed => {
  const whole = deeds.reduce((sum, [, weight]) => sum + weight, 0);
  let left = chance.next() * whole;
  const found = deeds.find(([, weight]) => (left -= weight) < 0);
  return found ?? chance.pick(deeds);
};

/** A program that could not start while its database was away is started again, as whoever looks after it would. */
export const revive = async (running: Running): Promise<void> => {
  const { cluster, servers, workers } = running;
  for (const [place, one] of workers.entries()) {
    if (!one.program.running()) workers[place] = await cluster.startWorker();
  }
  for (const [place, one] of servers.entries()) {
    if (!one.program.running()) servers[place] = await cluster.startApi({ port: portOf(one) });
  }
};

/** One deed after the other until it is told to stop; how often each was done. */
export const makeMischief = async (
  running: Running,
  goesOn: () => boolean,
  onDeed: (name: string) => void,
): Promise<ReadonlyMap<string, number>> => {
  const done = new Map<string, number>();
  while (goesOn()) {
    await running.pause(running.chance.between(200, 3_000));
    const [name, , act] = draw(running.chance);
    await revive(running);
    const detail = await act(running);
    const told = typeof detail === 'string' ? `${name}: ${detail}` : name;
    onDeed(told);
    done.set(name, (done.get(name) ?? 0) + 1);
  }
  return done;
};
