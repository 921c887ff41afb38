import type { OrganisationTransaction } from './connection.ts';
import { groupedBy } from './grouped.ts';
import { actorIdsOf, readOrganisation } from './operation-reader.ts';
import { codecOf } from './row-codec.ts';
import {
  actors,
  approvals,
  attempts,
  commands,
  observations,
  operations,
  orders,
  payments,
  returns,
  type OperationRow,
  type PaymentRow,
} from './schema.ts';
import { seenRefundsFrom, seenRefundsWhere } from './seen-refunds.ts';
import { paymentKey, type AuditHead } from './working-memory.ts';

export type WantedOperations = {
  readonly operationIds: readonly string[];
  /** Orders that proposals name. */
  readonly orderIds: readonly string[];
};

const paymentCodec = codecOf(payments);
const operationCodec = codecOf(operations);
const orderCodec = codecOf(orders);
const returnCodec = codecOf(returns);
const approvalCodec = codecOf(approvals);
const actorCodec = codecOf(actors);
const commandCodec = codecOf(commands);
const attemptCodec = codecOf(attempts);
const observationCodec = codecOf(observations);

const paymentsMeant = `(select o.provider, o.payment_reference from orders o
    where o.org_id = $1 and o.order_id = any($2::text[])
  union select p.provider, p.payment_reference from operations p
    where p.org_id = $1 and p.id = any($3::uuid[]) and p.payment_reference is not null)`;
const ordersMeant = `(select unnest($2::text[]) as order_id union select p.order_id from operations p
  where p.org_id = $1 and p.id = any($3::uuid[]) and p.order_id is not null)`;

// Each key is looked for by itself, however the planner guesses: a plan made while a table is small is kept while it grows.
const besideOrders = (table: 'orders' | 'returns'): string =>
  `from ${ordersMeant} m cross join lateral (select o.* from ${table} o
    where o.org_id = $1 and o.order_id = m.order_id offset 0) t`;

/**
 * How long a lock is waited for. A group waits briefly: whoever holds one of its rows for long keeps the others no longer
 * than that, and what is locked is then waited for alone.
 */
export type Patience = 'briefly' | 'as long as it takes';
const briefLockMs = 500;

/** What is remembered with the operations: all others of their payments, and their orders and returns. */
export type Reach = 'alone' | 'and what is beside them';

/**
 * Locks payments in the order of their keys, then operations in the order of theirs, and remembers them. One journey,
 * however many there are.
 */
export const lockOperations = async (
  tx: OrganisationTransaction,
  { operationIds, orderIds }: WantedOperations,
  reach: Reach,
  patience: Patience,
): Promise<void> => {
  const beside = reach === 'and what is beside them';
  const meant = [tx.organisationId, orderIds, operationIds] as const;
  const [, paymentRows, , rows, bare] = await Promise.all([
    patience === 'briefly'
      ? tx.ask("select set_config('lock_timeout', $1, true)", [String(briefLockMs)])
      : undefined,
    tx.rows(
      paymentCodec,
      `from (select * from ${paymentsMeant} k order by provider, payment_reference offset 0) m
        cross join lateral (select p.* from payments p where p.org_id = $1 and p.provider = m.provider
          and p.payment_reference = m.payment_reference for no key update) t`,
      meant,
    ),
    tx.ask('select id from operations where org_id = $1 and id = any($2::uuid[]) order by id for update', [
      tx.organisationId,
      operationIds,
    ]),
    beside
      ? tx.rows(
          operationCodec,
          `from ${paymentsMeant} m cross join lateral (select o.* from operations o where o.org_id = $1
            and o.provider = m.provider and o.payment_reference = m.payment_reference offset 0) t`,
          meant,
        )
      : [],
    tx.rows(
      operationCodec,
      `where t.org_id = $1 and t.id = any($2::uuid[])${beside ? ' and t.payment_reference is null' : ''}`,
      [tx.organisationId, operationIds],
    ),
    readOrganisation(tx),
    beside ? loadOrders(tx, { operationIds, orderIds }) : undefined,
  ]);
  rememberLocked(tx, operationIds, paymentRows, [...rows, ...bare], beside);
};

const rememberLocked = (
  { memory }: OrganisationTransaction,
  operationIds: readonly string[],
  paymentRows: readonly PaymentRow[],
  rows: readonly OperationRow[],
  beside: boolean,
): void => {
  for (const row of paymentRows) {
    const key = paymentKey(row.provider, row.paymentReference);
    memory.payments.set(key, row);
    if (beside) memory.operationsOf.set(key, new Set());
  }
  for (const id of operationIds) memory.operations.set(id, null);
  for (const row of rows) {
    memory.operations.set(row.id, row);
    if (row.provider === null || row.paymentReference === null) continue;
    memory.operationsOf.get(paymentKey(row.provider, row.paymentReference))?.add(row.id);
  }
  for (const id of operationIds) if (memory.operations.get(id) !== null) memory.locked.add(id);
};

const loadOrders = async (
  tx: OrganisationTransaction,
  { operationIds, orderIds }: WantedOperations,
): Promise<void> => {
  const { memory } = tx;
  const meant = [tx.organisationId, orderIds, operationIds] as const;
  const [orderRows, returnRows] = await Promise.all([
    tx.rows(orderCodec, besideOrders('orders'), meant),
    tx.rows(returnCodec, besideOrders('returns'), meant),
  ]);
  for (const id of orderIds) memory.orders.set(id, null);
  const byOrder = groupedBy(returnRows, ({ orderId }) => orderId);
  for (const row of orderRows) {
    memory.orders.set(row.orderId, row);
    memory.returnsOf.set(row.orderId, byOrder.get(row.orderId) ?? []);
  }
};

const remembered = <Value>(map: ReadonlyMap<string, Value | null>): readonly Value[] =>
  [...map.values()].filter((value): value is NonNullable<typeof value> & Value => value !== null);

/** Remembers the heads of their chains. The caller holds the operations. */
export const loadAuditHeads = async (
  tx: OrganisationTransaction,
  operationIds: readonly string[],
): Promise<void> => {
  const heads = await tx.ask<AuditHead & { operation_id: string }>(
    `select distinct on (operation_id) operation_id, sequence, hash from audit
      where org_id = $1 and operation_id = any($2::uuid[]) order by operation_id, sequence desc`,
    [tx.organisationId, operationIds],
  );
  for (const id of operationIds) tx.memory.auditHeads.set(id, null);
  for (const { operation_id: id, sequence, hash } of heads) tx.memory.auditHeads.set(id, { sequence, hash });
};

/** Remembers the approvals in force of every remembered operation. */
export const loadApprovals = async (tx: OrganisationTransaction): Promise<void> => {
  const ids = remembered<OperationRow>(tx.memory.operations).map(({ id }) => id);
  const rows = await tx.rows(
    approvalCodec,
    `where t.org_id = $1 and t.operation_id = any($2::uuid[]) and t.voided_at is null
      order by t.approved_at, t.command_id`,
    [tx.organisationId, ids],
  );
  const byOperation = groupedBy(rows, ({ operationId }) => operationId);
  for (const id of ids) tx.memory.approvalsOf.set(id, byOperation.get(id) ?? []);
};

/** Remembers what the mirror holds of every remembered payment. */
export const loadSeenRefunds = async (tx: OrganisationTransaction): Promise<void> => {
  const known = remembered<PaymentRow>(tx.memory.payments);
  const seen = await seenRefundsFrom(
    tx,
    `unnest($2::text[], $3::text[]) m (provider, payment_reference) cross join lateral (
      select r.* from mirror_refunds r where r.org_id = $1 and r.provider = m.provider
        and r.payment_reference = m.payment_reference offset 0) t`,
    [known.map(({ provider }) => provider), known.map(({ paymentReference }) => paymentReference)],
  );
  const byPayment = groupedBy(seen, ({ refund }) => paymentKey(refund.provider, refund.paymentReference));
  for (const { provider, paymentReference } of known) {
    const key = paymentKey(provider, paymentReference);
    tx.memory.refundsOf.set(key, byPayment.get(key) ?? []);
  }
};

/** Remembers whether a dispute is open about each remembered payment. */
export const loadDisputes = async (tx: OrganisationTransaction): Promise<void> => {
  const known = remembered<PaymentRow>(tx.memory.payments);
  const open = await tx.ask<{ provider: string; payment_reference: string }>(
    `select m.provider, m.payment_reference
      from unnest($2::text[], $3::text[]) m (provider, payment_reference) where exists (
        select from mirror_disputes d where d.org_id = $1 and d.provider = m.provider
          and d.payment_reference = m.payment_reference and d.open offset 0)`,
    [
      tx.organisationId,
      known.map(({ provider }) => provider),
      known.map(({ paymentReference }) => paymentReference),
    ],
  );
  for (const row of known) tx.memory.disputesOf.set(paymentKey(row.provider, row.paymentReference), false);
  for (const row of open) tx.memory.disputesOf.set(paymentKey(row.provider, row.payment_reference), true);
};

/** Remembers which of these operations no refund in the mirror names. */
export const loadUnnamed = async (
  tx: OrganisationTransaction,
  operationIds: readonly string[],
): Promise<void> => {
  const seen = await seenRefundsWhere(
    tx,
    't.metadata_org_id = $1 and lower(t.metadata_operation_id) = any($2::text[])',
    [operationIds],
  );
  const named = new Set(seen.map(({ refund }) => refund.metadataOperationId?.toLowerCase()));
  for (const id of operationIds) if (!named.has(id)) tx.memory.unnamed.add(id);
};

/** Remembers the names of everybody whom the remembered operations and their approvals mention, and of the given. */
export const loadNames = async (tx: OrganisationTransaction, actorIds: readonly string[]): Promise<void> => {
  const rows = remembered<OperationRow>(tx.memory.operations);
  const mentioned = [...new Set([...actorIds, ...rows.flatMap(actorIdsOf)])];
  const found = await tx.rows(
    actorCodec,
    `where t.org_id = $1 and t.actor_id in (select unnest($2::text[]) union
      select a.actor_id from approvals a
        where a.org_id = $1 and a.operation_id = any($3::uuid[]) and a.voided_at is null)`,
    [tx.organisationId, mentioned, rows.map(({ id }) => id)],
  );
  for (const id of mentioned) tx.memory.names.set(id, null);
  for (const row of found) tx.memory.names.set(row.actorId, row);
};

/** Remembers which of these command IDs are bound, and by what. */
export const loadBound = async (
  tx: OrganisationTransaction,
  commandIds: readonly string[],
): Promise<void> => {
  const rows = await tx.rows(commandCodec, 'where t.org_id = $1 and t.command_id = any($2::uuid[])', [
    tx.organisationId,
    commandIds,
  ]);
  for (const id of commandIds) tx.memory.bound.set(id, null);
  for (const row of rows) tx.memory.bound.set(row.commandId, row);
};

/** Remembers how the requests of these operations ended and everything observed of them. The caller holds the operations. */
export const loadEvidence = async (
  tx: OrganisationTransaction,
  operationIds: readonly string[],
): Promise<void> => {
  const meant = [tx.organisationId, operationIds] as const;
  const [attemptRows, observationRows] = await Promise.all([
    tx.rows(
      attemptCodec,
      'where t.org_id = $1 and t.operation_id = any($2::uuid[]) order by t.number',
      meant,
    ),
    tx.rows(
      observationCodec,
      'where t.org_id = $1 and t.operation_id = any($2::uuid[]) order by t.observed_at, t.id',
      meant,
    ),
  ]);
  const attemptsOf = groupedBy(attemptRows, ({ operationId }) => operationId);
  const observationsOf = groupedBy(observationRows, ({ operationId }) => operationId);
  for (const id of operationIds) {
    tx.memory.attemptsOf.set(id, attemptsOf.get(id) ?? []);
    tx.memory.observationsOf.set(id, observationsOf.get(id) ?? []);
  }
};
