import type { OperationEventType } from './event.ts';
import type { Settlement } from './settlement.ts';
import type { OperationEvent } from './transition.ts';

/** The event that a settlement is to its operation; `undefined` where the evidence says nothing yet. */
export const settlementEventType = (settlement: Settlement): OperationEventType | undefined => {
  switch (settlement.kind) {
    case 'no-evidence':
      return undefined;
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

/** The same as a whole event for `next`. `at`: ISO 8601 UTC. */
export const settlementEvent = (
  settlement: Settlement,
  at: string,
  visible = false,
): OperationEvent | undefined => {
  const type = settlementEventType(settlement);
  return type && { type, at, raises: settlement.attention, visible };
};
