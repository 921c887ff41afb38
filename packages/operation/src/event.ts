/** Everything that can happen to an operation. The transition table answers each of these in each state. */
export const operationEventTypes = [
  // by people
  'approve-partly', // a valid approval, more are needed
  'approve', // the completing approval
  'withdraw',
  'deny',
  'cancel',
  'resolve-confirmed',
  'resolve-failed',
  // by workers and the clock
  'expire',
  'claim',
  'resubmit',
  'send-back', // the last check refused it: approvals void, reservation freed
  'lose-sight', // the claim's lease ended, or its request's end is not known
  'need-person',
  'attention-settled',
  // by evidence (a `Settlement`)
  'evidence-unsent',
  'evidence-unknown',
  'evidence-pending',
  'evidence-confirmed',
  'evidence-failed',
  'evidence-reversed',
] as const;
export type OperationEventType = (typeof operationEventTypes)[number];
