import { and, eq, ne, or, sql } from 'drizzle-orm';
import { idempotencyKeyOf, type ProviderRecord } from '@holdfast/operation';
import type { VerifiedEvent } from '@holdfast/providers';
import type { ProviderAccount } from '../engine-interface.ts';
import type { ApplyEventResult, StoredEvent } from '../webhook/apply-event.ts';
import { namedAs } from '../mirror/named-as.ts';
import type { EventJoin } from '../webhook/event-destination.ts';
import type { OrganisationTransaction } from './connection.ts';
import { count } from './counted-store.ts';
import { operationIdShape, providerOf } from './mirror-store-news.ts';
import { addObservation } from './observation-store.ts';
import { mirrorPositions, observations, operations, payments, providerEvents } from './schema.ts';

/** Stores an event as it came. It is known by its ID alone; the same again is counted and changes nothing. */
export const storeEvent = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  event: VerifiedEvent,
  raw: string,
  skewMs: number,
): Promise<'stored' | 'known'> => {
  const inserted = await tx.db
    .insert(providerEvents)
    .values({
      organisationId: tx.organisationId,
      eventId: event.eventId,
      provider: providerOf(account),
      type: event.type,
      accountId: event.accountId,
      liveMode: event.liveMode,
      objectReference: event.objectReference,
      paymentReference: event.paymentReference,
      event,
      raw,
      providerCreatedAt: new Date(event.createdAtMs),
      receivedAt: tx.now,
      wakeAt: tx.now,
    })
    .onConflictDoNothing()
    .returning({ eventId: providerEvents.eventId });
  await tx.db
    .update(mirrorPositions)
    .set({ clockSkewMs: Math.round(skewMs) })
    .where(
      and(
        eq(mirrorPositions.organisationId, tx.organisationId),
        eq(mirrorPositions.provider, providerOf(account)),
        eq(mirrorPositions.accountId, account.accountId),
      ),
    );
  if (inserted.length > 0) return 'stored';
  const [known] = await tx.db
    .update(providerEvents)
    .set({ deliveryCount: sql`${providerEvents.deliveryCount} + 1` })
    .where(itself(tx, event.eventId))
    .returning({ operationId: providerEvents.operationId });
  count(tx, 'replays_absorbed', known?.operationId ?? null, 'webhook');
  return 'known';
};

const itself = (tx: OrganisationTransaction, eventId: string) =>
  and(eq(providerEvents.organisationId, tx.organisationId), eq(providerEvents.eventId, eventId));

/** The operation an event is about, by the best join that finds one. */
export const findOperation = async (
  tx: OrganisationTransaction,
  joins: readonly EventJoin[],
): Promise<string | null> => {
  for (const join of joins) {
    const found = await findBy(tx, join);
    if (found !== null) return found;
  }
  return null;
};

const findBy = async (tx: OrganisationTransaction, join: EventJoin): Promise<string | null> => {
  const ofOrganisation = eq(operations.organisationId, tx.organisationId);
  switch (join.by) {
    case 'idempotency-key': {
      // Our keys begin with the operation's ID; only the whole key proves that it is ours.
      const operationId = join.key.slice(0, 36);
      if (!operationIdShape.test(operationId)) return null;
      if (idempotencyKeyOf(tx.organisationId, operationId) !== join.key) return null;
      return findBy(tx, { by: 'metadata', operationId });
    }
    case 'metadata': {
      if (!operationIdShape.test(join.operationId)) return null;
      const [row] = await tx.db
        .select({ id: operations.id })
        .from(operations)
        .where(and(ofOrganisation, eq(operations.id, join.operationId)));
      return row?.id ?? null;
    }
    case 'reference': {
      const [row] = await tx.db
        .select({ id: operations.id })
        .from(operations)
        .where(and(ofOrganisation, eq(operations.providerReference, join.reference)))
        .limit(1);
      return row?.id ?? null;
    }
  }
};

export const paymentIsKnown = async (
  tx: OrganisationTransaction,
  provider: string,
  references: readonly string[],
): Promise<boolean> => {
  const [row] = await tx.db
    .select({ reference: payments.paymentReference })
    .from(payments)
    .where(
      and(
        eq(payments.organisationId, tx.organisationId),
        eq(payments.provider, provider),
        or(...references.map((reference) => eq(payments.paymentReference, reference))),
      ),
    )
    .limit(1);
  return row !== undefined;
};

export const addWebhookObservation = async (
  tx: OrganisationTransaction,
  operationId: string,
  event: VerifiedEvent,
): Promise<void> => {
  if (event.record === null) return;
  const [row] = await tx.db
    .select({ paymentReference: operations.paymentReference })
    .from(operations)
    .where(and(eq(operations.organisationId, tx.organisationId), eq(operations.id, operationId)));
  const record = namedAs(event.record, row?.paymentReference ?? null);
  const finding = { kind: 'found', record } as const;
  const told = await toldByAnotherEvent(tx, operationId, event.eventId, record);
  const added = await addObservation(tx, {
    operationId,
    source: 'webhook',
    eventId: event.eventId,
    finding,
  });
  // Two events for one fact: it arrived again, under a name that does not show it.
  if (added && told) count(tx, 'replays_absorbed', operationId, 'webhook');
};

const toldByAnotherEvent = async (
  tx: OrganisationTransaction,
  operationId: string,
  eventId: string,
  { reference, status }: ProviderRecord,
): Promise<boolean> => {
  const [before] = await tx.db
    .select({ id: observations.id })
    .from(observations)
    .where(
      and(
        eq(observations.organisationId, tx.organisationId),
        eq(observations.operationId, operationId),
        eq(observations.source, 'webhook'),
        ne(observations.eventId, eventId),
        sql`${observations.finding} -> 'record' ->> 'reference' = ${reference}`,
        sql`${observations.finding} -> 'record' ->> 'status' = ${status}`,
      ),
    )
    .limit(1);
  return before !== undefined;
};

export const finishEvent = async (
  tx: OrganisationTransaction,
  stored: StoredEvent,
  result: Extract<ApplyEventResult, { kind: 'applied' }>,
): Promise<void> => {
  await tx.db
    .update(providerEvents)
    .set({
      appliedAt: tx.now,
      appliedAs: result.as,
      operationId: result.operationId,
      wakeAt: null,
      lastFailure: null,
    })
    .where(itself(tx, stored.event.eventId));
};

export const postponeEvent = async (
  tx: OrganisationTransaction,
  stored: StoredEvent,
  because: string,
  afterMs: number,
): Promise<void> => {
  await tx.db
    .update(providerEvents)
    .set({
      wakeAt: new Date(tx.now.getTime() + afterMs),
      lastFailure: because,
      applyFailures: sql`${providerEvents.applyFailures} + 1`,
    })
    .where(and(itself(tx, stored.event.eventId), sql`${providerEvents.appliedAt} is null`));
};
