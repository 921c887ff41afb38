import type { OperationState } from '@holdfast/operation';
import type postgres from 'postgres';
import { chainHash, chainStart, type AuditEntry } from '../audit/audit-chain.ts';
import { typedPlaces, type TypedPlace } from '../erase/personal-places.ts';
import { jsonWithoutWords, withoutWords, type Erasure } from '../erase/without-words.ts';

type Shown = Exclude<TypedPlace['shown'], undefined>;
const idColumns = { operation: 'id', order: 'order_id', ticket: 'ticket_id' } as const;
const tables = { operation: 'operations', order: 'orders', ticket: 'tickets' } as const;

/** In how many texts of which table something was taken out. */
export type ErasedTexts = Readonly<Record<string, number>>;

/** As PostgreSQL writes it inside of JSON. */
const inJson = (word: string): string => JSON.stringify(word).slice(1, -1);
const anywhere = (word: string): string =>
  `%${word
    .trim()
    .replace(/[\\%_]/g, '\\$&')
    .replace(/\s+/g, '%')}%`;

const eraseAt = async (
  tx: postgres.TransactionSql,
  organisationId: string,
  { table, column, holds, shown, goes }: TypedPlace,
  erasure: Erasure,
): Promise<readonly string[]> => {
  const words = [...erasure.names, ...erasure.addresses].filter((word) => word.trim() !== '');
  const patterns = words.flatMap((word) => [anywhere(word), anywhere(inJson(word))]);
  const id = shown === undefined ? tx`null` : tx`${tx(idColumns[shown])}::text`;
  const rows = await tx<{ place: string; id: string | null; held: string }[]>`
    select ctid::text as place, ${id} as id, ${tx(column)}::text as held from ${tx(table)}
    where org_id = ${organisationId} and ${tx(column)}::text ilike any(${patterns}) ${goes === true ? tx`` : tx`for update`}`;
  const changed: string[] = [];
  for (const row of rows) {
    const rest =
      holds === 'text'
        ? withoutWords(row.held, erasure)
        : JSON.stringify(jsonWithoutWords(JSON.parse(row.held), erasure));
    const before = holds === 'text' ? row.held : JSON.stringify(JSON.parse(row.held));
    if (rest === before) continue;
    if (goes === true) {
      await tx`delete from ${tx(table)} where ctid = ${row.place}::tid`;
    } else if (holds === 'text') {
      await tx`update ${tx(table)} set ${tx(column)} = ${rest} where ctid = ${row.place}::tid`;
    } else {
      await tx`update ${tx(table)} set ${tx(column)} = ${rest}::text::jsonb where ctid = ${row.place}::tid`;
    }
    changed.push(row.id ?? '');
  }
  return changed;
};

/** Devices keep the highest version that they heard of: what changed has one more, and is told. */
export const tellAgain = async (
  tx: postgres.TransactionSql,
  organisationId: string,
  subject: Shown,
  ids: readonly string[],
): Promise<void> => {
  if (ids.length === 0) return;
  const id = tx(idColumns[subject]);
  await tx`set local role holdfast_locator`;
  await tx`update ${tx(tables[subject])} set version = version + 1, updated_at = now()
    where org_id = ${organisationId} and ${id}::text = any(${[...new Set(ids)]})`;
  await tx`set local role holdfast_server`;
  await tx`insert into feed (org_id, generation, subject, subject_id, version)
    select t.org_id, o.generation, ${subject}, t.${id}::text, t.version
    from ${tx(tables[subject])} t join organisations o on o.org_id = t.org_id
    where t.org_id = ${organisationId} and t.${id}::text = any(${[...new Set(ids)]})`;
  if (subject === 'operation') await appendErased(tx, organisationId, [...new Set(ids)]);
  await tx`set local role holdfast_locator`;
};

type Head = {
  readonly id: string;
  readonly state: OperationState;
  readonly version: number;
  readonly sequence: number | null;
  readonly hash: string | null;
  readonly now_ms: string;
};

/** Nothing of an operation changes without an entry of its history: that a name went, and never which. */
const appendErased = async (
  tx: postgres.TransactionSql,
  organisationId: string,
  ids: readonly string[],
): Promise<void> => {
  const heads = await tx<Head[]>`
    select o.id::text as id, o.state, o.version, head.sequence, head.hash,
      floor(extract(epoch from now()) * 1000)::text as now_ms
    from operations o left join lateral (
      select a.sequence, a.hash from audit a where a.org_id = o.org_id and a.operation_id = o.id
      order by a.sequence desc limit 1) head on true
    where o.org_id = ${organisationId} and o.id::text = any(${ids as string[]})`;
  for (const head of heads) {
    const previousHash = head.hash ?? chainStart;
    const entry: AuditEntry = {
      organisationId,
      operationId: head.id,
      sequence: (head.sequence ?? 0) + 1,
      at: new Date(Number(head.now_ms)).toISOString(),
      type: 'personal-data-erased',
      actorId: 'command-line',
      commandId: null,
      state: head.state,
      version: head.version,
      data: {},
    };
    await tx`insert into audit
      (org_id, operation_id, sequence, at, type, actor_id, command_id, state, version, data, previous_hash, hash)
      values (${organisationId}, ${entry.operationId}, ${entry.sequence}, ${entry.at}, ${entry.type}, ${entry.actorId},
        null, ${entry.state}, ${entry.version}, '{}', ${previousHash}, ${chainHash(previousHash, entry)})`;
  }
};

/** Takes the words out of every text of the organisation. The transaction works under `holdfast_locator` afterwards. */
export const eraseWords = async (
  tx: postgres.TransactionSql,
  organisationId: string,
  erasure: Erasure,
): Promise<ErasedTexts> => {
  await tx`set local role holdfast_locator`;
  await tx`select set_config('holdfast.organisation_id', ${organisationId}, true)`;
  const counts: Record<string, number> = {};
  const shown: Record<Shown, string[]> = { operation: [], order: [], ticket: [] };
  for (const place of typedPlaces) {
    const changed = await eraseAt(tx, organisationId, place, erasure);
    if (changed.length === 0) continue;
    counts[place.table] = (counts[place.table] ?? 0) + changed.length;
    if (place.shown !== undefined) shown[place.shown].push(...changed);
  }
  for (const subject of ['operation', 'order', 'ticket'] as const) {
    await tellAgain(tx, organisationId, subject, shown[subject]);
  }
  return counts;
};
