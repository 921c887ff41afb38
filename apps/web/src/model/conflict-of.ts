import type { DeviceItem } from '@holdfast/outbox';
import {
  problemSlug,
  type Amount,
  type CommandType,
  type Operation,
  type Order,
  type Problem,
  type ProblemSlug,
} from '@holdfast/operation';

export type Settlement = {
  readonly outcome: 'confirmed' | 'failed';
  readonly reference: string | null;
  readonly note: string;
};

/**
 * What was decided here meets something else at Holdfast. Everything in it is proved: by the server's answer to this
 * very item, or by what the server told since; an item without an answer is never called done.
 */
export type Conflict = {
  readonly title: 'refused' | 'nothing-stands' | 'ended-before' | 'changed';
  /** `unsent`: nothing left this device. `maybe-sent`: no answer was heard. `refused`: Holdfast said no. */
  readonly evidence: 'unsent' | 'maybe-sent' | 'refused';
  readonly decided: {
    readonly type: Exclude<CommandType, 'propose'>;
    readonly amount: Amount | null;
    /** What was refundable on the screen, where the decision was bound to that. */
    readonly refundable: Amount | null;
    /** By this device's clock. */
    readonly atMs: number;
    /** What was said of the outcome, so that it is not lost with its refusal. */
    readonly settlement: Settlement | null;
  };
  readonly now: {
    /** The operation's own sentence; it names who denied or cancelled. `null`: nothing was told of it here. */
    readonly sentence: string | null;
    /** Why Holdfast refused, in its words. */
    readonly because: string | null;
    readonly refundable: Amount | null;
    readonly disputed: boolean;
    readonly refundedElsewhere: Amount | null;
  };
  /** Whose act it was where the server names one, and when, by the server's clock. */
  readonly by: {
    readonly name: string | null;
    /** What that person did; `null` where nobody in person did it, or it is not said. */
    readonly did: 'approved' | 'denied' | 'cancelled' | null;
    readonly at: string;
  } | null;
  /** Other refunds that the refusal names as what stands in the way. */
  readonly beside: NonNullable<Problem['operations']>;
  readonly step: 'look-again' | 'take-back' | 'follow' | 'wait-for-answer' | 'nothing';
};

export type ConflictFacts = {
  readonly item: DeviceItem;
  readonly operation: Operation | null;
  readonly order: Order | null;
  /** Subject of the person who decided. */
  readonly me: string | null;
};

type State = Operation['state'];

const under: readonly State[] = ['submitting', 'pending', 'outcome_unknown'];
const endedUnsubmitted: readonly State[] = ['denied', 'cancelled', 'expired'];
const slugsOfFigures: readonly (ProblemSlug | undefined)[] = [
  'stale-approval',
  'exceeds-refundable',
  'not-eligible',
];

const sameAmount = (one: Amount | null, other: Amount | null): boolean =>
  one?.minor === other?.minor && one?.currency === other?.currency;

const hasApprovalOf = (operation: Operation | null, me: string | null): boolean =>
  operation?.approvals.some(({ by }) => by.id === me) ?? false;

const seenOf = ({ command }: DeviceItem) => (command.type === 'approve' ? (command.seen ?? null) : null);

/** What a stored command says of the outcome; `null` where it settles nothing. */
export const settlementOf = ({ command }: DeviceItem): Settlement | null =>
  command.type === 'resolve'
    ? { outcome: command.outcome, reference: command.providerReference ?? null, note: command.note }
    : null;

const problemOf = (item: DeviceItem): Problem | null =>
  item.ending?.how === 'verdict' ? (item.ending.problem ?? null) : null;

/** What the server's refusal says is refundable now; else what this device was last told. */
const refundableNow = ({ item, order }: ConflictFacts): Amount | null => {
  const problem = problemOf(item);
  return problem?.now?.refundable ?? problem?.refundable ?? order?.refundable ?? null;
};

const figuresChanged = ({ item, order }: ConflictFacts): boolean => {
  const seen = seenOf(item);
  if (seen === null || order === null) return false;
  return seen.orderVersion !== order.version || !sameAmount(seen.refundable, order.refundable);
};

/** Somebody else's approval, while what it is of went on to be submitted. */
const approvalBesides = ({ operation, me }: ConflictFacts): Conflict['by'] => {
  if (operation === null || endedUnsubmitted.includes(operation.state)) return null;
  const approval = operation.approvals.findLast(({ by }) => by.id !== me);
  return approval === undefined ? null : { name: approval.by.name, did: 'approved', at: approval.at };
};

/** Whose act made the difference: an approval is named; who ended it stands in the operation's sentence. */
const actOf = (facts: ConflictFacts): Conflict['by'] => {
  const { item, operation, order } = facts;
  const problem = problemOf(item);
  const slug = problem === null ? undefined : problemSlug(problem);
  const { decided } = problem ?? {};
  if (decided !== undefined) {
    const { state, at } = decided;
    const did = state === 'denied' || state === 'cancelled' ? state : null;
    if (did !== null) return { name: decided.by?.name ?? null, did, at };
    // What the provider did has no author here; the approval that let it happen has.
    return approvalBesides(facts) ?? { name: null, did, at };
  }
  const isOfFigures =
    operation?.state === 'proposed' && (slugsOfFigures.includes(slug) || figuresChanged(facts));
  if (isOfFigures) {
    const at = problem?.now?.at ?? order?.updatedAt;
    return at === undefined ? null : { name: null, did: null, at };
  }
  if (operation === null) return null;
  // Who approved it has nothing to do with how it is settled: only that it moved on does.
  if (item.type === 'resolve') {
    return problem === null || slug === 'stale' ? { name: null, did: null, at: operation.updatedAt } : null;
  }
  return approvalBesides(facts) ?? { name: null, did: null, at: operation.updatedAt };
};

const aboveZero = (amount: Amount | undefined): Amount | null =>
  amount !== undefined && amount.minor > 0 ? amount : null;

/** Who ended it and when stand in the card by themselves; said once is enough. */
const becauseOf = (item: DeviceItem): string | null => {
  const problem = problemOf(item);
  const state = item.type === 'withdraw' ? undefined : problem?.decided?.state;
  return state !== undefined && endedUnsubmitted.includes(state) ? null : (problem?.detail ?? null);
};

const conflict = (
  facts: ConflictFacts,
  rest: Pick<Conflict, 'title' | 'evidence' | 'step'>,
): Conflict | null => {
  const { item, operation } = facts;
  if (item.type === 'propose') return null;
  const seen = seenOf(item);
  return {
    ...rest,
    decided: {
      type: item.type,
      amount: operation?.amount ?? null,
      refundable: seen?.refundable ?? null,
      atMs: item.queuedAtMs,
      settlement: settlementOf(item),
    },
    now: {
      sentence: operation?.sentence ?? null,
      because: becauseOf(item),
      refundable: seen === null || operation?.state !== 'proposed' ? null : refundableNow(facts),
      disputed: problemOf(item)?.now?.disputed ?? false,
      refundedElsewhere: aboveZero(problemOf(item)?.now?.refundedElsewhere),
    },
    by: actOf(facts),
    beside: problemOf(item)?.operations ?? [],
  };
};

const stepAfterRefusal = ({ item, operation, me }: ConflictFacts): Conflict['step'] => {
  if (operation === null) return 'nothing';
  const { state } = operation;
  switch (item.type) {
    case 'approve':
    case 'deny':
      if (state === 'proposed') return 'look-again';
      break;
    case 'withdraw':
      if (state === 'approved' && hasApprovalOf(operation, me)) return 'look-again';
      break;
    case 'cancel':
      if (state === 'proposed' || state === 'approved') return 'look-again';
      break;
    case 'resolve':
      if (state === 'outcome_unknown' || operation.needsPerson) return 'look-again';
      break;
    case 'propose':
      break;
  }
  return under.includes(state) || state === 'approved' ? 'follow' : 'nothing';
};

const titleAfterRefusal = ({ item, operation, me }: ConflictFacts): Conflict['title'] => {
  if (operation === null) return 'refused';
  const nothingStands = operation.state === 'proposed' && !hasApprovalOf(operation, me);
  if (item.type === 'withdraw' && nothingStands) return 'nothing-stands';
  return item.type === 'cancel' && endedUnsubmitted.includes(operation.state) ? 'ended-before' : 'refused';
};

/** Whether what the server told since speaks against a decision that has no answer yet. */
const isOvertaken = (facts: ConflictFacts): boolean => {
  const { item, operation, me } = facts;
  if (operation === null) return false;
  const { state } = operation;
  switch (item.command.type) {
    case 'approve':
      // With this person's approval there, its answer is only not heard yet.
      if (hasApprovalOf(operation, me)) return false;
      return (
        state !== 'proposed' || item.command.fingerprint !== operation.fingerprint || figuresChanged(facts)
      );
    case 'deny':
      // What is approved and not submitted is stopped by it all the same.
      return state !== 'proposed' && state !== 'approved' && !(item.mayHaveBeenSent && state === 'denied');
    case 'withdraw':
      return (
        state !== 'approved' &&
        !(state === 'proposed' && (item.mayHaveBeenSent || hasApprovalOf(operation, me)))
      );
    case 'cancel':
      return state !== 'proposed' && state !== 'approved' && !(item.mayHaveBeenSent && state === 'cancelled');
    case 'resolve':
      return operation.version !== item.command.version && !item.mayHaveBeenSent;
    case 'propose':
      return false;
  }
};

/** `null`: nothing speaks against what was decided here. Pure. */
export const conflictOf = (facts: ConflictFacts): Conflict | null => {
  const { item } = facts;
  const { ending } = item;
  if (item.type === 'propose') return null;
  if (ending?.how === 'verdict') {
    if (ending.status !== 'rejected' || item.standing !== 'needs-you') return null;
    return conflict(facts, {
      title: titleAfterRefusal(facts),
      evidence: 'refused',
      step: stepAfterRefusal(facts),
    });
  }
  // While its request is under way its own answer is about to come.
  if (ending !== null || item.sending || !isOvertaken(facts)) return null;
  const evidence = item.mayHaveBeenSent ? 'maybe-sent' : 'unsent';
  // Only an approval has something that takes it back once it may have been sent.
  const step = evidence === 'unsent' || item.type === 'approve' ? 'take-back' : 'wait-for-answer';
  return conflict(facts, { title: 'changed', evidence, step });
};
