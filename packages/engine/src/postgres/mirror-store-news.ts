import { and, eq, inArray, sql } from 'drizzle-orm';
import type { ProviderRecord } from '@holdfast/operation';
import type { MirroredRefund } from '@holdfast/providers';
import type { ProviderAccount } from '../engine-interface.ts';
import type { SeenAtProvider } from '../mirror/seen-at-provider.ts';
import { whoseRefund } from '../mirror/whose-refund.ts';
import type { OrganisationTransaction } from './connection.ts';
import { mirrorDisputes, mirrorRefunds, operations } from './schema.ts';

/** The name under which a provider's payments are filed here. */
export const providerOf = (account: ProviderAccount): string =>
  account.adapter.contract.displayName.toLowerCase();

/** What can be the ID of an operation at all: metadata is whatever somebody wrote there. */
export const operationIdShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const figuresOf = (tx: OrganisationTransaction, refund: MirroredRefund) => ({
  paymentReference: refund.paymentReference,
  amountMinor: refund.amount.minor,
  currency: refund.amount.currency,
  status: refund.status,
  statusText: refund.statusText,
  failureReason: refund.failureReason,
  updatedAt: tx.now,
});

export const rowOfRefund = (tx: OrganisationTransaction, provider: string, refund: MirroredRefund) => ({
  organisationId: tx.organisationId,
  provider,
  reference: refund.reference,
  ...figuresOf(tx, refund),
  metadataOrganisationId: refund.organisationId,
  metadataOperationId: refund.operationId,
  providerCreatedAt: new Date(refund.createdAtMs),
  firstSeenAt: tx.now,
});

/** What of a listing is not in the mirror yet; listings overlap, so most of one is old news. */
export const newsIn = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  seen: SeenAtProvider,
): Promise<SeenAtProvider> => {
  const provider = providerOf(account);
  const refunds = await tx.db
    .select({ reference: mirrorRefunds.reference, statusText: mirrorRefunds.statusText })
    .from(mirrorRefunds)
    .where(
      and(
        eq(mirrorRefunds.organisationId, tx.organisationId),
        eq(mirrorRefunds.provider, provider),
        inArray(mirrorRefunds.reference, ['', ...seen.refunds.map(({ reference }) => reference)]),
      ),
    );
  const disputes = await tx.db
    .select({ reference: mirrorDisputes.reference, statusText: mirrorDisputes.statusText })
    .from(mirrorDisputes)
    .where(
      and(
        eq(mirrorDisputes.organisationId, tx.organisationId),
        eq(mirrorDisputes.provider, provider),
        inArray(mirrorDisputes.reference, ['', ...seen.disputes.map(({ reference }) => reference)]),
      ),
    );
  const fresh = await withoutAccounted(tx, provider, seen.refunds.filter(isNewsTo(refunds)));
  return { ...seen, refunds: fresh, disputes: seen.disputes.filter(isNewsTo(disputes)) };
};

type Status = { readonly reference: string; readonly statusText: string };

const isNewsTo =
  (known: readonly Status[]) =>
  (one: Status): boolean =>
    !known.some(({ reference, statusText }) => reference === one.reference && statusText === one.statusText);

/**
 * Refunds that say nothing but what their own operation's record says already are put into the mirror at once: most
 * of a listing is what we ourselves were just answered, and it changes no figures.
 */
const withoutAccounted = async (
  tx: OrganisationTransaction,
  provider: string,
  refunds: readonly MirroredRefund[],
): Promise<readonly MirroredRefund[]> => {
  const known = await tx.db
    .select({
      id: operations.id,
      reference: operations.providerReference,
      status: operations.providerStatus,
      paymentReference: operations.paymentReference,
    })
    .from(operations)
    .where(
      and(
        eq(operations.organisationId, tx.organisationId),
        eq(operations.provider, provider),
        inArray(operations.providerReference, ['', ...refunds.map(({ reference }) => reference)]),
      ),
    );
  const byReference = new Map(known.map((row) => [row.reference, row]));
  const isAccounted = (refund: MirroredRefund): boolean => {
    const row = byReference.get(refund.reference);
    const owner = whoseRefund(refund, tx.organisationId);
    return (
      row?.status === refund.statusText &&
      row.paymentReference === refund.paymentReference &&
      owner.kind === 'ours' &&
      owner.operationId === row.id
    );
  };
  const accounted = refunds.filter(isAccounted);
  if (accounted.length > 0) {
    await tx.db
      .insert(mirrorRefunds)
      .values(accounted.map((refund) => rowOfRefund(tx, provider, refund)))
      .onConflictDoUpdate({
        target: [mirrorRefunds.organisationId, mirrorRefunds.provider, mirrorRefunds.reference],
        set: {
          status: sql`excluded.status`,
          statusText: sql`excluded.status_text`,
          failureReason: sql`excluded.failure_reason`,
          updatedAt: tx.now,
        },
        setWhere: sql`${mirrorRefunds.status} <> 'failed'`,
      });
  }
  return refunds.filter((refund) => !isAccounted(refund));
};

/** Operations that these refunds of ours name and that are known here: the refunds are evidence of theirs, and come first. */
export const namedHere = async (
  tx: OrganisationTransaction,
  records: readonly ProviderRecord[],
): Promise<readonly { readonly operationId: string; readonly record: ProviderRecord }[]> => {
  const found: { operationId: string; record: ProviderRecord }[] = [];
  for (const record of records) {
    const operationId = record.operationId?.toLowerCase() ?? '';
    if (!operationIdShape.test(operationId)) continue;
    const rows = await tx.db
      .select({ id: operations.id })
      .from(operations)
      .where(and(eq(operations.organisationId, tx.organisationId), eq(operations.id, operationId)));
    if (rows.length > 0) found.push({ operationId, record });
  }
  return found;
};
