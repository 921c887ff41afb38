import type postgres from 'postgres';
import type { Answer, OpenTransaction, PretendPostgres, Written } from './pretend-postgres.ts';
import { SqlTrouble } from './values.ts';

/** Where the world may meddle with one process's talk with its database. What never resolves is a process that died. */
export type DatabaseGate = {
  /** Before a transaction, or a statement alone, begins. Throws where the database is away. */
  readonly begin: () => Promise<void>;
  /** Before each statement within: the process may die there, and what it wrote is rolled back. */
  readonly statement: () => 'go' | 'dies' | 'breaks';
  /** Between two statements of a transaction of a real database, where time may pass. */
  readonly between: () => Promise<void>;
  /** It has committed; whether anybody hears of it is another matter. */
  readonly committed: (written: Written) => Promise<void>;
};

/** The driver's way of saying that a connection is gone. */
export const connectionClosed = (): Error => new SqlTrouble('CONNECTION_CLOSED', 'write CONNECTION_CLOSED');

type Pending = Promise<readonly object[] & { count: number }> & {
  readonly execute: () => Pending;
  readonly values: () => Promise<readonly (readonly unknown[])[]>;
};

const asObjects = ({ rows, names, count }: Answer): readonly object[] & { count: number } => {
  const objects = rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index += 1) row[names[index] ?? ''] = values[index];
    return row;
  });
  return Object.assign(objects, { count });
};

/** Lazy like the driver's own: it is carried out once, when first waited for. */
class Waiting {
  readonly #carryOut: () => Promise<Answer>;
  #begun: Promise<Answer> | undefined;

  constructor(carryOut: () => Promise<Answer>) {
    this.#carryOut = carryOut;
  }

  #once(): Promise<Answer> {
    if (this.#begun === undefined) {
      this.#begun = this.#carryOut();
      // Whoever waits for it hears of its trouble; nobody has to.
      this.#begun.catch(() => undefined);
    }
    return this.#begun;
  }

  then(...handlers: [undefined, undefined]): unknown {
    return this.#once()
      .then(asObjects)
      .then(...handlers);
  }

  catch(handler: (trouble: unknown) => unknown): unknown {
    return this.#once().then(asObjects).catch(handler);
  }

  finally(handler: () => void): unknown {
    return this.#once().then(asObjects).finally(handler);
  }

  execute(): this {
    void this.#once();
    return this;
  }

  async values(): Promise<Answer['rows']> {
    return (await this.#once()).rows;
  }
}

const pending = (carryOut: () => Promise<Answer>): Pending => new Waiting(carryOut) as unknown as Pending;

const never = <Result>(): Promise<Result> => new Promise<Result>(() => undefined);

/** One at a time, in the order of asking. */
export const createTurns = () => {
  let last: Promise<void> = Promise.resolve();
  return (): Promise<() => void> => {
    let release = (): void => undefined;
    const mine = new Promise<void>((resolve) => {
      release = resolve;
    });
    const before = last;
    last = mine;
    return before.then(() => release);
  };
};

const nothingWritten: Written = { anything: false, insertedInto: new Set() };

type Given = readonly unknown[] | undefined;
type Open = Pick<OpenTransaction, 'ask'> & {
  readonly end: (how: 'commit' | 'rollback') => void;
  /** The connection goes: what is under way over it has no answer, and the transaction tells why. */
  readonly break: () => void;
};

/**
 * One process's driver over the pretend PostgreSQL. Each transaction is carried out whole before the next one of any
 * process begins; between them anything may happen.
 * @param takeTurn shared by all processes of one database
 */
export const createPretendDriver = (
  database: PretendPostgres,
  takeTurn: () => Promise<() => void>,
  gate: DatabaseGate,
): postgres.Sql => {
  const answerOf = (open: Open, text: string, parameters: Given): Promise<Answer> => {
    switch (gate.statement()) {
      case 'dies':
        open.end('rollback');
        return never();
      case 'breaks':
        open.break();
        return Promise.reject(connectionClosed());
      case 'go':
        try {
          return Promise.resolve(open.ask(text, parameters ?? []));
        } catch (trouble) {
          return Promise.reject(trouble instanceof Error ? trouble : new Error(String(trouble)));
        }
    }
  };

  const transaction = async <Result>(work: (open: Open) => Promise<Result>): Promise<Result> => {
    await gate.begin();
    const release = await takeTurn();
    const begun = database.begin();
    let over = false;
    let written: Written = nothingWritten;
    const end = (how: 'commit' | 'rollback'): void => {
      if (over) return;
      over = true;
      if (how === 'commit') written = begun.commit();
      else begun.rollback();
      release();
    };
    let result: Result;
    let breakOff = (_trouble: Error): void => undefined;
    const broken = new Promise<never>((_, reject) => {
      breakOff = reject;
    });
    try {
      const open: Open = { ask: begun.ask, end, break: () => breakOff(connectionClosed()) };
      result = await Promise.race([work(open), broken]);
    } catch (trouble) {
      end('rollback');
      throw trouble;
    }
    end('commit');
    await gate.committed(written);
    return result;
  };

  const driver = {
    options: { parsers: {}, serializers: {} },
    unsafe: (text: string, parameters?: Given) =>
      pending(() => transaction((open) => answerOf(open, text, parameters))),
    begin: <Result>(work: (client: { unsafe: unknown }) => Promise<Result>) =>
      transaction((open) =>
        work({
          unsafe: (text: string, parameters?: Given) => pending(() => answerOf(open, text, parameters)),
        }),
      ),
    end: () => Promise.resolve(),
  };
  return driver as unknown as postgres.Sql;
};
