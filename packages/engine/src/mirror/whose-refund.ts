import type { ProviderRecord } from '@holdfast/operation';

/**
 * Whose a refund in the provider's ledger is. `foreign`: it does not carry our organisation and an operation ID, so
 * it was made elsewhere. `ours` counts for the operation it names and is never "elsewhere", also while no such
 * operation is known here.
 */
export type RefundOwner =
  { readonly kind: 'ours'; readonly operationId: string } | { readonly kind: 'foreign' };

export const whoseRefund = (
  record: Pick<ProviderRecord, 'organisationId' | 'operationId'>,
  organisationId: string,
): RefundOwner =>
  record.organisationId === organisationId && record.operationId !== null
    ? { kind: 'ours', operationId: record.operationId.toLowerCase() }
    : { kind: 'foreign' };

/** What a refund takes from its payment: a failed one has given the money back. */
export const takenMinor = (record: Pick<ProviderRecord, 'status' | 'amount'>): number =>
  record.status === 'failed' ? 0 : record.amount.minor;
