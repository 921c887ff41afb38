import type { ProviderRecord } from '@holdfast/operation';
import { whoseRefund } from '../mirror/whose-refund.ts';
import type { SweepFinding, SweepFindingKind, SweptOperation } from './sweep-finding.ts';

/** One refund of the provider's ledger beside what is known here. */
export type RefundToJudge = {
  readonly refund: ProviderRecord;
  readonly organisationId: string;
  /** The operation that the refund names, before the sweep took the refund in as evidence, and after it. */
  readonly before: SweptOperation | null;
  readonly after: SweptOperation | null;
  /** Whether people took this refund, though made elsewhere, for an operation. */
  readonly held: boolean;
};

/** States in which a refund of the operation's own is what was to be expected. */
const mayHaveRefund = (state: SweptOperation['state']): boolean => {
  switch (state) {
    case 'submitting':
    case 'pending':
    case 'outcome_unknown':
    case 'confirmed':
    case 'reversed':
      return true;
    case 'proposed':
    case 'approved':
    case 'failed':
    case 'denied':
    case 'cancelled':
    case 'expired':
      return false;
  }
};

/** What is not as it should be about one refund: nothing, mostly. A failed one has moved no money. */
export const judgeRefund = (judged: RefundToJudge): readonly SweepFinding[] => {
  const { refund, before, after } = judged;
  const found = (kind: SweepFindingKind): SweepFinding => ({
    kind,
    operationId: judged.after?.id ?? owner(judged),
    reference: refund.reference,
    paymentReference: refund.paymentReference,
    amount: refund.amount,
    ours: kind === 'amount-differs' ? (after?.amount ?? null) : null,
  });
  const hasFailed = refund.status === 'failed';
  if (owner(judged) === null) return hasFailed || judged.held ? [] : [found('foreign')];
  if (hasFailed) {
    const wasConfirmed = before?.state === 'confirmed' && before.reference === refund.reference;
    return wasConfirmed ? [found('failed-at-provider')] : [];
  }
  if (after === null) return [found('unaccounted')];
  if (after.reference !== refund.reference) {
    return [found(after.reference === null ? 'unaccounted' : 'duplicate')];
  }
  const findings: SweepFinding[] = [];
  if (before !== null && !mayHaveRefund(before.state)) findings.push(found('unaccounted'));
  const { amount } = after;
  if (amount?.minor !== refund.amount.minor || amount.currency !== refund.amount.currency) {
    findings.push(found('amount-differs'));
  }
  return findings;
};

/**
 * What can be said of a refund before it becomes evidence and mends what it shows: kept first, so that a process that is
 * killed in between leaves the finding behind. Each of these is found again afterwards, as the same.
 */
export const judgeBeforehand = (judged: Omit<RefundToJudge, 'after'>): readonly SweepFinding[] => {
  const { before, refund } = judged;
  if (before === null || (refund.status !== 'failed' && mayHaveRefund(before.state))) return [];
  return judgeRefund({ ...judged, after: before }).filter(
    ({ kind }) => kind === 'failed-at-provider' || kind === 'unaccounted',
  );
};

const owner = ({ refund, organisationId }: RefundToJudge): string | null => {
  const whose = whoseRefund(refund, organisationId);
  return whose.kind === 'ours' ? whose.operationId : null;
};
