import {
  clearAttention,
  ignored,
  moveTo,
  refused,
  stay,
  when,
  type TransitionRow,
} from './transition-cell.ts';

// Rows of the states that end an operation before anything was submitted.

const nothingToSettle = when(
  'somebody-is-needed',
  clearAttention('Nobody is needed.'),
  refused('stale', 'Nothing of it was submitted, so there is no outcome to settle.'),
);
const ended = 'It ended before anything was submitted.';
const endedTooLate = refused('too-late', ended);
const neverSubmitted = 'Nothing of it was submitted, so this says nothing about it.';

/** What the three ends have in common; each row below says what differs. */
const endedRow: TransitionRow = {
  'approve-partly': endedTooLate,
  approve: endedTooLate,
  withdraw: endedTooLate,
  deny: endedTooLate,
  cancel: endedTooLate,
  'resolve-confirmed': nothingToSettle,
  'resolve-failed': nothingToSettle,
  expire: ignored(ended),
  claim: ignored(ended),
  resubmit: refused('stale', 'It was never submitted; nothing may be sent.'),
  'send-back': ignored(ended),
  'lose-sight': ignored('No claim on it is open.'),
  'need-person': ignored(
    "It ended before anything was submitted; only the provider's own record can raise it again.",
  ),
  'attention-settled': stay('None of these reasons stands.'),
  'evidence-unsent': ignored(neverSubmitted),
  // A record that names it and differs from it was made all the same: a person is told.
  'evidence-unknown': stay(neverSubmitted),
  'evidence-pending': moveTo('pending', 'contradicted'),
  'evidence-confirmed': moveTo('confirmed', 'contradicted'),
  'evidence-failed': ignored('It ended here, and nothing happened at the provider either.'),
  'evidence-reversed': stay('The contradiction stands already.', 'contradicted'),
};

const denied = refused('already-decided', 'It was denied.');

export const deniedRow: TransitionRow = {
  ...endedRow,
  'approve-partly': denied,
  approve: denied,
  deny: ignored('It is denied already.'),
};

export const cancelledRow: TransitionRow = {
  ...endedRow,
  cancel: ignored('It is cancelled already.'),
};

export const expiredRow: TransitionRow = { ...endedRow };
