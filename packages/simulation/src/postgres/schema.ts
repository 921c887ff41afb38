import type {
  AlterTableStmt,
  ColumnDef,
  Constraint,
  CreateFunctionStmt,
  CreateStmt,
  CreateTrigStmt,
  IndexStmt,
  Node,
} from '@pgsql/types';
import { compileExpression, nameIn, typeOfName } from './compile-expression.ts';
import { compileQueryOf } from './compile-query.ts';
import {
  addSource,
  columnsOf,
  newScope,
  tableOf,
  type Catalogue,
  type CompiledQuery,
  type Run,
  type SqlFunction,
} from './scope.ts';
import { updateRow, type Table } from './tables.ts';
import { castValue, keyOf, type Row, type SqlType, type Value } from './values.ts';

export type Parse = (text: string) => readonly Node[];

type Building = {
  readonly catalogue: Catalogue;
  readonly parse: Parse;
  /** What runs now, for defaults, checks and triggers. */
  readonly runNow: () => Run;
};

const namesIn = (nodes: readonly Node[] | undefined): string[] => (nodes ?? []).map(nameIn);

const judge = ({ catalogue, runNow }: Building, table: Table, expression: Node | undefined) => {
  const scope = newScope(catalogue, null);
  addSource(scope, table.name, columnsOf(table));
  const compiled = compileExpression(expression, scope);
  return (row: Row): Value => compiled.of({ rows: [row], outer: null, run: runNow() });
};

const addUnique = (
  table: Table,
  name: string,
  columns: readonly string[],
  covers: ((row: Row) => boolean) | null,
) => table.uniques.push({ name, columns, covers, rows: new Map() });

/** As PostgreSQL names it: a later migration drops it by that name. */
const defaultName = (table: Table, node: Constraint, columns: readonly string[]): string => {
  const plain = [table.name, ...columns, 'check'].join('_');
  return String(node.contype) === 'CONSTR_CHECK' && table.checks.every((check) => check.name !== plain)
    ? plain
    : `${table.name}_${columns.join('_')}_${String(table.checks.length)}`;
};

const addConstraint = (building: Building, table: Table, node: Constraint, column: string | null): void => {
  const columns = column === null ? namesIn(node.keys) : [column];
  const name = node.conname ?? defaultName(table, node, columns);
  switch (String(node.contype)) {
    case 'CONSTR_PRIMARY':
      for (const one of columns) {
        const own = table.columns.get(one);
        if (own !== undefined) own.notNull = true;
      }
      addUnique(table, name, columns, null);
      return;
    case 'CONSTR_UNIQUE':
      addUnique(table, name, columns, null);
      return;
    case 'CONSTR_CHECK': {
      const holds = judge(building, table, node.raw_expr);
      table.checks.push({ name, holds: (row) => holds(row) !== false });
      return;
    }
    case 'CONSTR_FOREIGN': {
      const of = node.pktable?.relname ?? '';
      const given = namesIn(node.pk_attrs);
      const ofColumns =
        given.length > 0 ? given : [...(building.catalogue.tables.byName.get(of)?.uniques[0]?.columns ?? [])];
      const own = column === null ? namesIn(node.fk_attrs) : [column];
      table.foreignKeys.push({ name, columns: own, of, ofColumns, cascades: node.fk_upd_action === 'c' });
      return;
    }
    default:
  }
};

const addColumn = (building: Building, table: Table, node: ColumnDef): readonly (() => void)[] => {
  const name = node.colname ?? '';
  const type = node.typeName === undefined ? 'text' : typeOfName(node.typeName);
  const constraints = (node.constraints ?? []).flatMap((one) =>
    'Constraint' in one ? [one.Constraint] : [],
  );
  const given = constraints.find(({ contype }) => contype === 'CONSTR_DEFAULT');
  let defaultOf: (() => Value) | null = null;
  if (given !== undefined) {
    const compiled = compileExpression(given.raw_expr, newScope(building.catalogue, null));
    defaultOf = () =>
      castValue(compiled.of({ rows: [], outer: null, run: building.runNow() }), type, compiled.type);
  }
  table.columns.set(name, {
    name,
    type,
    notNull: constraints.some(({ contype }) => contype === 'CONSTR_NOTNULL'),
    defaultOf,
    identity: constraints.some(({ contype }) => contype === 'CONSTR_IDENTITY'),
  });
  return constraints.map((one) => () => addConstraint(building, table, one, name));
};

const createTable = (building: Building, node: CreateStmt): void => {
  const name = node.relation?.relname ?? '';
  const table: Table = {
    ...{ name, columns: new Map(), checks: [], uniques: [], foreignKeys: [] },
    ...{ lookups: new Map(), writing: null },
    ...{ rows: new Map(), next: 1, nextIdentity: 1, beforeInsert: [], afterInsert: [], afterUpdate: [] },
  };
  building.catalogue.tables.byName.set(name, table);
  const later = (node.tableElts ?? []).flatMap((one) =>
    'ColumnDef' in one ? addColumn(building, table, one.ColumnDef) : [],
  );
  for (const add of later) add();
  for (const one of node.tableElts ?? []) {
    if ('Constraint' in one) addConstraint(building, table, one.Constraint, null);
  }
};

const alterTable = (building: Building, node: AlterTableStmt): void => {
  const table = tableOf(building.catalogue, node.relation?.relname ?? '');
  for (const one of node.cmds ?? []) {
    if (!('AlterTableCmd' in one)) continue;
    const { subtype, def, name = '' } = one.AlterTableCmd;
    if (subtype === 'AT_AddColumn' && def !== undefined && 'ColumnDef' in def) {
      for (const add of addColumn(building, table, def.ColumnDef)) add();
    } else if (subtype === 'AT_AddConstraint' && def !== undefined && 'Constraint' in def) {
      addConstraint(building, table, def.Constraint, null);
    } else if (subtype === 'AT_SetNotNull') {
      const column = table.columns.get(name);
      if (column !== undefined) column.notNull = true;
    } else if (subtype === 'AT_DropConstraint') {
      const left = table.checks.filter((check) => check.name !== name);
      if (left.length === table.checks.length) throw new Error(`there is no check ${name} to drop`);
      table.checks.splice(0, table.checks.length, ...left);
    }
  }
};

const createIndex = (building: Building, node: IndexStmt): void => {
  if (node.unique !== true) return;
  const table = tableOf(building.catalogue, node.relation?.relname ?? '');
  const columns = (node.indexParams ?? []).map((one) =>
    'IndexElem' in one ? (one.IndexElem.name ?? '') : '',
  );
  // An index over an expression is of no table that the worker writes to.
  if (columns.includes('')) return;
  const covers = node.whereClause === undefined ? null : judge(building, table, node.whereClause);
  addUnique(table, node.idxname ?? '', columns, covers === null ? null : (row) => covers(row) === true);
};

const bodyOf = (node: CreateFunctionStmt): { readonly language: string; readonly body: string } => {
  let language = '';
  let body = '';
  for (const option of node.options ?? []) {
    if (!('DefElem' in option)) continue;
    const { defname, arg } = option.DefElem;
    if (defname === 'language') language = nameIn(arg);
    if (defname === 'as' && arg !== undefined && 'List' in arg) body = nameIn(arg.List.items?.[0]);
  }
  return { language, body };
};

/** Functions in PL/pgSQL that see more than one organisation: here there is one. */
const nobodyElse = new Set(['payment_held_by_another', 'account_held_by_another']);

const createFunction = ({ catalogue, parse }: Building, node: CreateFunctionStmt): void => {
  const name = nameIn(node.funcname?.at(-1));
  const { language, body } = bodyOf(node);
  const parameters = new Map<string, SqlType>();
  const columns = new Map<string, SqlType>();
  for (const one of node.parameters ?? []) {
    if (!('FunctionParameter' in one) || one.FunctionParameter.argType === undefined) continue;
    const { name: own = '', argType, mode } = one.FunctionParameter;
    (mode === 'FUNC_PARAM_TABLE' ? columns : parameters).set(own, typeOfName(argType));
  }
  const scalar = columns.size === 0;
  if (scalar && node.returnType !== undefined) columns.set(name, typeOfName(node.returnType));
  const described = { parameters, columns, scalar };
  if (language !== 'sql') {
    if (nobodyElse.has(name)) catalogue.functions.set(name, { ...described, run: () => [{ [name]: false }] });
    return;
  }
  let compiled: CompiledQuery | null = null;
  const run: SqlFunction['run'] = (given, outer) => {
    if (compiled === null) {
      const scope = newScope(catalogue, null);
      addSource(scope, name, parameters);
      compiled = compileQueryOf(parse(body).at(-1), scope);
    }
    const own: Row = Object.fromEntries(
      [...parameters].map(([key, type], index) => [key, castValue(given[index] ?? null, type)]),
    );
    const rows = compiled.run({ rows: [own], outer: null, run: outer }, outer);
    const from = [...compiled.columns.keys()];
    const to = [...columns.keys()];
    return rows.map((row) =>
      Object.fromEntries(to.map((column, index) => [column, row[from[index] ?? ''] ?? null])),
    );
  };
  catalogue.functions.set(name, { ...described, run });
};

type Triggers = Readonly<Record<string, (table: Table, building: Building) => void>>;

const stampTransaction = (table: Table, { runNow }: Building): void => {
  table.beforeInsert.push((row) => ({ ...row, tx_id: runNow().session.transactionId() }));
};

const isChanged = (before: Row, after: Row, names: readonly string[]): boolean =>
  names.some((name) => keyOf([before[name] ?? null]) !== keyOf([after[name] ?? null]));

/** Whether anybody can approve is looked at again for every proposal that waits. */
const lookAtProposalsAgain = (table: Table, { catalogue, runNow }: Building): void => {
  const look = (): void => {
    const operations = tableOf(catalogue, 'operations');
    const nowMs = runNow().session.nowMs();
    for (const [id, row] of [...operations.rows]) {
      if (row['state'] !== 'proposed') continue;
      const wakeAt = Math.min(Number(row['wake_at'] ?? nowMs), nowMs);
      updateRow(catalogue.tables, operations, id, { ...row, wake_at: wakeAt });
    }
  };
  const watched = table.name === 'organisations' ? ['policy'] : ['role', 'removed_at', 'revoked_at'];
  if (table.name !== 'organisations' && table.afterInsert.length === 0) table.afterInsert.push(look);
  if (table.afterUpdate.length === 0) {
    table.afterUpdate.push((before, after) => {
      if (isChanged(before, after, watched)) look();
    });
  }
};

/** The triggers of the migrations, by the functions that they call. */
const triggers: Triggers = {
  stamp_feed_row: stampTransaction,
  stamp_audit_row: stampTransaction,
  look_at_proposals_again: lookAtProposalsAgain,
  subject_of_new_member: (table) => {
    table.beforeInsert.push((row) => ({ ...row, subject: row['user_id'] ?? null }));
  },
};

const createTrigger = (building: Building, node: CreateTrigStmt): void => {
  const table = building.catalogue.tables.byName.get(node.relation?.relname ?? '');
  if (table !== undefined) triggers[nameIn(node.funcname?.at(-1))]?.(table, building);
};

/** Builds the tables that the migrations describe. What speaks of roles, rights and policies is passed by. */
export const buildSchema = (building: Building, migrations: readonly string[]): void => {
  for (const node of migrations.flatMap(building.parse)) {
    if ('CreateStmt' in node) createTable(building, node.CreateStmt);
    else if ('AlterTableStmt' in node) alterTable(building, node.AlterTableStmt);
    else if ('IndexStmt' in node) createIndex(building, node.IndexStmt);
    else if ('CreateFunctionStmt' in node) createFunction(building, node.CreateFunctionStmt);
    else if ('CreateTrigStmt' in node) createTrigger(building, node.CreateTrigStmt);
  }
};
