import { sameAmount, type Amount } from './amount.ts';
import type { ForeignRefund } from './observation.ts';
import type { OperationState } from './state.ts';

/** What of a proposal can make it look like another. */
export type DuplicateSubject = {
  readonly operationId: string;
  readonly organisationId: string;
  readonly paymentReference: string;
  readonly amount: Amount;
  readonly returnId: string | null;
  readonly lines: readonly { readonly sku: string }[];
  readonly ticketId: string | null;
  /** Operations or provider references that the proposer says it differs from. Whether they may say so is judged before. */
  readonly differentFrom: readonly string[];
};

export type OtherOperation = {
  readonly id: string;
  readonly state: OperationState;
  readonly paymentReference: string | null;
  readonly amount: Amount | null;
  readonly returnId: string | null;
  readonly lines: readonly { readonly sku: string }[];
  readonly ticketId: string | null;
};

/** A refund in the provider's ledger that stands (not failed, not cancelled), with what its metadata says. */
export type LedgerRefund = ForeignRefund & {
  readonly paymentReference: string;
  readonly organisationId: string | null;
  readonly operationId: string | null;
};

export type PossibleDuplicates<Other extends OtherOperation = OtherOperation> = {
  readonly operations: readonly Other[];
  readonly elsewhere: readonly LedgerRefund[];
};

const standing: readonly OperationState[] = [
  'proposed',
  'approved',
  'submitting',
  'pending',
  'confirmed',
  'outcome_unknown',
];

/** Whether a refund in the provider's ledger was made elsewhere. One with our organisation and an operation ID never was. */
export const madeElsewhere = (
  refund: { readonly organisationId: string | null; readonly operationId: string | null },
  organisationId: string,
): boolean => refund.organisationId !== organisationId || refund.operationId === null;

/** What the proposal may be a second time. Fields that are absent never match. */
export const findPossibleDuplicates = <Other extends OtherOperation>(
  proposal: DuplicateSubject,
  others: readonly Other[],
  refunds: readonly LedgerRefund[],
): PossibleDuplicates<Other> => ({
  operations: others.filter(
    (other) =>
      other.id !== proposal.operationId &&
      other.paymentReference === proposal.paymentReference &&
      standing.includes(other.state) &&
      !proposal.differentFrom.some((named) => named.toLowerCase() === other.id) &&
      (other.state === 'outcome_unknown' || looksTheSame(proposal, other)),
  ),
  elsewhere: refunds.filter(
    (refund) =>
      refund.paymentReference === proposal.paymentReference &&
      madeElsewhere(refund, proposal.organisationId) &&
      !proposal.differentFrom.includes(refund.reference) &&
      sameAmount(refund.amount, proposal.amount),
  ),
});

const looksTheSame = (proposal: DuplicateSubject, other: OtherOperation): boolean =>
  (other.amount !== null && sameAmount(proposal.amount, other.amount)) ||
  (proposal.returnId !== null && proposal.returnId === other.returnId) ||
  (proposal.ticketId !== null && proposal.ticketId === other.ticketId) ||
  proposal.lines.some(({ sku }) => other.lines.some((line) => line.sku === sku));
