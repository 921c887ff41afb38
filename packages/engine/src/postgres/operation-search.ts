import { and, asc, desc, eq, gt, gte, ilike, inArray, lt, or, sql, type SQL } from 'drizzle-orm';
import { parseOperationId, type Operation, type OperationDetail, type Role } from '@holdfast/operation';
import type { OperationFilter, Page } from '../engine-interface.ts';
import { summaryOfFinding } from '../query/evidence-view.ts';
import { timelineOf } from '../query/timeline.ts';
import { readAudit } from './audit-store.ts';
import { readComments } from './case-desk.ts';
import type { OrganisationTransaction } from './connection.ts';
import { readConversation } from './conversation-store.ts';
import { readEventsForPeople } from './event-reader.ts';
import { behindFigure } from './figure-search.ts';
import {
  readNames,
  readOperation,
  viewOperation,
  viewOperations,
  type ProviderNames,
} from './operation-reader.ts';
import { anywhere, decodePosition, encodePosition, pageSize } from './page-cursor.ts';
import { readResolveNotes } from './resolve-note.ts';
import { attempts, observations, operations, orders } from './schema.ts';

const matching = (text: string): SQL | undefined => {
  const pattern = anywhere(text);
  return or(
    sql`${operations.id}::text like ${anywhere(text.toLowerCase())}`,
    ilike(operations.orderId, pattern),
    ilike(operations.ticketId, pattern),
    ilike(operations.customerId, pattern),
    ilike(operations.paymentReference, pattern),
    ilike(operations.providerReference, pattern),
    sql`exists (select from ${orders} where ${orders.organisationId} = ${operations.organisationId}
      and ${orders.orderId} = ${operations.orderId} and ${orders.customerName} ilike ${pattern})`,
  );
};

const conditions = (tx: OrganisationTransaction, filter: OperationFilter): SQL | undefined => {
  const needsPerson = sql`${operations.attention} <> '[]'`;
  const after = decodePosition(filter.cursor);
  const text = filter.text?.trim() ?? '';
  return and(
    eq(operations.organisationId, tx.organisationId),
    filter.states === undefined ? undefined : inArray(operations.state, [...filter.states]),
    filter.needsPerson === undefined
      ? undefined
      : filter.needsPerson
        ? needsPerson
        : sql`not (${needsPerson})`,
    filter.orderId === undefined ? undefined : eq(operations.orderId, filter.orderId),
    filter.ticketId === undefined ? undefined : eq(operations.ticketId, filter.ticketId),
    filter.updatedAfter === undefined ? undefined : gt(operations.updatedAt, new Date(filter.updatedAfter)),
    filter.behind === undefined ? undefined : behindFigure(tx, filter.behind),
    filter.from === undefined ? undefined : gte(operations.createdAt, new Date(filter.from)),
    filter.to === undefined ? undefined : lt(operations.createdAt, new Date(filter.to)),
    text === '' ? undefined : matching(text),
    after &&
      sql`(${operations.createdAt}, ${operations.id}) < (${after.at.toISOString()}::timestamptz, ${after.id}::uuid)`,
  );
};

/** Operations that fit the filter, newest first. */
export const findOperations = async (
  tx: OrganisationTransaction,
  filter: OperationFilter,
  providerName: ProviderNames,
): Promise<Page<Operation>> => {
  const size = pageSize(filter.limit);
  const after = decodePosition(filter.cursor);
  if (after !== undefined && parseOperationId(after.id) === undefined) return { items: [], nextCursor: null };
  const rows = await tx.db
    .select()
    .from(operations)
    .where(conditions(tx, filter))
    .orderBy(desc(operations.createdAt), desc(operations.id))
    .limit(size + 1);
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return {
    items: await viewOperations(tx, shown, providerName),
    nextCursor: rows.length > size && last ? encodePosition({ at: last.createdAt, id: last.id }) : null,
  };
};

/** One operation with its history; attempts and observations for operators (and admins) only. */
export const readDetail = async (
  tx: OrganisationTransaction,
  operationId: string,
  role: Role,
  providerName: ProviderNames,
): Promise<OperationDetail | null> => {
  const row = await readOperation(tx, operationId);
  if (row === undefined) return null;
  const view = await viewOperation(tx, row, providerName);
  const entries = await readAudit(tx, operationId);
  const names = await readNames(
    tx,
    entries.flatMap(({ actorId, data }) => [
      ...(actorId === null ? [] : [actorId]),
      ...(typeof data['to'] === 'string' ? [data['to']] : []),
    ]),
  );
  const timeline = timelineOf(entries, {
    nameOf: names.nameOf,
    providerName: providerName(row.provider),
    notes: await readResolveNotes(tx, operationId),
  });
  const detail: OperationDetail = {
    ...view,
    timeline: [...timeline],
    // A program that feeds orders in has no use for what people said.
    ...(role === 'integrator' ? {} : await readConversation(tx, operationId)),
  };
  if (role !== 'operator' && role !== 'admin') return detail;
  return {
    ...detail,
    ...(await readEvidenceForPeople(tx, operationId)),
    comments: [...(await readComments(tx, operationId))],
    events: [...(await readEventsForPeople(tx, operationId))],
  };
};

const readEvidenceForPeople = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<Pick<OperationDetail, 'attempts' | 'observations'>> => {
  const attemptRows = await tx.db
    .select()
    .from(attempts)
    .where(and(eq(attempts.organisationId, tx.organisationId), eq(attempts.operationId, operationId)))
    .orderBy(asc(attempts.number));
  const observationRows = await tx.db
    .select()
    .from(observations)
    .where(and(eq(observations.organisationId, tx.organisationId), eq(observations.operationId, operationId)))
    .orderBy(asc(observations.observedAt), asc(observations.id));
  return {
    attempts: attemptRows.map((row) => ({
      number: row.number,
      startedAt: row.startedAt.toISOString(),
      endedAt: row.endedAt?.toISOString() ?? null,
      result: row.result,
      status: row.status,
      requestId: row.requestId,
      replayed: row.replayed,
    })),
    observations: observationRows.map((row) => ({
      at: row.observedAt.toISOString(),
      source: row.source,
      kind: row.finding.kind,
      ...summaryOfFinding(row.finding),
    })),
  };
};
