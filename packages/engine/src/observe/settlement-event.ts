import type { AttemptFact, OperationEventType, OperationState, Settlement } from '@holdfast/operation';

/** Under which event a settlement is put to the state machine; `null` where there is nothing to say yet. */
export const eventOfSettlement = (settlement: Settlement): OperationEventType | null => {
  switch (settlement.kind) {
    case 'no-evidence':
      return null;
    case 'unsent':
      return 'evidence-unsent';
    case 'unknown':
      return 'evidence-unknown';
    case 'pending':
      return 'evidence-pending';
    case 'confirmed':
      return 'evidence-confirmed';
    case 'failed':
      return 'evidence-failed';
    case 'reversed':
      return 'evidence-reversed';
  }
};

/**
 * A request that is under way inside its lease is no unknown outcome: until its answer or its lease's end, only what
 * the provider itself shows may move the operation. Without this, a look-up or an older attempt's late answer that
 * arrives meanwhile would take the operation away from the worker that is sending it.
 */
export const isTooEarly = (
  settlement: Settlement,
  operation: { readonly state: OperationState; readonly leaseIsOpen: boolean },
  attempts: readonly AttemptFact[],
): boolean => {
  if (operation.state !== 'submitting' || !operation.leaseIsOpen) return false;
  const newest = attempts.reduce<AttemptFact | null>(
    (latest, attempt) => (latest === null || attempt.number > latest.number ? attempt : latest),
    null,
  );
  if (newest === null || newest.ended) return false;
  return settlement.kind === 'unknown' || settlement.kind === 'unsent' || settlement.kind === 'no-evidence';
};
