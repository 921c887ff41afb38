import type { CommandType } from '@holdfast/operation';

type Decision = Exclude<CommandType, 'propose'>;

const refusedTitles: Record<Decision, string> = {
  approve: 'Your approval was not accepted',
  withdraw: 'The approval was not taken back',
  deny: 'Your denial was not accepted',
  cancel: 'It was not cancelled',
  resolve: 'Your settlement was not accepted',
};

const decidedWords: Record<Decision, (amount: string) => string> = {
  approve: (amount) => `Approve ${amount}`,
  withdraw: (amount) => `Take back the approval of ${amount}`,
  deny: (amount) => `Deny ${amount}`,
  cancel: (amount) => `Cancel the refund of ${amount}`,
  resolve: (amount) => `Settle the refund of ${amount}`,
};

/** What was decided on this device meets something else at Holdfast. */
export const conflict = {
  refusedTitles,
  nothingStands: 'No approval of yours stands here',
  endedBefore: 'It had already ended',
  changed: 'This has changed since you decided',
  decidedLabel: 'You decided',
  decided: decidedWords,
  refund: 'this refund',
  refundableThen: (amount: string) => `${amount} was refundable on your screen.`,
  evidence: {
    unsent: 'It was not sent.',
    'maybe-sent': 'It may have been sent. No answer was heard yet.',
    refused: 'Holdfast answered: not accepted.',
  },
  nowLabel: 'Now',
  besideLabel: 'On this payment',
  beside: (name: string) => `by ${name},`,
  disputed: 'The payment is disputed.',
  elsewhere: (amount: string) => `${amount} of it was refunded elsewhere.`,
  refundableNow: (amount: string) => `${amount} is refundable.`,
  notTold: 'This device was told nothing about it yet.',
  byLabel: 'Changed',
  acts: {
    approved: (name: string) => `Approved by ${name},`,
    denied: (name: string) => `Denied by ${name},`,
    cancelled: (name: string) => `Cancelled by ${name},`,
  },
  nextLabel: 'Next',
  steps: {
    'look-again': 'Look at it as it is now, and decide.',
    'take-back': 'It does not fit any more, and Holdfast would refuse or no longer need it. Take it back.',
    follow: 'It goes on. What comes of it is shown with the refund.',
    'wait-for-answer': 'It cannot be taken back. What Holdfast answers is shown here.',
    nothing: 'There is nothing left to do.',
  },
  settlement: {
    confirmed: 'You said: it was refunded.',
    failed: 'You said: it did not happen.',
    reference: (reference: string) => `Reference: ${reference}`,
    note: (note: string) => `Note: ${note}`,
  },
  settleStep: 'Take it up again: what you typed is filled in, and you can put it right.',
  settleAgain: 'Take it up again',
  lookAgain: 'Look again',
  takeBack: 'Take it back',
  read: 'I have read this',
};

/** Dropping what still waits on this device, and taking that back. */
export const drops = {
  stays: (what: string) => `${what} is still on this device`,
  drop: 'Drop it',
  dropHints: {
    propose: 'If anything of it may have been sent, its cancellation is sent first.',
    approve: 'If anything of it may have been sent, the approval is taken back at Holdfast.',
    other: 'If it was sent before, it cannot be taken back. It is only not sent again from here.',
  },
  dropped: {
    dropped: 'Dropped. Nothing of it was sent.',
    cancelling: 'Its cancellation is sent. It ends here when Holdfast has accepted that.',
    withdrawing: 'Not sent again from here. The approval is taken back at Holdfast.',
    'given-up': 'Not sent again from here. If it had arrived, it counts.',
  },
  undone: 'It is back, and is sent as before.',
  undo: 'Undo',
  cancelledHere: 'Cancelled on this device. Nothing of it was sent.',
  withdrawnHere: 'The approval was taken back before it was sent.',
  droppedHere: (what: string) => `${what} was dropped before it was sent.`,
};

/** Another refund of the same payment with the same amount. */
export const sameAmount = {
  one: (amount: string, ago: string, name: string) =>
    `Same amount as another refund on this payment: ${amount}, proposed ${ago} by ${name}.`,
  onDevice: (amount: string) =>
    `Same amount as another refund on this payment: ${amount}, saved on this device.`,
  flag: (ago: string) => `Same amount, ${ago}`,
};
