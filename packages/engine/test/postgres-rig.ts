import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import { connect, type Connection } from '../src/postgres/connection.ts';

export type TestDatabase = {
  readonly url: string;
  /** Works under the server's role, as the product does. */
  readonly connection: Connection;
  /** A superuser's connection, for looking behind row-level security and for breaking things. */
  readonly admin: postgres.Sql;
  readonly drop: () => Promise<void>;
};

/** The cluster that this test process has to itself. */
const ownCluster = (): string => {
  const url = inject('postgresUrls')[Number(process.env['VITEST_POOL_ID']) - 1];
  if (url === undefined) throw new Error('there are more test processes than PostgreSQL clusters');
  return url;
};

/** A database of its own for one test file: migrated, with nothing in it but the default organisation. */
export const createTestDatabase = async (
  options: { readonly template?: string | null; readonly maximum?: number } = {},
): Promise<TestDatabase> => {
  const clusterUrl = ownCluster();
  const name = `test_${randomBytes(8).toString('hex')}`;
  const cluster = postgres(clusterUrl, { max: 1, onnotice: () => undefined });
  const template = options.template === undefined ? 'holdfast_template' : options.template;
  await cluster.unsafe(`create database ${name}${template === null ? '' : ` template ${template}`}`);
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  const connection = connect({ url: url.href, maximum: options.maximum ?? 10 });
  const admin = postgres(url.href, { max: 3, onnotice: () => undefined });
  return {
    url: url.href,
    connection,
    admin,
    drop: async () => {
      await connection.close();
      await admin.end({ timeout: 5 });
      await cluster.unsafe(`drop database if exists ${name} with (force)`);
      await cluster.end({ timeout: 5 });
    },
  };
};

/** Polls for a condition with a deadline; never sleeps for a fixed time. */
export const eventually = async <Value>(
  look: () => Promise<Value | undefined | false>,
  deadlineMs = 10_000,
): Promise<Value> => {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`not seen within ${deadlineMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
