import {
  approvalsNeededFor,
  approvesAutomatically,
  dayBounds,
  judgeLimits,
  limitedSpans,
  signatureRequired,
  treatmentChanges,
  type Actor,
  type Amount,
  type DayBounds,
  type LimitAct,
  type OperationState,
  type Policy,
  type RefundReason,
  type Role,
  type TreatmentChange,
} from '@holdfast/operation';

/** An operation that was accepted, with what a policy is judged by. Times in milliseconds since the epoch. */
export type PastOperation = {
  readonly id: string;
  readonly orderId: string | null;
  readonly paymentReference: string;
  readonly amount: Amount;
  readonly reason: RefundReason;
  readonly state: OperationState;
  readonly proposer: PastActor & Pick<Actor, 'assistant' | 'via'>;
  readonly proposedAtMs: number;
  /** `null` where the order is not known any more: its age is judged by no policy then. */
  readonly orderPlacedAtMs: number | null;
  /** Approvals that were given, oldest first, also those that did not complete it. */
  readonly approvals: readonly (PastActor & { readonly atMs: number; readonly signed: boolean })[];
  /** When it left `proposed`; `null` while it waits. */
  readonly decidedAtMs: number | null;
  readonly approvedAtMs: number | null;
  /** When it was first submitted; `null` where it was not. */
  readonly sentAtMs: number | null;
};

type PastActor = { readonly person: string; readonly role: Role | null };

/** What a policy makes of one operation. */
type Treatment = {
  readonly refused: boolean;
  readonly approvalRefused: boolean;
  readonly approvalsNeeded: number;
  readonly signed: boolean;
  readonly automatic: boolean;
  readonly expires: boolean;
};

/** What one policy has let everybody use so far. Only sums are kept, never the operations. */
type Ledger = {
  readonly policy: Policy;
  readonly used: Map<string, number>;
  day: DayBounds | null;
};

export type Replay = { readonly before: Ledger; readonly after: Ledger };

export const beginReplay = (before: Policy, after: Policy): Replay => ({
  before: { policy: before, used: new Map(), day: null },
  after: { policy: after, used: new Map(), day: null },
});

/** In what one operation would be treated otherwise. Operations come in the order in which they were proposed. */
export const replayOperation = (
  { before, after }: Replay,
  operation: PastOperation,
  untilMs: number,
): readonly TreatmentChange[] =>
  changesBetween(treat(before, operation, untilMs), treat(after, operation, untilMs));

const treat = (ledger: Ledger, operation: PastOperation, untilMs: number): Treatment => {
  const { policy } = ledger;
  const { amount, proposer } = operation;
  const refused =
    isRefusedByRules(policy, operation) ||
    !takes(ledger, 'propose', proposer, operation, operation.proposedAtMs);
  const automatic =
    !refused && approvesAutomatically(policy, { ...proposer, role: proposer.role ?? 'integrator' }, amount);
  const refusals = operation.approvals.filter(
    ({ person, role, atMs }) =>
      (person === proposer.person && !policy.proposerMayApprove) ||
      !takes(ledger, 'approve', { person, role }, operation, atMs),
  );
  return {
    refused,
    // What is refused at its proposal is never approved, and what the policy approves needs nobody.
    approvalRefused: !refused && !automatic && refusals.length > 0,
    approvalsNeeded: automatic ? 0 : approvalsNeededFor(policy, amount),
    signed: !automatic && signatureRequired(policy, amount),
    automatic,
    expires: !refused && ranOut(policy, operation, untilMs, automatic),
  };
};

const isRefusedByRules = (
  policy: Policy,
  { reason, orderPlacedAtMs, proposedAtMs }: PastOperation,
): boolean =>
  (policy.allowedReasons !== null && !policy.allowedReasons.includes(reason)) ||
  (orderPlacedAtMs !== null && proposedAtMs - orderPlacedAtMs > policy.refundWindowMs);

const dayOf = (ledger: Ledger, atMs: number): number => {
  const { day } = ledger;
  // A day's bounds are looked for in the calendar: once a day is enough.
  if (day !== null && atMs >= day.startMs && atMs < day.endMs) return day.startMs;
  ledger.day = dayBounds(atMs, ledger.policy.timeZone);
  return ledger.day.startMs;
};

/** Whether somebody's limits let them; what they take is used from then on. */
const takes = (
  ledger: Ledger,
  act: LimitAct,
  { person, role }: PastActor,
  { amount, paymentReference }: PastOperation,
  atMs: number,
): boolean => {
  const subject = { act, person, role };
  const spans = limitedSpans(ledger.policy, subject);
  if (spans.length === 0) return true;
  const onPayment = `${act} payment ${paymentReference} ${person} ${amount.currency}`;
  const onDay = spans.includes('day')
    ? `${act} day ${String(dayOf(ledger, atMs))} ${person} ${amount.currency}`
    : null;
  const use = {
    ...subject,
    amount,
    onPaymentMinor: ledger.used.get(onPayment) ?? 0,
    onDayMinor: onDay === null ? 0 : (ledger.used.get(onDay) ?? 0),
  };
  if (judgeLimits(ledger.policy, use).length > 0) return false;
  if (spans.includes('payment')) ledger.used.set(onPayment, use.onPaymentMinor + amount.minor);
  if (onDay !== null) ledger.used.set(onDay, use.onDayMinor + amount.minor);
  return true;
};

const ranOut = (
  { proposalExpiresAfterMs, approvalExpiresAfterMs }: Policy,
  { state, proposedAtMs, decidedAtMs, approvedAtMs, sentAtMs }: PastOperation,
  untilMs: number,
  automatic: boolean,
): boolean => {
  // Nobody decided in time: how long it would have waited beyond is not known, only that it waited so long.
  const decided = automatic ? proposedAtMs : (decidedAtMs ?? untilMs);
  if (decided - proposedAtMs > proposalExpiresAfterMs) return true;
  if (state === 'expired' && approvedAtMs === null) return decided - proposedAtMs >= proposalExpiresAfterMs;
  if (approvedAtMs === null) return false;
  const left = sentAtMs ?? (state === 'approved' ? untilMs : null);
  return left !== null && left - approvedAtMs > approvalExpiresAfterMs;
};

const isChange: Readonly<Record<TreatmentChange, (before: Treatment, after: Treatment) => boolean>> = {
  'refused-at-proposal': (before, after) => !before.refused && after.refused,
  'allowed-at-proposal': (before, after) => before.refused && !after.refused,
  'approval-refused': (before, after) => !before.approvalRefused && after.approvalRefused && !after.refused,
  'approval-allowed': (before, after) => before.approvalRefused && !after.approvalRefused && !after.refused,
  'more-approvals': (before, after) =>
    bothLive(before, after) && after.approvalsNeeded > before.approvalsNeeded,
  'fewer-approvals': (before, after) =>
    bothLive(before, after) && after.approvalsNeeded < before.approvalsNeeded,
  'needs-signature': (before, after) => bothLive(before, after) && !before.signed && after.signed,
  'no-signature': (before, after) => bothLive(before, after) && before.signed && !after.signed,
  automatic: (before, after) => !before.automatic && after.automatic,
  'no-longer-automatic': (before, after) => before.automatic && !after.automatic && !after.refused,
  expires: (before, after) => !before.expires && after.expires,
  'no-longer-expires': (before, after) => before.expires && !after.expires && !after.refused,
};

/** By people under both: what the policy approves itself is told as that. */
const bothLive = (before: Treatment, after: Treatment): boolean =>
  ![before, after].some(({ refused, automatic }) => refused || automatic);

const changesBetween = (before: Treatment, after: Treatment): readonly TreatmentChange[] =>
  treatmentChanges.filter((change) => isChange[change](before, after));
