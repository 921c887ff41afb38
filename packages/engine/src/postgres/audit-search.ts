import type { AuditData } from '../audit/audit-chain.ts';
import { operationOfChain } from '../audit/seal.ts';
import type { OrganisationTransaction } from './connection.ts';
import { readNames } from './operation-reader.ts';
import { anywhere, pageSize } from './page-cursor.ts';
import { readNamesOf } from './policy-reader.ts';

export type AuditFilter = {
  /** A person's or program's ID, or a part of their name. */
  readonly who?: string;
  readonly type?: string;
  readonly operationId?: string;
  readonly orderId?: string;
  /** ISO 8601; from it on, and before it. */
  readonly from?: string;
  readonly to?: string;
  readonly cursor?: string;
  readonly limit?: number;
};

/** An entry as people see it: names are put in here, the audit itself holds IDs. */
export type AuditItem = {
  readonly at: string;
  readonly chain: string;
  /** The name of the person whose chain it is. */
  readonly chainName: string | null;
  readonly sequence: number;
  readonly type: string;
  readonly by: { readonly id: string; readonly name: string } | null;
  readonly operationId: string | null;
  readonly orderId: string | null;
  readonly state: string | null;
  readonly data: AuditData;
  readonly hash: string;
};
export type AuditPage = { readonly items: readonly AuditItem[]; readonly nextCursor: string | null };

type Position = readonly [atMs: number, chain: string, sequence: number];

const encode = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url');

const furthestMs = 8.64e15;

const decode = (text: string): Position | undefined => {
  try {
    const [atMs, chain, sequence] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[];
    return typeof atMs === 'number' &&
      Number.isInteger(atMs) &&
      Math.abs(atMs) <= furthestMs &&
      typeof chain === 'string' &&
      !chain.includes('\0') &&
      typeof sequence === 'number' &&
      Number.isInteger(sequence) &&
      Math.abs(sequence) < 2 ** 31
      ? [atMs, chain, sequence]
      : undefined;
  } catch {
    return undefined;
  }
};

/** Where the audit goes on after this entry. */
export const cursorOfAudit = ({ at, chain, sequence }: AuditItem): string =>
  encode([Date.parse(at), chain, sequence]);

/** Whether the audit can be read on from this text. */
export const isAuditCursor = (text: string): boolean => decode(text) !== undefined;

type Found = {
  readonly at_ms: string;
  readonly chain: string;
  readonly sequence: number;
  readonly type: string;
  readonly actor_id: string | null;
  readonly order_id: string | null;
  readonly state: string | null;
  readonly data: AuditData;
  readonly hash: string;
};

type Parameter = string | number;

/** Conditions that both tables know, each with its parameters. */
const shared = (filter: AuditFilter, chain: string, given: (value: Parameter) => string): string[] => {
  const after = filter.cursor === undefined ? undefined : decode(filter.cursor);
  const text: string[] = [];
  if (filter.type !== undefined) text.push(`e.type = ${given(filter.type)}`);
  if (filter.who !== undefined) {
    const name = given(anywhere(filter.who));
    text.push(`(e.actor_id = ${given(filter.who)} or e.actor_id in (
      select actor_id from actors where org_id = $1 and name ilike ${name}
      union all select user_id from members where org_id = $1 and name ilike ${name}))`);
  }
  if (filter.from !== undefined) text.push(`e.at >= ${given(filter.from)}::timestamptz`);
  if (filter.to !== undefined) text.push(`e.at < ${given(filter.to)}::timestamptz`);
  if (after !== undefined) {
    const at = `${given(new Date(after[0]).toISOString())}::timestamptz`;
    const place = `(${given(after[1])}::text collate "C", ${given(after[2])}::integer)`;
    text.push(`e.at <= ${at} and (e.at < ${at} or ((${chain}) collate "C", e.sequence) < ${place})`);
  }
  return text;
};

const questionFor = (tx: OrganisationTransaction, filter: AuditFilter, limit: number) => {
  const parameters: Parameter[] = [tx.organisationId];
  const given = (value: Parameter): string => `$${String(parameters.push(value))}`;
  const ofOperations = shared(filter, `'operation ' || e.operation_id::text`, given);
  if (filter.operationId !== undefined)
    ofOperations.push(`e.operation_id = ${given(filter.operationId)}::uuid`);
  if (filter.orderId !== undefined) ofOperations.push(`o.order_id = ${given(filter.orderId)}`);
  const ofOthers = shared(filter, 'e.subject', given);
  // What is asked about one operation or order is in no other chain.
  if (filter.operationId !== undefined || filter.orderId !== undefined) ofOthers.push('false');
  const most = `${given(limit)}::integer`;
  const all = (conditions: readonly string[]): string => ['e.org_id = $1', ...conditions].join(' and ');
  const text = `select * from (
    (select floor(extract(epoch from e.at) * 1000)::text as at_ms, e.at, 'operation ' || e.operation_id::text as chain,
       e.sequence, e.type, e.actor_id, o.order_id, e.state, e.data, e.hash
     from audit e join operations o on o.org_id = e.org_id and o.id = e.operation_id
     where ${all(ofOperations)} order by e.at desc, e.operation_id desc, e.sequence desc limit ${most})
    union all
    (select floor(extract(epoch from e.at) * 1000)::text as at_ms, e.at, e.subject as chain,
       e.sequence, e.type, e.actor_id, null as order_id, null as state, e.data, e.hash
     from organisation_audit e where ${all(ofOthers)}
     order by e.at desc, e.subject desc, e.sequence desc limit ${most})) found
  order by at desc, chain collate "C" desc, sequence desc limit ${most}`;
  return { text, parameters };
};

/** The ID in `person …` and `member …`. */
const personIn = (chain: string): string | null => /^(?:person|member) (.+)$/.exec(chain)?.[1] ?? null;
const personOfChain = (chain: string, nameOf: (id: string) => string): string | null => {
  const id = personIn(chain);
  const name = id === null ? null : nameOf(id);
  return name === id ? null : name;
};

/** Also of people who never touched an operation: those who only signed in have no name among its actors. */
const namesIn = async (
  tx: OrganisationTransaction,
  rows: readonly Found[],
): Promise<(id: string) => string> => {
  const ids = rows.flatMap(({ actor_id: id, chain }) => [id, personIn(chain)]).filter((id) => id !== null);
  const acted = await readNames(tx, ids);
  const known = await readNamesOf(tx, ids);
  return (id) => {
    const name = acted.nameOf(id);
    return name === id ? known(id) : name;
  };
};

/** Entries that fit the filter, newest first, of operations and of everything else. */
export const findAudit = async (tx: OrganisationTransaction, filter: AuditFilter): Promise<AuditPage> => {
  const size = pageSize(filter.limit);
  const { text, parameters } = questionFor(tx, filter, size + 1);
  const found = await tx.ask<Found>(text, parameters);
  const shown = found.slice(0, size);
  const last = shown.at(-1);
  const nameOf = await namesIn(tx, shown);
  return {
    items: shown.map((row) => ({
      at: new Date(Number(row.at_ms)).toISOString(),
      chain: row.chain,
      chainName: personOfChain(row.chain, nameOf),
      sequence: row.sequence,
      type: row.type,
      by: row.actor_id === null ? null : { id: row.actor_id, name: nameOf(row.actor_id) },
      operationId: operationOfChain(row.chain),
      orderId: row.order_id,
      state: row.state,
      // The driver gives JSON as text here: its own reader is switched off.
      data: typeof row.data === 'string' ? (JSON.parse(row.data) as AuditData) : row.data,
      hash: row.hash,
    })),
    nextCursor: found.length > size && last ? encode([Number(last.at_ms), last.chain, last.sequence]) : null,
  };
};
