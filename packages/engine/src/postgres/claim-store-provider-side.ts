import { and, eq, inArray, sql } from 'drizzle-orm';
import type { ProviderRecord, ProviderSide } from '@holdfast/operation';
import type { WholeOperation } from './claim-store-facts.ts';
import type { OrganisationTransaction } from './connection.ts';
import { operationIdShape } from './mirror-store-news.ts';
import { observations, operations, type MirrorRefundRow } from './schema.ts';
import { readSeenRefunds } from './seen-refunds.ts';

export const recordOf = (row: MirrorRefundRow): ProviderRecord => ({
  reference: row.reference,
  status: row.status,
  statusText: row.statusText,
  amount: { minor: row.amountMinor, currency: row.currency },
  paymentReference: row.paymentReference,
  failureReason: row.failureReason,
  createdAtMs: row.providerCreatedAt.getTime(),
  organisationId: row.metadataOrganisationId,
  operationId: row.metadataOperationId,
});

/**
 * A refund of ours is accounted for once the operation it names carries its reference, or holds it in this very status
 * as evidence: what that evidence says of the operation is then on record, and stops the payment where it has to.
 */
const accountedIn = async (
  tx: OrganisationTransaction,
  named: readonly string[],
): Promise<(refund: MirrorRefundRow) => boolean> => {
  if (named.length === 0) return () => false;
  const carried = await tx.db
    .select({ id: operations.id, reference: operations.providerReference })
    .from(operations)
    .where(and(eq(operations.organisationId, tx.organisationId), inArray(operations.id, named)));
  const held = await tx.db
    .select({
      id: observations.operationId,
      reference: sql<string | null>`${observations.finding} -> 'record' ->> 'reference'`,
      status: sql<string | null>`${observations.finding} -> 'record' ->> 'status'`,
    })
    .from(observations)
    .where(and(eq(observations.organisationId, tx.organisationId), inArray(observations.operationId, named)));
  return (refund) =>
    carried.some(({ id, reference }) => id === ownerOf(refund) && reference === refund.reference) ||
    held.some(
      ({ id, reference, status }) =>
        id === ownerOf(refund) && reference === refund.reference && status === refund.status,
    );
};

const ownerOf = (refund: MirrorRefundRow): string => refund.metadataOperationId?.toLowerCase() ?? '';

type SeenSide = Extract<ProviderSide, { kind: 'seen' }> & {
  /** The operations that refunds of ours on this payment name, known here or not. */
  readonly named: readonly string[];
};

/** Of refunds made by hand, those that people took for an operation of the payment: they are that one's. */
const heldHere = async (
  tx: OrganisationTransaction,
  row: Pick<WholeOperation, 'provider' | 'paymentReference'>,
  elsewhere: readonly MirrorRefundRow[],
): Promise<readonly (string | null)[]> => {
  if (elsewhere.length === 0) return [];
  const references = elsewhere.map(({ reference }) => reference);
  const holders = await tx.db
    .select({ reference: operations.providerReference })
    .from(operations)
    .where(
      and(
        eq(operations.organisationId, tx.organisationId),
        eq(operations.provider, row.provider),
        eq(operations.paymentReference, row.paymentReference),
        inArray(operations.providerReference, references),
      ),
    );
  return holders.map(({ reference }) => reference);
};

export const readProviderSide = async (
  tx: OrganisationTransaction,
  row: Pick<WholeOperation, 'provider' | 'paymentReference'>,
  disputed: boolean,
): Promise<SeenSide> => {
  const seen = await readSeenRefunds(tx, row.provider, row.paymentReference);
  const refunds = seen.map(({ refund }) => refund);
  const standing = refunds.filter(({ status }) => status !== 'failed');
  const isOurs = (refund: MirrorRefundRow): boolean =>
    refund.metadataOrganisationId === tx.organisationId && refund.metadataOperationId !== null;
  const ours = standing.filter(isOurs);
  const named = [...new Set(ours.map(ownerOf).filter((id) => operationIdShape.test(id)))];
  const isAccounted = await accountedIn(tx, named);
  const elsewhere = standing.filter((refund) => !isOurs(refund));
  const held = await heldHere(tx, row, elsewhere);
  return {
    kind: 'seen',
    named,
    disputed,
    refundsElsewhere: elsewhere
      .filter(({ reference }) => !held.includes(reference))
      .map(recordOf)
      .map(({ reference, amount, createdAtMs }) => ({ reference, amount, atMs: createdAtMs })),
    unaccounted: ours.filter((refund) => !isAccounted(refund)).map(recordOf),
  };
};
