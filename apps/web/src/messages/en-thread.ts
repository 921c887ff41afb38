import type { ShownState } from '@holdfast/operation';

/** One word for each state; it always stands beside its icon and its sentence. */
export const stateWords: Record<ShownState, string> = {
  draft: 'Draft',
  queued: 'On this device',
  sent: 'Sent',
  proposed: 'Waiting for approval',
  approved: 'Approved',
  submitting: 'Submitting',
  pending: 'Processing',
  confirmed: 'Refunded',
  outcome_unknown: 'Being checked',
  failed: 'Failed',
  reversed: 'Did not last',
  denied: 'Denied',
  cancelled: 'Cancelled',
  expired: 'Expired',
};

/** The thread's stations, as labels and as the one sentence a screen reader hears. */
export const thread = {
  device: 'This device',
  proposer: 'Proposed',
  holdfast: 'Holdfast',
  approver: 'Approver',
  by: (name: string) => name,
  deviceClock: "by this device's clock",
  otherDeviceClock: "by the sender's clock",
  onlyHere: 'only here',
  notYet: 'not yet',
  waiting: 'waiting for a person',
  onItsWay: 'on its way, not heard yet',
  decisionHere: 'decision saved here',
  asking: 'request under way',
  accepted: 'accepted, not finished',
  notKnown: 'not yet known',
  notOnRecord: 'not on record here',
  lastAsked: (time: string) => `last asked ${time}`,
  notAsked: 'not asked yet',
  stopped: 'did not happen',
  ended: 'ended here',
  turned: 'did not last',
  done: 'done',
  needsPerson: 'A person is needed.',
};
