import {
  compareProposals,
  formatAmount,
  judgeProposal,
  type Amount,
  type AttentionReason,
  type EligibilityFacts,
  type LedgerRefund,
  type LimitProblem,
  type OperationState,
  type OtherOperation,
  type PaymentFigures,
  type Policy,
  type Problem,
  type Proposal,
} from '@holdfast/operation';
import { problemOf } from './problem.ts';

/** What was accepted under an ID before. */
export type RecordedProposal = {
  readonly id: string;
  readonly state: OperationState;
  readonly orderId: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly reason: string | null;
  readonly lines: readonly { readonly sku: string; readonly quantity: number }[];
  readonly returnId: string | null;
  readonly note: string | null;
  readonly ticketId: string | null;
  readonly replaces: string | null;
};

export type KnownIdVerdict =
  /** It says the same: the answer is the operation as it is now. */
  | { readonly kind: 'same' }
  /** The ID was cancelled before its proposal arrived: the answer is that, and nothing happens. */
  | { readonly kind: 'cancelled-before' }
  | { readonly kind: 'mismatch'; readonly problem: Problem; readonly fields: readonly string[] };

/** A proposal under an ID that is bound already: it either says the same, or it is refused with what differs. */
export const judgeKnownId = (recorded: RecordedProposal, received: Proposal): KnownIdVerdict => {
  if (recorded.orderId === null) return { kind: 'cancelled-before' };
  const comparison = compareProposals(
    {
      kind: 'refund',
      orderId: recorded.orderId,
      amount:
        recorded.amountMinor === null || recorded.currency === null
          ? null
          : { minor: recorded.amountMinor, currency: recorded.currency },
      reason: recorded.reason,
      lines: recorded.lines,
      returnId: recorded.returnId,
      note: recorded.note,
      ticketId: recorded.ticketId,
      replaces: recorded.replaces,
    },
    received,
  );
  if (comparison.same) return { kind: 'same' };
  const fields = Object.keys(comparison.recorded);
  return {
    kind: 'mismatch',
    fields,
    problem: problemOf(
      'operation-mismatch',
      `This ID already stands for another refund; they differ in: ${fields.join(', ')}. Nothing was changed.`,
      {
        operationId: recorded.id,
        commandId: recorded.id,
        recorded: comparison.recorded,
        received: comparison.received,
      },
    ),
  };
};

export type PaymentNeighbour = OtherOperation & {
  readonly attention: readonly { readonly reason: AttentionReason }[];
  readonly sentence: string;
};

/** Everything a proposal is judged by, read under the payment's lock. */
export type ProposalFacts = {
  readonly nowMs: number;
  readonly policy: Policy;
  /** The generation of history that what is accepted now belongs to. */
  readonly generation: string;
  readonly organisationId: string;
  readonly order: { readonly id: string; readonly placedAtMs: number; readonly paymentReference: string };
  readonly payment: PaymentFigures;
  readonly returns: EligibilityFacts['returns'];
  /** All other operations of the payment. */
  readonly neighbours: readonly PaymentNeighbour[];
  /** Standing refunds of the payment in the provider's ledger, as the mirror knows them. */
  readonly refunds: readonly LedgerRefund[];
  /** The operation named by `replaces`: `undefined` when none is named, `null` when there is none. */
  readonly replaced: EligibilityFacts['replaces'];
};

export const eligibilityFacts = (
  operationId: string,
  asked: {
    readonly reason: EligibilityFacts['reason'];
    readonly note?: string | null | undefined;
    readonly returnId?: string | null | undefined;
    readonly amount: Amount;
  },
  facts: ProposalFacts,
  overLimits: readonly LimitProblem[],
): EligibilityFacts => ({
  nowMs: facts.nowMs,
  policy: facts.policy,
  order: facts.order,
  payment: facts.payment,
  returns: facts.returns,
  reason: asked.reason,
  note: asked.note ?? null,
  returnId: asked.returnId ?? null,
  amount: asked.amount,
  operationId,
  paymentOperations: facts.neighbours.map(({ id, attention }) => ({
    id,
    attention: attention.map(({ reason }) => reason),
  })),
  overLimits,
  replaces: facts.replaced,
});

/** Whether a proposal under a new ID is accepted: `undefined`, or the problem. A refusal binds nothing. */
export const judgeNewProposal = (
  operationId: string,
  proposal: Proposal,
  facts: ProposalFacts,
  overLimits: readonly LimitProblem[] = [],
): Problem | undefined => {
  const judgement = judgeProposal(
    eligibilityFacts(operationId, proposal, facts, overLimits),
    {
      operationId,
      organisationId: facts.organisationId,
      paymentReference: facts.order.paymentReference,
      amount: proposal.amount,
      returnId: proposal.returnId ?? null,
      lines: proposal.lines ?? [],
      ticketId: proposal.ticketId ?? null,
      differentFrom: proposal.differentFrom ?? [],
    },
    facts.neighbours,
    facts.refunds,
  );
  const ids = { operationId, commandId: operationId };
  switch (judgement.kind) {
    case 'acceptable':
      return undefined;
    case 'not-eligible':
      return problemOf('not-eligible', judgement.reasons.map(({ sentence }) => sentence).join(' '), {
        ...ids,
        reasons: [...judgement.reasons],
      });
    case 'possible-duplicate':
      return problemOf('possible-duplicate', 'It may be the same as a refund that exists already.', {
        ...ids,
        operations: judgement.operations.map(({ id, state, amount, sentence }) => ({
          id,
          state,
          amount,
          sentence,
        })),
        elsewhere: judgement.elsewhere.map(({ reference, amount, atMs }) => ({
          reference,
          amount,
          at: new Date(atMs).toISOString(),
        })),
      });
    case 'exceeds-refundable':
      return problemOf('exceeds-refundable', exceedsSentence(judgement.refundable, facts.neighbours), {
        ...ids,
        refundable: judgement.refundable,
      });
  }
};

/** How much is left, and what of the rest is held by refunds of which nobody knows yet whether they happened. */
export const exceedsSentence = (
  { minor, currency }: Amount,
  neighbours: readonly Pick<PaymentNeighbour, 'id' | 'state' | 'amount'>[] = [],
): string => {
  const left =
    minor === 0
      ? 'Nothing is left to refund of this payment.'
      : `Only ${formatAmount({ minor, currency })} is left.`;
  const unresolved = neighbours.flatMap(({ id, state, amount }) =>
    (state === 'submitting' || state === 'outcome_unknown') && amount !== null
      ? [`${formatAmount(amount)} is unresolved on this payment (${id}).`]
      : [],
  );
  return [left, ...unresolved].join(' ');
};
