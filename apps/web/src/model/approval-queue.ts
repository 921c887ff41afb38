import type { SeenOperation } from '@holdfast/outbox';
import type { Operation } from '@holdfast/operation';

/** What a row of the queue is marked with, in this order. */
export const queueFlags = [
  'decided-here',
  'nobody-can-approve',
  'same-amount',
  'another-open',
  'assistant',
  'more-approvals',
  'signature',
  'one-approval-given',
  'own',
] as const;
export type QueueFlag = (typeof queueFlags)[number];

export type QueueRow = { readonly seen: SeenOperation; readonly flags: readonly QueueFlag[] };

export type ApprovalQueue = {
  /** Waits for a decision; who has waited longest comes first. */
  readonly waiting: readonly QueueRow[];
  /** Approved and not submitted: it can still be stopped. */
  readonly stoppable: readonly QueueRow[];
};

export type QueueFacts = {
  readonly open: readonly SeenOperation[];
  /** Subject of who looks. */
  readonly me: string | null;
  /** Whether a decision of this device about it waits unanswered. */
  readonly isDecidedHere: (seen: SeenOperation) => boolean;
};

const amountKey = ({ paymentReference, amount }: Operation): string =>
  `${paymentReference ?? ''} ${amount?.minor ?? ''} ${amount?.currency ?? ''}`;

/** How many open refunds there are of each payment, and of each amount on it: looked up, however long the queue is. */
const countsOf = (open: readonly SeenOperation[]) => {
  const ofPayment = new Map<string, number>();
  const ofAmount = new Map<string, number>();
  const add = (counts: Map<string, number>, key: string): void => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  for (const { synced } of open) {
    if (synced === null || synced.paymentReference === null) continue;
    add(ofPayment, synced.paymentReference);
    add(ofAmount, amountKey(synced));
  }
  return {
    besideAnother: ({ paymentReference }: Operation): boolean =>
      paymentReference !== null && (ofPayment.get(paymentReference) ?? 0) > 1,
    besideItsLike: (operation: Operation): boolean =>
      operation.paymentReference !== null && (ofAmount.get(amountKey(operation)) ?? 0) > 1,
  };
};

const flagsOf = (
  seen: SeenOperation,
  operation: Operation,
  counts: ReturnType<typeof countsOf>,
  { me, isDecidedHere }: QueueFacts,
): readonly QueueFlag[] => {
  const toldAlike = operation.competing?.some(({ alike }) => alike.includes('amount')) ?? false;
  const sameAmount = counts.besideItsLike(operation) || toldAlike;
  const holds: Record<QueueFlag, boolean> = {
    'decided-here': isDecidedHere(seen),
    'nobody-can-approve': operation.attention.some(({ reason }) => reason === 'nobody-can-approve'),
    'same-amount': sameAmount,
    // One that is told the stronger thing is not told the weaker one as well.
    'another-open':
      !sameAmount && (counts.besideAnother(operation) || (operation.competing?.length ?? 0) > 0),
    assistant: operation.proposedBy.assistant,
    'more-approvals': (operation.policy?.approvalsNeeded ?? 1) > 1,
    signature: operation.policy?.signatureRequired ?? false,
    'one-approval-given': operation.state === 'proposed' && operation.approvals.length > 0,
    own: operation.proposedBy.id === me,
  };
  return queueFlags.filter((flag) => holds[flag]);
};

export const approvalQueue = (facts: QueueFacts): ApprovalQueue => {
  const counts = countsOf(facts.open);
  const rows = (state: Operation['state']): readonly QueueRow[] =>
    facts.open
      .flatMap((seen) => (seen.synced?.state === state ? [{ seen, operation: seen.synced }] : []))
      .toSorted((one, other) => one.operation.createdAt.localeCompare(other.operation.createdAt))
      .map(({ seen, operation }) => ({ seen, flags: flagsOf(seen, operation, counts, facts) }));
  return { waiting: rows('proposed'), stoppable: rows('approved') };
};

/** How many of them wait for this person: not their own, and not those they have approved or decided already. */
export const waitingFor = (
  open: readonly SeenOperation[],
  { me, isDecidedHere }: Pick<QueueFacts, 'me' | 'isDecidedHere'>,
): number =>
  open.filter(
    (seen) =>
      seen.synced?.state === 'proposed' &&
      seen.synced.proposedBy.id !== me &&
      !seen.synced.approvals.some(({ by }) => by.id === me) &&
      !isDecidedHere(seen),
  ).length;
