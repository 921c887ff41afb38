import { loadModule, parseSync } from '@libpg-query/parser';
import type { Node } from '@pgsql/types';
import { compileQueryOf } from './compile-query.ts';
import { buildSchema } from './schema.ts';
import { newScope, type Catalogue, type CompiledQuery, type Run, type Session } from './scope.ts';
import type { Table, Tables } from './tables.ts';
import { handingOut, SqlTrouble, type Row, type Value } from './values.ts';

await loadModule();

const parse = (text: string): readonly Node[] =>
  (parseSync(text).stmts ?? []).flatMap(({ stmt }) => (stmt === undefined ? [] : [stmt]));

export type Answer = {
  /** Rows as the driver hands them out, in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[];
  readonly names: readonly string[];
  readonly count: number;
};

/** What a transaction left behind: whether anything at all, and the tables into which it put rows. */
export type Written = { readonly anything: boolean; readonly insertedInto: ReadonlySet<string> };

export type OpenTransaction = {
  readonly ask: (text: string, parameters: readonly unknown[]) => Answer;
  readonly commit: () => Written;
  readonly rollback: () => void;
};

type Kept = {
  readonly rows: Map<number, Row>;
  readonly uniques: readonly Map<string, number>[];
  readonly next: number;
};
export type Backup = { readonly tables: ReadonlyMap<string, Kept>; readonly transactionId: number };

/** What one PostgreSQL holds, in this process, under the shipped migrations and the shipped statements. */
export type PretendPostgres = {
  readonly begin: () => OpenTransaction;
  readonly backup: () => Backup;
  /** Puts everything back to how it was, the counter of transactions too. */
  readonly restore: (backup: Backup) => void;
  /** A table's rows as they are, for those who look from outside. */
  readonly rowsOf: (table: string) => readonly Row[];
};

export type PretendWorld = { readonly nowMs: () => number; readonly randomUuid: () => string };

type HandsOut = (value: Value) => unknown;
/** `names` and `handsOut` of each column; none where no rows are returned. */
type Plan = {
  readonly query: CompiledQuery;
  readonly returns: boolean;
  readonly names: readonly string[];
  readonly handsOut: readonly HandsOut[];
};

const returnsRows = (node: Node): boolean => {
  if ('SelectStmt' in node) return true;
  const statement = Object.values(node)[0] as { readonly returningList?: readonly Node[] };
  return (statement.returningList ?? []).length > 0;
};

const keep = (table: Table): Kept => ({
  rows: new Map(table.rows),
  uniques: table.uniques.map(({ rows }) => new Map(rows)),
  next: table.next,
});

const putBack = (table: Table, kept: Kept): void => {
  table.rows = new Map(kept.rows);
  table.lookups.clear();
  table.next = kept.next;
  table.uniques.forEach(({ rows }, index) => {
    rows.clear();
    for (const [key, id] of kept.uniques[index] ?? []) rows.set(key, id);
  });
};

const createSession = (tables: Tables, world: PretendWorld, counter: { transactionId: number }): Session => {
  let own: number | null = null;
  return {
    tables,
    nowMs: world.nowMs,
    randomUuid: world.randomUuid,
    settings: new Map(),
    transactionId: () => (own ??= counter.transactionId++),
    horizon: () => own ?? counter.transactionId,
    nextTransactionId: () => counter.transactionId,
  };
};

type Inside = {
  readonly catalogue: Catalogue;
  readonly counter: { transactionId: number };
  session: Session;
};

const runIn = ({ session }: Inside, parameters: readonly Value[] = []): Run => ({
  parameters,
  session,
  common: new Map(),
});

/** Compiles a statement once, whatever it is asked with. */
const planner = (catalogue: Catalogue): ((text: string) => Plan) => {
  const plans = new Map<string, Plan>();
  return (text) => {
    const known = plans.get(text);
    if (known !== undefined) return known;
    const [node] = parse(text);
    if (node === undefined) throw new Error('an empty statement');
    try {
      const query = compileQueryOf(node, newScope(catalogue, null));
      const plan: Plan = {
        ...{ query, returns: returnsRows(node), names: [...query.columns.keys()] },
        handsOut: [...query.columns.values()].map(handingOut),
      };
      plans.set(text, plan);
      return plan;
    } catch (trouble) {
      throw new Error(`${String(trouble)} in: ${text}`, { cause: trouble });
    }
  };
};

const given = (one: unknown): Value => (one instanceof Date ? one.toISOString() : ((one ?? null) as Value));

const answer = (
  { query, returns, names, handsOut }: Plan,
  inside: Inside,
  parameters: readonly unknown[],
): Answer => {
  const found = query.run(null, runIn(inside, parameters.map(given)));
  if (!returns) return { rows: [], names: [], count: found.length };
  const rows = found.map((row) => handsOut.map((handOut, index) => handOut(row[names[index] ?? ''] ?? null)));
  return { rows, names, count: found.length };
};

const beginIn = (inside: Inside, planOf: (text: string) => Plan): OpenTransaction => {
  const { tables } = inside.catalogue;
  const undo: (() => void)[] = [];
  tables.undo = undo;
  tables.inserted = new Set();
  let failed: unknown;
  return {
    ask: (text, parameters) => {
      if (failed !== undefined) {
        throw new SqlTrouble('25P02', `current transaction is aborted by: ${String(failed)}`);
      }
      try {
        return answer(planOf(text), inside, parameters);
      } catch (trouble) {
        failed = trouble;
        throw trouble;
      }
    },
    commit: () => {
      tables.undo = null;
      return { anything: undo.length > 0, insertedInto: tables.inserted };
    },
    rollback: () => {
      tables.undo = null;
      for (const back of undo.toReversed()) back();
    },
  };
};

/** @param migrations the texts of the shipped migrations, in their order */
export const createPretendPostgres = (
  migrations: readonly string[],
  world: PretendWorld,
): PretendPostgres => {
  const tables: Tables = { byName: new Map(), undo: null, inserted: new Set() };
  const counter = { transactionId: 1_000 };
  const catalogue: Catalogue = { tables, functions: new Map() };
  const inside: Inside = { catalogue, counter, session: createSession(tables, world, counter) };
  buildSchema({ catalogue, parse, runNow: () => runIn(inside) }, migrations);
  const planOf = planner(catalogue);
  return {
    begin: () => {
      if (tables.undo !== null) throw new Error('one transaction at a time');
      inside.session = createSession(tables, world, counter);
      return beginIn(inside, planOf);
    },
    backup: () => ({
      tables: new Map([...tables.byName].map(([name, table]) => [name, keep(table)])),
      transactionId: counter.transactionId,
    }),
    restore: (backup) => {
      tables.undo = null;
      for (const [name, kept] of backup.tables) {
        const table = tables.byName.get(name);
        if (table !== undefined) putBack(table, kept);
      }
      counter.transactionId = backup.transactionId;
    },
    rowsOf: (name) => [...(tables.byName.get(name)?.rows.values() ?? [])],
  };
};
