import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { MirroredRefund } from '@holdfast/providers';
import type { ProviderAccount } from '../engine-interface.ts';
import type { KnownOfPage, SweepPorts } from '../sweep/run-sweep.ts';
import type { SweptOperation } from '../sweep/sweep-finding.ts';
import type { OrganisationTransaction } from './connection.ts';
import { operationIdShape, providerOf } from './mirror-store-news.ts';
import { mirrorRefunds, operations, payments, type OperationRow } from './schema.ts';

/** Of each record a sweep reads what it judges by: the rest of a row is most of it. */
const judgedBy = {
  id: operations.id,
  state: operations.state,
  providerReference: operations.providerReference,
  paymentReference: operations.paymentReference,
  amountMinor: operations.amountMinor,
  bookedMinor: operations.bookedMinor,
  currency: operations.currency,
};

const seen = (row: Pick<OperationRow, keyof typeof judgedBy>): SweptOperation => {
  const minor = row.bookedMinor ?? row.amountMinor;
  return {
    id: row.id,
    state: row.state,
    reference: row.providerReference,
    paymentReference: row.paymentReference ?? '',
    amount: minor === null || row.currency === null ? null : { minor, currency: row.currency },
  };
};

/** What is known here of a page's refunds: the operations that they name, and those that are held by one. */
export const knownOfPage = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  refunds: readonly MirroredRefund[],
): Promise<KnownOfPage> => {
  const ids = refunds
    .map(({ operationId }) => operationId?.toLowerCase() ?? '')
    .filter((id) => operationIdShape.test(id));
  const ofOrganisation = eq(operations.organisationId, tx.organisationId);
  const rows =
    ids.length === 0
      ? []
      : await tx.db
          .select(judgedBy)
          .from(operations)
          .where(and(ofOrganisation, inArray(operations.id, ids)));
  const holders = await tx.db
    .select({ reference: operations.providerReference })
    .from(operations)
    .where(
      and(
        ofOrganisation,
        eq(operations.provider, providerOf(account)),
        inArray(operations.providerReference, ['', ...refunds.map(({ reference }) => reference)]),
      ),
    );
  return {
    operations: new Map(rows.map((row) => [row.id, seen(row)])),
    held: new Set(holders.map(({ reference }) => reference ?? '')),
  };
};

/** Remembers that these refunds stood in the ledger at that time. */
export const markSeen = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  refunds: readonly MirroredRefund[],
  atMs: number,
): Promise<KnownOfPage> => {
  await tx.db
    .update(mirrorRefunds)
    .set({ sweptAt: new Date(atMs) })
    .where(
      and(
        eq(mirrorRefunds.organisationId, tx.organisationId),
        eq(mirrorRefunds.provider, providerOf(account)),
        inArray(mirrorRefunds.reference, ['', ...refunds.map(({ reference }) => reference)]),
      ),
    );
  return knownOfPage(tx, account, refunds);
};

const batch = 200;
const nilId = '00000000-0000-0000-0000-000000000000';

/** One batch of the operations of this account that were sent in the window, and those of them no page showed. */
export const notSeen = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  window: Parameters<SweepPorts['notSeen']>[1],
  afterId: string | null,
): ReturnType<SweepPorts['notSeen']> => {
  const provider = providerOf(account);
  const rows = await tx.db
    .select({ operation: judgedBy, sweptAt: mirrorRefunds.sweptAt })
    .from(operations)
    .innerJoin(
      payments,
      and(
        eq(payments.organisationId, operations.organisationId),
        eq(payments.provider, operations.provider),
        eq(payments.paymentReference, operations.paymentReference),
        sql`(${payments.accountId} is null or ${payments.accountId} = ${account.accountId})`,
      ),
    )
    .leftJoin(
      mirrorRefunds,
      and(
        eq(mirrorRefunds.organisationId, operations.organisationId),
        eq(mirrorRefunds.provider, operations.provider),
        eq(mirrorRefunds.reference, operations.providerReference),
      ),
    )
    .where(
      and(
        eq(operations.organisationId, tx.organisationId),
        eq(operations.provider, provider),
        gt(operations.id, afterId ?? nilId),
        inArray(operations.state, ['confirmed', 'pending']),
        sql`${operations.providerReference} is not null`,
        sql`coalesce(${operations.firstSentAt}, ${operations.createdAt}) >= ${new Date(window.sinceMs).toISOString()}::timestamptz`,
      ),
    )
    .orderBy(asc(operations.id))
    .limit(batch);
  return {
    operations: rows
      .filter(({ sweptAt }) => sweptAt?.getTime() !== window.sweptAtMs)
      .map(({ operation }) => seen(operation)),
    read: rows.length,
    next: rows.length < batch ? null : (rows.at(-1)?.operation.id ?? null),
  };
};
