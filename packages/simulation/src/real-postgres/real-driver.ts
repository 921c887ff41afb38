import type postgres from 'postgres';
import { connectionClosed, type DatabaseGate } from '../postgres/pretend-driver.ts';
import type { Written } from '../postgres/pretend-postgres.ts';
import { SqlTrouble } from '../postgres/values.ts';
import type { UnderWay } from './under-way.ts';

type Rows = readonly object[] & { readonly count: number };
type Given = (string | number)[] | undefined;
type Options = postgres.UnsafeQueryOptions | undefined;
type Asker = Pick<postgres.Sql, 'unsafe'>;

type Asked = Promise<Rows> & {
  readonly execute: () => Asked;
  readonly values: () => Asked;
};

/** What it wrote is not known here. */
const somethingWritten: Written = { anything: true, insertedInto: new Set() };

type Shape = 'objects' | 'values';

const never = <Result>(): Promise<Result> => new Promise<Result>(() => undefined);

/** Lazy like the driver's own: it is carried out once, when first waited for, in the shape that was asked for by then. */
const lazily = (carryOut: (shapeOf: () => Shape) => Promise<Rows>): Asked => {
  let shape: Shape = 'objects';
  let begun: Promise<Rows> | undefined;
  const once = (): Promise<Rows> => {
    begun ??= carryOut(() => shape);
    // Whoever waits for it hears of its trouble; nobody has to.
    begun.catch(() => undefined);
    return begun;
  };
  const asked = {
    then: (...handlers: Parameters<Promise<Rows>['then']>) => once().then(...handlers),
    catch: (handler: (trouble: unknown) => unknown) => once().catch(handler),
    finally: (handler: () => void) => once().finally(handler),
    execute: () => {
      void once();
      return asked;
    },
    values: () => {
      shape = 'values';
      return asked;
    },
  } as unknown as Asked;
  return asked;
};

/** Where a process of a history ends: its connections go with it, and nobody hears of what was under way. */
export type ProcessLife = {
  readonly isAlive: () => boolean;
  readonly atDeath: (act: () => void) => void;
  /** Ends its connections, as the database sees it. */
  readonly cutOff: () => Promise<void>;
};

type Side = {
  readonly pool: postgres.Sql;
  readonly underWay: UnderWay;
  readonly gate: DatabaseGate;
  readonly life: ProcessLife;
};

/** Of what a dead process waits for, nothing comes. */
const living = async <Result>({ life }: Side, work: Promise<Result>): Promise<Result> => {
  try {
    const result = await work;
    return life.isAlive() ? result : await never<Result>();
  } catch (trouble) {
    if (!life.isAlive()) return never();
    throw trouble;
  }
};

type Question = { readonly text: string; readonly given: Given; readonly options: Options };

/** Asks the database, unless the process or its connection ends right there. */
const ask = (side: Side, client: Asker, { text, given, options }: Question, shape: Shape): Promise<Rows> => {
  switch (side.gate.statement()) {
    case 'dies':
      return never();
    case 'breaks':
      return Promise.reject(connectionClosed());
    case 'go': {
      const query = client.unsafe(text, given, options);
      const sent = shape === 'values' ? query.values() : query;
      return living(side, sent as unknown as Promise<Rows>);
    }
  }
};

/** Something that is under way until it is said to be over. */
const until = ({ underWay, life }: Side): (() => void) => {
  let over = (): void => undefined;
  void underWay.track(new Promise<void>((resolve) => (over = resolve)), life);
  return over;
};

/** Of one connection only the first statement is worked at; those behind it wait for it, and are not counted. */
const createTalk = (side: Side) => {
  let waiting = 0;
  let isOver = (): void => undefined;
  return async (asked: Promise<Rows>): Promise<Rows> => {
    if (waiting === 0) isOver = until(side);
    waiting += 1;
    try {
      return await asked;
    } finally {
      waiting -= 1;
      if (waiting === 0) isOver();
    }
  };
};

/** A transaction's client. Statements go out in the order in which they were asked, however long each is held up. */
const clientOf = (side: Side, client: Asker, onBroken: (trouble: unknown) => void) => {
  let last: Promise<void> = Promise.resolve();
  const talk = createTalk(side);
  return {
    unsafe: (text: string, given?: Given, options?: Options) =>
      lazily(async (shapeOf) => {
        const turn = last.then(() => side.gate.between());
        last = turn;
        await turn;
        try {
          return await talk(ask(side, client, { text, given, options }, shapeOf()));
        } catch (trouble) {
          if (trouble instanceof SqlTrouble) onBroken(trouble);
          throw trouble;
        }
      }),
  };
};

const transaction = async <Result>(
  side: Side,
  work: (client: object) => Promise<Result>,
): Promise<Result> => {
  await side.gate.begin();
  let isOver = until(side);
  const carried = side.pool.begin(async (client) => {
    isOver();
    try {
      return await new Promise<{ result: Result }>((resolve, reject) => {
        work(clientOf(side, client, reject)).then((result) => resolve({ result }), reject);
      });
    } finally {
      isOver = until(side);
    }
  });
  const { result } = await living(side, carried.finally(() => isOver()) as Promise<{ result: Result }>);
  await side.gate.committed(somethingWritten);
  return result;
};

const alone = async (side: Side, question: Question, shape: Shape): Promise<Rows> => {
  await side.gate.begin();
  const rows = await createTalk(side)(ask(side, side.pool, question, shape));
  await side.gate.committed(somethingWritten);
  return rows;
};

/**
 * One process's driver over a real PostgreSQL. Transactions of several processes are open beside each other, and time
 * passes between the statements of one, so that their statements mix as the seed has it.
 */
export const createRealDriver = (side: Side): postgres.Sql => {
  side.life.atDeath(() => {
    side.underWay.forget(side.life);
    void side.underWay.track(side.life.cutOff());
  });
  const driver = {
    options: side.pool.options,
    unsafe: (text: string, given?: Given, options?: Options) =>
      lazily((shapeOf) => alone(side, { text, given, options }, shapeOf())),
    begin: <Result>(work: (client: object) => Promise<Result>) => transaction(side, work),
    end: () => Promise.resolve(),
  };
  return driver as unknown as postgres.Sql;
};
