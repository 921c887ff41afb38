/** States that only a device knows: the server has not acknowledged the operation yet. */
export const deviceStates = ['draft', 'queued', 'sent'] as const;
export type DeviceState = (typeof deviceStates)[number];

export const operationStates = [
  'proposed',
  'approved',
  'submitting',
  'pending',
  'confirmed',
  'outcome_unknown',
  'failed',
  'reversed',
  'denied',
  'cancelled',
  'expired',
] as const;
export type OperationState = (typeof operationStates)[number];

export type ShownState = DeviceState | OperationState;

/** States in which the operation is not finished: each has a wake-up time or stands before a person. */
export const unfinishedStates = ['proposed', 'approved', 'submitting', 'pending', 'outcome_unknown'] as const;
export type UnfinishedState = (typeof unfinishedStates)[number];

export const isUnfinished = (state: OperationState): state is UnfinishedState =>
  (unfinishedStates as readonly string[]).includes(state);

/** Ended before anything was submitted. */
export const endedBeforeSubmission = ['denied', 'cancelled', 'expired'] as const;

/**
 * What an operation holds of its payment's money: nothing, a reservation, or a booked refund.
 * The payment's figures change by the difference between what the old and the new state hold, so a release or
 * a booking can happen only once, whatever the order of events.
 */
export const moneyHeld: Record<OperationState, 'nothing' | 'reserved' | 'refunded'> = {
  proposed: 'nothing',
  approved: 'reserved',
  submitting: 'reserved',
  pending: 'reserved',
  outcome_unknown: 'reserved',
  confirmed: 'refunded',
  failed: 'nothing',
  reversed: 'nothing',
  denied: 'nothing',
  cancelled: 'nothing',
  expired: 'nothing',
};
