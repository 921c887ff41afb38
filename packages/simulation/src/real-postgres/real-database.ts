import { randomBytes } from 'node:crypto';
import { migrate } from '@holdfast/engine/postgres';
import { openDriver, serverRole } from '@holdfast/engine/postgres/parts';
import postgres from 'postgres';
import type { Row, Value } from '../postgres/values.ts';
import { firstStatements } from '../world/database.ts';
import type { HistoryDatabase } from '../world/history-database.ts';
import { createRealDriver } from './real-driver.ts';
import { createUnderWay } from './under-way.ts';

const connectionsOfOne = 24;

const databaseIn = (clusterUrl: string, name: string): string => {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
};

const open = (url: string): postgres.Sql => postgres(url, { max: 2, onnotice: () => undefined });

/** As the pretended one holds it: times are milliseconds, whole numbers are numbers. */
const valueOf = (value: unknown, oid: number): Value => {
  if (value instanceof Date) return value.getTime();
  return (oid === 20 || oid === 1700) && typeof value === 'string' ? Number(value) : (value as Value);
};

const rowsIn = async (client: postgres.Sql, table: string): Promise<readonly Row[]> => {
  const found = await client<Record<string, unknown>[]>`select * from ${client(table)}`;
  return found.map((row) =>
    Object.fromEntries(found.columns.map(({ name, type }) => [name, valueOf(row[name], type)])),
  );
};

/** Makes what every history begins with, once. */
const makeTemplate = async (cluster: postgres.Sql, clusterUrl: string, name: string): Promise<void> => {
  await cluster.unsafe(`create database ${name}`);
  const url = databaseIn(clusterUrl, name);
  await migrate({ url });
  const client = open(url);
  await client.unsafe('truncate installation, organisations cascade');
  for (const { text, parameters } of firstStatements)
    await client.unsafe(text, parameters as (string | number)[]);
  await client.end({ timeout: 5 });
};

const cutOff = async (cluster: postgres.Sql, applicationName: string): Promise<void> => {
  await cluster`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${applicationName}`;
};

export type RealDatabase = HistoryDatabase & {
  /** Removes the databases that it made. */
  readonly close: () => Promise<void>;
};

/**
 * Histories on a real PostgreSQL: each in a database of its own, made from one template.
 * @param clusterUrl of a superuser of a PostgreSQL that others may use as well
 */
export const createRealDatabase = async (clusterUrl: string): Promise<RealDatabase> => {
  const cluster = open(clusterUrl);
  const prefix = `histories_${randomBytes(6).toString('hex')}`;
  const template = `${prefix}_template`;
  await makeTemplate(cluster, clusterUrl, template);
  let number = 0;
  let admin: postgres.Sql | null = null;
  let name = '';
  const adminNow = (): postgres.Sql => {
    if (admin === null) throw new Error('no history has begun on this database');
    return admin;
  };
  const countLockWaits = async (): Promise<number> => {
    const [row] = await cluster<{ waiting: number }[]>`
      select count(*)::int as waiting from pg_stat_activity where datname = ${name} and wait_event_type = 'Lock'`;
    return row?.waiting ?? 0;
  };
  let underWay = createUnderWay(countLockWaits);
  let pools: postgres.Sql[] = [];
  const leave = async (): Promise<void> => {
    if (admin === null) return;
    await Promise.all([...pools, admin].map((one) => one.end({ timeout: 1 })));
    pools = [];
    admin = null;
    await cluster.unsafe(`drop database if exists ${name} with (force)`);
  };
  return {
    world: { nowMs: () => 0, randomUuid: () => '' },
    // The database's own clock is real, and behind a history's, which goes faster.
    beginMs: Date.now(),
    begin: async () => {
      await leave();
      number += 1;
      name = `${prefix}_${String(number)}`;
      await cluster.unsafe(`create database ${name} template ${template}`);
      admin = open(databaseIn(clusterUrl, name));
      underWay = createUnderWay(countLockWaits);
    },
    driverFor: (gate, mortal) => {
      const applicationName = `${name} ${mortal.name}`;
      const url = databaseIn(clusterUrl, name);
      const pool = openDriver({ url, maximum: connectionsOfOne, applicationName }, serverRole);
      pools.push(pool);
      return createRealDriver({
        ...{ pool, underWay, gate },
        life: {
          isAlive: () => mortal.alive,
          atDeath: (act) => mortal.atDeath.push(act),
          cutOff: () => cutOff(cluster, applicationName),
        },
      });
    },
    rowsOf: (table) => underWay.track(rowsIn(adminNow(), table)),
    backup: null,
    administer: async (text, parameters) => {
      await underWay.track(adminNow().unsafe(text, parameters as (string | number)[]));
    },
    quiet: () => underWay.quiet(),
    close: async () => {
      await leave();
      await cluster.unsafe(`drop database if exists ${template} with (force)`);
      await cluster.end({ timeout: 5 });
    },
  };
};
