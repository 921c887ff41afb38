import { PgDialect } from 'drizzle-orm/pg-core';
import {
  drizzle,
  PostgresJsSession,
  PostgresJsTransaction,
  type PostgresJsDatabase,
} from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';

/** Everything goes through drizzle or through the codecs of rows, whose serialisers replace the driver's own. */
export type Database = PostgresJsDatabase<Record<string, never>>;

type NoSchema = Record<string, never>;
/** What drizzle takes for a transaction's client; it uses what both have. */
type Client = postgres.Sql & postgres.TransactionSql;
type Prepare = PostgresJsSession<Client, NoSchema, NoSchema>['prepareQuery'];

/**
 * Questions with more parameters than this differ in their text each time: keeping a plan of each would only fill the
 * memory of both sides.
 */
const mostParametersKept = 40;

/** Keeps the plan of each question on its connection, so that asking it again costs neither parsing nor planning. */
class PreparingSession extends PostgresJsSession<Client, NoSchema, NoSchema> {
  override readonly prepareQuery: Prepare = (query, fields, name, ...rest) => {
    const kept = name ?? (query.params.length <= mostParametersKept ? 'kept' : undefined);
    return super.prepareQuery(query, fields, kept, ...rest);
  };
}

const dialect = new PgDialect();

/** A pool's database: it also sets the driver's serialisers. */
export const databaseOver = (driver: postgres.Sql): Database => drizzle(driver);

/** The database of one transaction that the driver has begun. */
export const databaseIn = (client: postgres.TransactionSql): Database => {
  const session = new PreparingSession(client as Client, dialect, undefined);
  return new PostgresJsTransaction<NoSchema, NoSchema>(dialect, session, undefined);
};
