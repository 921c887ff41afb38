import type { ProviderRefund } from '@holdfast/operation';
import type { MirroredRefund } from '@holdfast/providers';

export type LedgerContext = {
  readonly organisationId: string;
  readonly operationId: string;
  /** The operation here that holds a reference, where one does, and who said that it is its own. */
  readonly holderOf: (reference: string) => ProviderRefund['boundTo'] | null;
  readonly dashboardOf: (reference: string) => string | null;
};

const whose = (
  refund: MirroredRefund,
  { organisationId, operationId, holderOf }: LedgerContext,
): Pick<ProviderRefund, 'whose' | 'operationId' | 'boundTo'> => {
  // Another organisation's operations are none of ours to know, though we share the provider's account.
  if (refund.organisationId !== null && refund.organisationId !== organisationId) {
    return { whose: 'another-organisation', operationId: null };
  }
  const named = refund.organisationId === null ? null : (refund.operationId?.toLowerCase() ?? null);
  const holder = holderOf(refund.reference) ?? null;
  const taken = named ?? holder?.operationId ?? null;
  return {
    whose: taken === null ? 'nobody-here' : taken === operationId ? 'this-operation' : 'another-operation',
    // What the provider's record says and what was decided here are never told as one.
    operationId: named,
    ...(holder === null || holder.operationId === named ? {} : { boundTo: holder }),
  };
};

/** The provider's refunds of a payment as an operator sees them: newest last, each with whose it is. */
export const viewOfLedger = (
  refunds: readonly MirroredRefund[],
  context: LedgerContext,
): readonly ProviderRefund[] =>
  refunds
    .toSorted(
      (one, other) => one.createdAtMs - other.createdAtMs || (one.reference < other.reference ? -1 : 1),
    )
    .map((refund) => ({
      reference: refund.reference,
      status: refund.status,
      statusText: refund.statusText,
      amount: refund.amount,
      createdAt: new Date(refund.createdAtMs).toISOString(),
      failureReason: refund.failureReason,
      ...whose(refund, context),
      dashboard: context.dashboardOf(refund.reference),
    }));
