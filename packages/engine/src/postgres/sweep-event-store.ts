import { and, eq, inArray } from 'drizzle-orm';
import type { FetchedEvent, VerifiedEvent } from '@holdfast/providers';
import type { ProviderAccount } from '../engine-interface.ts';
import { eventDestination, eventJoins } from '../webhook/event-destination.ts';
import type { EventUse, StoredEvent } from '../webhook/apply-event.ts';
import type { OrganisationTransaction } from './connection.ts';
import { providerOf } from './mirror-store-news.ts';
import { mirrorDisputes, mirrorRefunds, providerEvents } from './schema.ts';
import { findOperation } from './webhook-store.ts';

/** How long the sweep itself has to apply an event before the worker looks at it as well. */
const ownTurnMs = 5 * 60_000;

type Known = { readonly reference: string; readonly status: string };

/** What the mirror shows of the objects of a page of events. */
const shownOf = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  events: readonly VerifiedEvent[],
): Promise<readonly Known[]> => {
  const references = [
    '',
    ...events.flatMap(({ record, dispute }) => [record?.reference ?? dispute?.reference ?? '']),
  ];
  const refunds = await tx.db
    .select({ reference: mirrorRefunds.reference, status: mirrorRefunds.statusText })
    .from(mirrorRefunds)
    .where(
      and(
        eq(mirrorRefunds.organisationId, tx.organisationId),
        eq(mirrorRefunds.provider, providerOf(account)),
        inArray(mirrorRefunds.reference, references),
      ),
    );
  const disputes = await tx.db
    .select({ reference: mirrorDisputes.reference, status: mirrorDisputes.statusText })
    .from(mirrorDisputes)
    .where(
      and(
        eq(mirrorDisputes.organisationId, tx.organisationId),
        eq(mirrorDisputes.provider, providerOf(account)),
        inArray(mirrorDisputes.reference, references),
      ),
    );
  return [...refunds, ...disputes];
};

/** What an event that says nothing new was good for; `null` where it has to be looked into. */
const useOfOldNews = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  event: VerifiedEvent,
  shown: readonly Known[],
): Promise<{ readonly as: EventUse; readonly operationId: string | null } | null> => {
  if (eventDestination(event, account) !== 'here') return null;
  const told = event.record ?? event.dispute;
  if (told === null) return null;
  const isOld = shown.some(
    ({ reference, status }) => reference === told.reference && status === told.statusText,
  );
  if (!isOld) return null;
  const operationId = await findOperation(tx, eventJoins(event, tx.organisationId));
  if (operationId !== null) return { as: 'applied', operationId };
  const isOurs = event.metadataOrganisationId === tx.organisationId && event.metadataOperationId !== null;
  return { as: isOurs ? 'unknown-operation' : 'not-for-us', operationId };
};

/** Stores events out of the provider's list, each once by its ID. @returns those that are to be applied */
export const storeMissedEvents = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  events: readonly FetchedEvent[],
): Promise<{ readonly fetched: number; readonly toApply: readonly StoredEvent[] }> => {
  if (events.length === 0) return { fetched: 0, toApply: [] };
  const known = await tx.db
    .select({
      eventId: providerEvents.eventId,
      appliedAt: providerEvents.appliedAt,
      failures: providerEvents.applyFailures,
    })
    .from(providerEvents)
    .where(
      and(
        eq(providerEvents.organisationId, tx.organisationId),
        inArray(
          providerEvents.eventId,
          events.map(({ event }) => event.eventId),
        ),
      ),
    );
  const shown = await shownOf(
    tx,
    account,
    events.map(({ event }) => event),
  );
  const toApply: StoredEvent[] = [];
  let fetched = 0;
  // The list is newest first; what happened first is applied first.
  for (const { event, raw } of [...events].reverse()) {
    const before = known.find(({ eventId }) => eventId === event.eventId);
    if (before?.appliedAt != null) continue;
    const stored: StoredEvent = { organisationId: tx.organisationId, event, failures: before?.failures ?? 0 };
    if (before !== undefined) {
      toApply.push(stored);
      continue;
    }
    const use = await useOfOldNews(tx, account, event, shown);
    const inserted = await tx.db
      .insert(providerEvents)
      .values({
        ...rowOf(tx, account, event, raw),
        ...(use === null
          ? { wakeAt: new Date(tx.now.getTime() + ownTurnMs) }
          : { wakeAt: null, appliedAt: tx.now, appliedAs: use.as, operationId: use.operationId }),
      })
      .onConflictDoNothing()
      .returning({ eventId: providerEvents.eventId });
    fetched += inserted.length;
    if (use === null) toApply.push(stored);
  }
  return { fetched, toApply };
};

const rowOf = (tx: OrganisationTransaction, account: ProviderAccount, event: VerifiedEvent, raw: string) => ({
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
  // Nobody delivered it: it was fetched.
  deliveryCount: 0,
});
