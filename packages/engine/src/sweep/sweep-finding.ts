import type { Amount, OperationState } from '@holdfast/operation';

/**
 * Where the provider's ledger and ours do not say the same.
 * - `duplicate`: a further provider record for an operation that has one.
 * - `foreign`: a refund that was made elsewhere and that nobody here has taken for an operation.
 * - `unaccounted`: a refund of ours, while its operation is unknown here or had ended without it.
 * - `amount-differs`: a refund of ours of another amount or currency than the operation's.
 * - `failed-at-provider`: we called it confirmed, and the provider's record has failed.
 * - `not-at-provider`: we call it confirmed or pending, and the provider does not know the refund.
 */
export const sweepFindingKinds = [
  'duplicate',
  'foreign',
  'unaccounted',
  'amount-differs',
  'failed-at-provider',
  'not-at-provider',
] as const;
export type SweepFindingKind = (typeof sweepFindingKinds)[number];

export type SweepFinding = {
  readonly kind: SweepFindingKind;
  /** The operation it is about; `null` for a refund made elsewhere. */
  readonly operationId: string | null;
  readonly reference: string;
  readonly paymentReference: string;
  /** What the provider's record says; what ours says where the provider has none. */
  readonly amount: Amount;
  /** What ours says, where it differs. */
  readonly ours: Amount | null;
};

/** What a sweep needs to know of an operation. */
export type SweptOperation = {
  readonly id: string;
  readonly state: OperationState;
  readonly reference: string | null;
  readonly paymentReference: string;
  /** What was booked, else what was approved; `null` for an ID that was cancelled before it was ever proposed. */
  readonly amount: Amount | null;
};
