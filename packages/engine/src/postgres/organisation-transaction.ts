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
  /** Whole rows of one table: `tail` follows `select <columns> from <table> t`, or names in full what `t` is. */
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

/** Sends statements on one transaction's connection, in the order of the calls, whoever waits for which answer first. */
const createSender = (client: postgres.TransactionSql, isOver: () => boolean) => {
  const sent: Promise<void>[] = [];
  let firstTrouble: unknown;
  let byKeys = false;
  const note = (trouble: unknown): void => {
    firstTrouble ??= trouble;
  };
  const run = (text: string, parameters: Parameters) => {
    if (isOver()) throw new Error('the connection was closed under its transaction');
    const send = (what: string, about: Parameters) =>
      client.unsafe(what, about as (string | number)[], { prepare: true }).execute();
    if (!byKeys) {
      byKeys = true;
      send(byKeysText, []).catch(note);
    }
    return send(text, parameters);
  };
  return {
    run,
    /** Sends without waiting. What comes of it is told by `settled`. */
    write: (statement: Statement): void => {
      const writing = run(statement.text, statement.parameters).then(({ count }) => {
        if (statement.wanted !== null && count !== statement.wanted) note(troubleOf(statement));
      }, note);
      sent.push(writing);
    },
    /** Waits for every write. Throws the first trouble there was, `otherwise` where there was none of its own. */
    settled: async (otherwise?: { readonly trouble: unknown }): Promise<void> => {
      await Promise.all(sent);
      if (firstTrouble !== undefined) throw firstTrouble;
      if (otherwise !== undefined) throw otherwise.trouble;
    },
  };
};

export const beginWork = (
  client: postgres.TransactionSql,
  {
    isOver,
    ...given
  }: Pick<OrganisationTransaction, 'organisationId' | 'now' | 'wroteFeed'> & {
    /** Whether the connection was closed under it: then nothing may be sent any more. */
    readonly isOver: () => boolean;
  },
): BegunWork => {
  const memory = emptyMemory();
  const unsent = noWrites();
  const sender = createSender(client, isOver);
  let database: Database | undefined;
  const sendUnsent = (): void => {
    takeStatements(unsent, given.organisationId, given.now).forEach(sender.write);
  };
  const tx: OrganisationTransaction = {
    ...given,
    memory,
    unsent,
    get db() {
      sendUnsent();
      forget(memory);
      if (isOver()) throw new Error('the connection was closed under its transaction');
      database ??= databaseIn(client);
      return database;
    },
    ask: async <Row extends postgres.Row>(text: string, parameters: Parameters) => {
      sendUnsent();
      return (await sender.run(text, parameters)) as unknown as readonly Row[];
    },
    rows: async (codec, tail, parameters) => {
      sendUnsent();
      const from = tail.startsWith('from ') ? tail : `from ${codec.table} t ${tail}`;
      const text = `select ${codec.columns('t')} ${from}`;
      const found = await sender.run(text, parameters).values();
      return found.map((values) => codec.decode(values as unknown[]));
    },
  };
  const finish = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await work();
      sendUnsent();
      await sender.settled();
      return result;
    } catch (trouble) {
      await sender.settled({ trouble });
      throw trouble;
    }
  };
  return { tx, finish };
};
