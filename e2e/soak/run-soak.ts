import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startCluster } from '../harness/cluster.ts';
import { expectSound, refundsByOperation } from '../harness/cluster-soundness.ts';
import { makePostgresServer } from '../harness/postgres-server.ts';
import { until } from '../harness/program.ts';
import { createChance } from './chance.ts';
import { makeMischief, revive, type Running } from './mischief.ts';

/**
 * `pnpm soak [--minutes M] [--seed S]`: real processes, a real PostgreSQL and the fake provider, under load, with
 * something broken every second or two; then everything heals, and the ledger and the records have to agree. The seed
 * decides what is broken and in which order; when things happen is the machine's own.
 * Exit code 0: sound; 1: it is said what is not.
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
});
const minutes = Number(values.minutes);
const seed = values.seed === undefined ? Math.floor(Date.now() / 1_000) % 1_000_000 : Number(values.seed);
if (!(minutes > 0) || !Number.isInteger(seed)) {
  process.stderr.write('pnpm soak [--minutes M] [--seed S]: M above 0, S a whole number.\n');
  process.exit(1);
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const begunAt = performance.now();
const elapsed = (): string => `${((performance.now() - begunAt) / 1_000).toFixed(0).padStart(4)} s`;
const lanes = 4;
const healWithinMs = 300_000;

type Asked = { readonly id: string; readonly payment: string; readonly minor: number };

/** A shop, an agent and an approver, who ask the same thing again until they are answered. */
const load = async (running: Running, goesOn: () => boolean): Promise<readonly Asked[]> => {
  const { cluster, servers, chance } = running;
  const asked: Asked[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (goesOn()) {
      next += 1;
      const index = next;
      const minor = chance.between(100, 9_000);
      const people = cluster.asking(() => {
        const first = index % servers.length;
        return [...servers.slice(first), ...servers.slice(0, first)].map(({ origin }) => origin);
      });
      asked.push({ ...(await people.approved(`soak-${String(index)}`, minor)), minor });
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return asked;
};

const judge = async ({ cluster }: Running, asked: readonly Asked[]): Promise<readonly string[]> => {
  const wrong: string[] = [];
  const ledger = await refundsByOperation(cluster);
  for (const { id, payment, minor } of asked) {
    const { state, attention } = await cluster.operation(id);
    const refunds = ledger.get(id) ?? [];
    const standing = refunds.filter(({ status }) => status === 'succeeded');
    const so = `${id} is ${state} (${JSON.stringify(attention)}), the provider holds ${JSON.stringify(refunds)}`;
    if (refunds.length > 1) wrong.push(`carried out more than once: ${so}`);
    if (state !== 'confirmed' && attention.length === 0)
      wrong.push(`not at its end and before nobody: ${so}`);
    if (state === 'confirmed' && standing.length !== 1) wrong.push(`confirmed without effect: ${so}`);
    if (standing.some((refund) => refund.amount !== minor || refund.payment_intent !== payment))
      wrong.push(`not what was approved: ${so}`);
  }
  try {
    await expectSound(cluster);
  } catch (error) {
    wrong.push(error instanceof Error ? error.message : String(error));
  }
  return wrong;
};

const tellAttempts = async ({ cluster }: Running): Promise<string> => {
  const rows = await cluster.sql<{ result: string; count: number }[]>`
    select coalesce(result, 'no end recorded') as result, count(*)::int as count from attempts group by 1 order by 2 desc`;
  return rows.map(({ result, count }) => `${result} ${String(count)}`).join(', ');
};

const soak = async (): Promise<number> => {
  print(`soak: ${String(minutes)} minutes, seed ${String(seed)}`);
  const settings = ['fsync=off', 'max_connections=300', 'shared_buffers=64MB', 'log_min_messages=fatal'];
  const postgres = await makePostgresServer(settings);
  await postgres.start();
  const cluster = await startCluster(postgres, 'soak');
  const chance = createChance(seed);
  const running: Running = {
    ...{ cluster, postgres, chance },
    servers: [await cluster.startApi(), await cluster.startApi()],
    workers: await Promise.all(Array.from({ length: chance.between(2, 4) }, () => cluster.startWorker())),
    pause: (ms) => pause(ms),
  };
  try {
    await cluster.sendEventsTo(running.servers[0]);
    const endsAt = performance.now() + minutes * 60_000;
    const goesOn = (): boolean => performance.now() < endsAt;
    const [asked, deeds] = await Promise.all([
      load(running, goesOn),
      makeMischief(running, goesOn, (name) => {
        print(`${elapsed()}  ${name}`);
      }),
    ]);
    await cluster.provider.clearFaults();
    await revive(running);
    print(`${elapsed()}  all is healed; ${String(asked.length)} refunds have to come to their end`);
    await until('everything to end', () => cluster.quiet().then(() => true as const), healWithinMs).catch(
      (error: unknown) => {
        print(`${elapsed()}  ${error instanceof Error ? error.message : String(error)}`);
      },
    );
    const wrong = await judge(running, asked);
    print(`attempts: ${await tellAttempts(running)}`);
    print([...deeds].map(([name, times]) => `${name}: ${String(times)}`).join('; '));
    for (const line of wrong) print(`WRONG  ${line}`);
    print(wrong.length === 0 ? `sound: ${String(asked.length)} refunds, each exactly once` : 'not sound');
    return wrong.length === 0 ? 0 : 1;
  } catch (error) {
    print(cluster.log().slice(-20_000));
    throw error;
  } finally {
    await cluster.close();
    await postgres.remove();
  }
};

process.exitCode = await soak();
