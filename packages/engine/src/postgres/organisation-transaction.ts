import type postgres from 'postgres';
import { BoundMeanwhile } from './bound-meanwhile.ts';
import { databaseIn, type Database } from './prepared-session.ts';
import type { RowCodec } from './row-codec.ts';
import { noWrites, takeStatements, type Statement, type UnsentWrites } from './unsent-writes.ts';
import { emptyMemory, forget, type WorkingMemory } from './working-memory.ts';

type Parameters = readonly (string | number | boolean | null | readonly string[])[];

/** One organisation's transaction. `now` is the database's clock at its start, in whole milliseconds. */
export type OrganisationTransaction = {
  /**
   * The database past the memory: what is unsent is sent before, and nothing remembered is kept, so that whoever asks
   * and writes here by itself sees everything and is seen.
   */
  readonly db: Database;
  readonly organisationId: string;
  readonly now: Date;
  /** Said by whoever puts rows into the feed: readers are woken once this has committed. */
  readonly wroteFeed: () => void;
  readonly memory: WorkingMemory;
  readonly unsent: UnsentWrites;
  /** A question of constant text, its plan kept. Asked without waiting for one another, several share one journey. */
  readonly ask: <Row extends postgres.Row>(text: string, parameters: Parameters) => Promise<readonly Row[]>;
  /** Whole rows of one table: `tail` follows `select <columns> from <table> t`. */
  readonly rows: <Row>(codec: RowCodec<Row>, tail: string, parameters: Parameters) => Promise<readonly Row[]>;
};

export type BegunWork = {
  readonly tx: OrganisationTransaction;
  /** Runs the work and sends what it left unsent. Throws the first trouble there was. */
  readonly finish: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

// Rows are reached by their keys here, however small their tables are when a plan is made: it is kept while they grow.
const byKeysText = `select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true)`;

const troubleOf = ({ because }: Statement): Error =>
  because === 'known'
    ? new BoundMeanwhile('an ID was bound meanwhile')
    : new Error('a row changed under its own lock');

export const beginWork = (
  client: postgres.TransactionSql,
  given: Pick<OrganisationTransaction, 'organisationId' | 'now' | 'wroteFeed'>,
): BegunWork => {
  const memory = emptyMemory();
  const unsent = noWrites();
  const sent: Promise<void>[] = [];
  let firstTrouble: unknown;
  let database: Database | undefined;
  let byKeys = false;

  // Sent in the order of these calls, whoever waits for which answer first.
  const run = (text: string, parameters: Parameters) =>
    client.unsafe(text, parameters as (string | number)[], { prepare: true }).execute();

  const goByKeys = (): void => {
    if (byKeys) return;
    byKeys = true;
    run(byKeysText, []).catch(noteTrouble);
  };
  const noteTrouble = (trouble: unknown): void => {
    firstTrouble ??= trouble;
  };
  const sendUnsent = (): void => {
    for (const statement of takeStatements(unsent, given.organisationId, given.now)) {
      goByKeys();
      const writing = run(statement.text, statement.parameters).then(({ count }) => {
        if (statement.wanted !== null && count !== statement.wanted) noteTrouble(troubleOf(statement));
      }, noteTrouble);
      sent.push(writing);
    }
  };

  const tx: OrganisationTransaction = {
    ...given,
    memory,
    unsent,
    get db() {
      sendUnsent();
      forget(memory);
      database ??= databaseIn(client);
      return database;
    },
    ask: async <Row extends postgres.Row>(text: string, parameters: Parameters) => {
      sendUnsent();
      goByKeys();
      return (await run(text, parameters)) as unknown as readonly Row[];
    },
    rows: async (codec, tail, parameters) => {
      sendUnsent();
      goByKeys();
      const found = await run(
        `select ${codec.columns('t')} from ${codec.table} t ${tail}`,
        parameters,
      ).values();
      return found.map((values) => codec.decode(values as unknown[]));
    },
  };
  const finish = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await work();
      sendUnsent();
      await Promise.all(sent);
      if (firstTrouble !== undefined) throw firstTrouble;
      return result;
    } catch (trouble) {
      await Promise.all(sent);
      throw firstTrouble ?? trouble;
    }
  };
  return { tx, finish };
};
