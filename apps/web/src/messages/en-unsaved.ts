import type { KeptReason, NotSaved } from '@holdfast/outbox';

/** A form that this device cannot store: what is so, and sending it without a copy. */
export const unsaved = {
  title: 'Not saved',
  reasons: {
    'storage-failed': 'This device cannot store anything right now. Your entries are only on this screen.',
    'newer-elsewhere':
      'Another tab runs a newer version of Holdfast, so this one does not write. Your entries are only on this screen.',
    'no-safe-id': 'This browser cannot make a safe ID. Use another browser for this refund.',
  } as Partial<Record<NotSaved['reason'], string>>,
  hint: 'You can send it now. Keep this screen open until you see that Holdfast has it.',
  send: 'Send now, without a copy on this device',
  sending: 'Sending…',
  askAgain: 'Ask about it again',
  received: 'Holdfast has it.',
  look: 'Look at it',
  refused: 'Holdfast did not accept it',
  mayHaveBeenSent: 'It may have been sent. Keep this screen open; asking again is about the same refund.',
  notTaken: 'It was not sent.',
  earlierStands:
    'An earlier text of this refund was sent and can no longer be cancelled. The changed one was not sent. Look at the earlier one.',
};

/** Why no answer was heard, where nothing is kept that would be sent later. */
export const unsavedNotHeard: Record<KeptReason, string> = {
  unreachable: 'There is no connection to Holdfast.',
  'timed-out': 'Holdfast did not answer in time.',
  interrupted: 'Sending was interrupted.',
  'network-sign-in':
    'This network wants you to sign in to it first. Open any web page in another tab to do that.',
  'foreign-answer': 'Something between here and Holdfast answered.',
  'sign-in': 'Sign in to Holdfast in another tab, then press again.',
  'wrong-subject': 'Someone else is signed in.',
  'not-allowed': 'Your role does not allow this now.',
  'slow-down': 'Holdfast asked us to slow down. Wait a moment.',
  'server-trouble': 'Holdfast has trouble right now.',
  'too-large': 'It is too large for the network on the way.',
  'not-understood': 'This version of the app did not understand the answer.',
  'update-needed': 'This version of the app is too old to send it.',
  'not-known-there': 'Holdfast does not know this refund yet.',
};
