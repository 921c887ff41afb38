import {
  clearAttention,
  ignored,
  moveTo,
  recordOnly,
  refused,
  stay,
  when,
  type TransitionRow,
} from './transition-cell.ts';

// Rows of the states in which a request is, or may be, at the provider.

const claimed = refused('too-late', 'It is being submitted; it can no longer be taken back.');
const maybeSent = refused('too-late', 'It may have been submitted; it can no longer be taken back.');
const accepted = refused('too-late', 'The provider has accepted it; it can no longer be taken back.');
const underWay = refused('stale', 'A request of it is under way; its outcome cannot be settled by hand now.');
const notYetTooLong = refused(
  'stale',
  'The provider is processing it within its usual time; there is nothing to settle by hand.',
);
const neverAfresh = refused(
  'stale',
  'It may have been submitted: it may be asked about or resubmitted, never claimed afresh.',
);
const alreadyRaised = 'The reason stands already.';
const nothingToClear = 'None of these reasons stands.';

export const submittingRow: TransitionRow = {
  'approve-partly': recordOnly,
  approve: recordOnly,
  withdraw: claimed,
  deny: claimed,
  cancel: claimed,
  'resolve-confirmed': underWay,
  'resolve-failed': underWay,
  expire: ignored('It was claimed in time.'),
  claim: ignored('Another worker has claimed it.'),
  resubmit: ignored('Another worker is submitting it.'),
  'send-back': ignored(
    'It was claimed before the check that refused it ended; that claim made its own check.',
  ),
  'lose-sight': moveTo('outcome_unknown'),
  'need-person': stay(alreadyRaised),
  'attention-settled': stay(nothingToClear),
  'evidence-unsent': when('nothing-may-have-been-sent', moveTo('approved'), moveTo('outcome_unknown')),
  'evidence-unknown': moveTo('outcome_unknown'),
  'evidence-pending': moveTo('pending'),
  'evidence-confirmed': moveTo('confirmed'),
  'evidence-failed': moveTo('failed'),
  'evidence-reversed': moveTo('reversed'),
};

export const outcomeUnknownRow: TransitionRow = {
  'approve-partly': recordOnly,
  approve: recordOnly,
  withdraw: maybeSent,
  deny: maybeSent,
  cancel: maybeSent,
  'resolve-confirmed': moveTo('confirmed'),
  'resolve-failed': moveTo('failed'),
  expire: ignored('It may have been submitted; only evidence or people settle it.'),
  claim: neverAfresh,
  resubmit: when(
    'nobody-is-needed',
    moveTo('submitting'),
    refused('stale', 'It stands before a person; it is only looked up, not submitted.'),
  ),
  'send-back': refused('stale', 'It may have been submitted; it cannot go back for approval.'),
  'lose-sight': ignored('Sight of it is lost already.'),
  'need-person': stay(alreadyRaised),
  'attention-settled': stay(nothingToClear),
  'evidence-unsent': ignored(
    'It stays under check: the same key is resubmitted, which settles it either way.',
  ),
  'evidence-unknown': stay('Still unknown; nothing new.'),
  'evidence-pending': moveTo('pending'),
  'evidence-confirmed': moveTo('confirmed'),
  'evidence-failed': moveTo('failed'),
  'evidence-reversed': moveTo('reversed'),
};

export const pendingRow: TransitionRow = {
  'approve-partly': recordOnly,
  approve: recordOnly,
  withdraw: accepted,
  deny: accepted,
  cancel: accepted,
  'resolve-confirmed': when('pending-for-too-long', moveTo('confirmed'), notYetTooLong),
  'resolve-failed': when('pending-for-too-long', moveTo('failed'), notYetTooLong),
  expire: ignored('The provider has accepted it.'),
  claim: neverAfresh,
  resubmit: ignored('The provider has answered meanwhile: it has accepted it.'),
  'send-back': refused('stale', 'The provider has accepted it; it cannot go back for approval.'),
  'lose-sight': ignored('The provider has answered meanwhile: it has accepted it.'),
  'need-person': stay(alreadyRaised),
  'attention-settled': stay(nothingToClear),
  'evidence-unsent': ignored('The provider has accepted it; an attempt that was not sent changes nothing.'),
  'evidence-unknown': moveTo('outcome_unknown'),
  'evidence-pending': stay('Still pending; nothing new.'),
  'evidence-confirmed': moveTo('confirmed'),
  'evidence-failed': moveTo('failed'),
  'evidence-reversed': moveTo('reversed'),
};

const refunded = refused('too-late', 'It has been carried out.');

export const confirmedRow: TransitionRow = {
  'approve-partly': refunded,
  approve: refunded,
  withdraw: refunded,
  deny: refunded,
  cancel: refunded,
  'resolve-confirmed': clearAttention('It is confirmed and nobody is needed.'),
  'resolve-failed': clearAttention('It is confirmed and nobody is needed.'),
  expire: ignored('It has been carried out.'),
  claim: refused('stale', 'It has been carried out; sending it again would be a second refund.'),
  resubmit: ignored('It was confirmed meanwhile.'),
  'send-back': refused('stale', 'It has been carried out; it cannot go back for approval.'),
  'lose-sight': ignored('It was confirmed meanwhile.'),
  'need-person': stay(alreadyRaised),
  'attention-settled': stay(nothingToClear),
  'evidence-unsent': ignored('It is confirmed; an attempt that was not sent changes nothing.'),
  'evidence-unknown': stay('It is confirmed; an attempt whose end is unknown changes nothing.'),
  'evidence-pending': stay('It is confirmed; "pending" is older news.'),
  'evidence-confirmed': stay('It is confirmed already.'),
  'evidence-failed': stay('The contradiction stands already.', 'contradicted'),
  'evidence-reversed': moveTo('reversed'),
};

const didNotHappen = refused(
  'too-late',
  'It was submitted and did not happen; a new refund is a new operation.',
);

export const failedRow: TransitionRow = {
  'approve-partly': didNotHappen,
  approve: didNotHappen,
  withdraw: didNotHappen,
  deny: didNotHappen,
  cancel: didNotHappen,
  'resolve-confirmed': clearAttention('It has failed and nobody is needed.'),
  'resolve-failed': clearAttention('It has failed and nobody is needed.'),
  expire: ignored('It has failed already.'),
  claim: refused('stale', 'It has ended; trying again is a new operation.'),
  resubmit: ignored('It was found to have failed meanwhile.'),
  'send-back': refused('stale', 'It has ended; it cannot go back for approval.'),
  'lose-sight': ignored('It was found to have failed meanwhile.'),
  'need-person': stay(alreadyRaised),
  'attention-settled': stay(nothingToClear),
  'evidence-unsent': ignored('It has failed; an attempt that was not sent changes nothing.'),
  'evidence-unknown': stay('It has failed on definite evidence; an unknown end changes nothing.'),
  'evidence-pending': stay('The contradiction stands already.', 'contradicted'),
  'evidence-confirmed': moveTo('confirmed', 'contradicted'),
  'evidence-failed': stay('It has failed already.'),
  'evidence-reversed': moveTo('reversed'),
};

const didNotLast = refused(
  'too-late',
  'It was carried out and did not last; a new refund is a new operation.',
);

export const reversedRow: TransitionRow = {
  'approve-partly': didNotLast,
  approve: didNotLast,
  withdraw: didNotLast,
  deny: didNotLast,
  cancel: didNotLast,
  'resolve-confirmed': clearAttention('It is reversed and nobody is needed.'),
  'resolve-failed': clearAttention('It is reversed and nobody is needed.'),
  expire: ignored('It has ended already.'),
  claim: refused('stale', 'It has ended; trying again is a new operation.'),
  resubmit: ignored('It was found to be reversed meanwhile.'),
  'send-back': refused('stale', 'It has ended; it cannot go back for approval.'),
  'lose-sight': ignored('It was found to be reversed meanwhile.'),
  'need-person': stay(alreadyRaised),
  'attention-settled': stay(nothingToClear),
  'evidence-unsent': ignored('It is reversed; an attempt that was not sent changes nothing.'),
  'evidence-unknown': stay('It is reversed; an attempt whose end is unknown changes nothing.'),
  'evidence-pending': stay('It is reversed; "pending" is older news.'),
  'evidence-confirmed': stay('Its success is known, and so is that it did not last.'),
  'evidence-failed': stay('It is known that it did not last.'),
  'evidence-reversed': stay('It is reversed already.'),
};
