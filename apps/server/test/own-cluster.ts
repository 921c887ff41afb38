import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';

/** A new database's URL, in the cluster that this test process has to itself: as a first start finds it, or `migrated`. */
export const freshDatabase = async (purpose: string, migrated?: 'migrated'): Promise<string> => {
  const cluster = inject('clusterUrls')[Number(process.env['VITEST_POOL_ID']) - 1];
  if (cluster === undefined) throw new Error('there are more test processes than PostgreSQL clusters');
  const url = new URL(cluster);
  const template = url.pathname.slice(1);
  const name = `${purpose}_${randomBytes(6).toString('hex')}`;
  url.pathname = '/postgres';
  const sql = postgres(url.href, { max: 1, onnotice: () => undefined });
  await sql.unsafe(`create database ${name}${migrated === undefined ? '' : ` template ${template}`}`);
  await sql.end();
  url.pathname = `/${name}`;
  return url.href;
};
