import type postgres from 'postgres';
import type { DatabaseGate } from '../postgres/pretend-driver.ts';
import type { Mortal } from './scheduler.ts';
import type { Row, Value } from '../postgres/values.ts';

/** What the one database of this process asks of whichever history runs. */
export type DatabaseWorld = { nowMs: () => number; randomUuid: () => string };

/** The database that histories live on, one after the other: pretended in this process, or a real PostgreSQL. */
export type HistoryDatabase = {
  readonly world: DatabaseWorld;
  /** Puts it to the state in which each history begins, and gives it one order of turns. */
  readonly begin: () => Promise<void>;
  /** When histories on it begin: milliseconds since the epoch. */
  readonly beginMs: number;
  /** One process's driver. */
  readonly driverFor: (gate: DatabaseGate, mortal: Mortal) => postgres.Sql;
  /** A table's rows as they are, for those who look from outside. */
  readonly rowsOf: (table: string) => Promise<readonly Row[]>;
  /** Keeps everything as it is now; what it answers with puts it back. `null`: it cannot. */
  readonly backup: (() => () => void) | null;
  /** A statement of those who run it, past every process. */
  readonly administer: (text: string, parameters: readonly Value[]) => Promise<void>;
  /** Resolves once no statement is under way, `null` where none is; `null`: none ever is between two events. */
  readonly quiet: (() => Promise<void> | null) | null;
};
