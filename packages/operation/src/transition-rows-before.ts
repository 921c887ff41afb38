import { ignored, moveTo, recordOnly, refused, stay, when, type TransitionRow } from './transition-cell.ts';

// Rows of the states in which nothing has been submitted yet.

const mayHaveBeenSent = refused(
  'too-late',
  'A request of it may have been sent, so it can no longer be taken back.',
);
const unlessSent = (to: 'proposed' | 'denied' | 'cancelled' | 'expired') =>
  when('nothing-may-have-been-sent', moveTo(to), mayHaveBeenSent);
const nothingToResolve = refused(
  'stale',
  'Nothing of it has been submitted, so there is no outcome to settle.',
);
const neverSubmitted = 'Nothing of it has been submitted, so this says nothing about it.';

export const proposedRow: TransitionRow = {
  'approve-partly': recordOnly,
  approve: moveTo('approved'),
  withdraw: recordOnly,
  deny: unlessSent('denied'),
  cancel: unlessSent('cancelled'),
  'resolve-confirmed': nothingToResolve,
  'resolve-failed': nothingToResolve,
  expire: unlessSent('expired'),
  claim: refused('stale', 'It is not approved; nothing may be sent.'),
  resubmit: refused('stale', 'It was never submitted and is not approved; nothing may be sent.'),
  'send-back': ignored('It is back for approval already.'),
  'lose-sight': ignored('No claim on it is open.'),
  'need-person': stay('The reason stands already.'),
  'attention-settled': stay('None of these reasons stands.'),
  'evidence-unsent': ignored(neverSubmitted),
  // A record that names it and differs from it settles nothing and yet stands at the provider.
  'evidence-unknown': stay(neverSubmitted),
  'evidence-pending': moveTo('pending', 'contradicted'),
  'evidence-confirmed': moveTo('confirmed', 'contradicted'),
  'evidence-failed': stay('The contradiction stands already.', 'contradicted'),
  'evidence-reversed': stay('The contradiction stands already.', 'contradicted'),
};

export const approvedRow: TransitionRow = {
  'approve-partly': recordOnly,
  approve: recordOnly,
  withdraw: unlessSent('proposed'),
  deny: unlessSent('denied'),
  cancel: unlessSent('cancelled'),
  'resolve-confirmed': nothingToResolve,
  'resolve-failed': nothingToResolve,
  expire: unlessSent('expired'),
  claim: when(
    'nothing-may-have-been-sent',
    when(
      'nothing-blocks-sending',
      moveTo('submitting'),
      refused('stale', 'It stands before a person for a reason that stops sending.'),
    ),
    refused('stale', 'A request of it may have been sent: it may be asked about, never claimed afresh.'),
  ),
  resubmit: refused('stale', 'Nothing of it is at the provider; it is claimed, not resubmitted.'),
  'send-back': unlessSent('proposed'),
  'lose-sight': ignored('No claim on it is open.'),
  'need-person': stay('The reason stands already.'),
  'attention-settled': stay('None of these reasons stands.'),
  'evidence-unsent': ignored('It is already known that nothing was sent.'),
  // As before approval; and what such a record raises stops the claim until a person has looked.
  'evidence-unknown': stay('No attempt of it is ambiguous; the next check before sending decides.'),
  'evidence-pending': moveTo('pending', 'contradicted'),
  'evidence-confirmed': moveTo('confirmed', 'contradicted'),
  'evidence-failed': stay('The contradiction stands already.', 'contradicted'),
  'evidence-reversed': stay('The contradiction stands already.', 'contradicted'),
};
