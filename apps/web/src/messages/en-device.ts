import type { KeptReason, NotSaved, NotSentReason, RecordLine } from '@holdfast/outbox';
import type { CommandType } from '@holdfast/operation';

const commandWords: Record<CommandType, string> = {
  propose: 'Refund proposal',
  approve: 'Approval',
  withdraw: 'Taking back an approval',
  deny: 'Denial',
  cancel: 'Cancellation',
  resolve: 'Settlement',
};

/** Why an item is still here, as a whole sentence. */
const notSentSentences: Record<NotSentReason, string> = {
  'not-tried-yet': 'It is sent next.',
  unreachable: 'There is no connection to Holdfast. It is sent when there is one.',
  'timed-out': 'Holdfast did not answer in time. It is sent again by itself, as the same refund.',
  interrupted: 'The app closed while sending. It is sent again by itself, as the same refund.',
  'network-sign-in': 'This network wants you to sign in to it first. Open any web page to do that.',
  'foreign-answer': 'Something between here and Holdfast answered. It is sent when Holdfast itself answers.',
  'sign-in': 'It will be sent when you sign in.',
  'wrong-subject': 'Someone else is signed in. It goes out only when its owner signs in.',
  'other-subject': 'It belongs to someone who is not signed in. It goes out only when they sign in.',
  'not-allowed':
    'Your role does not allow this now. It stays here. Ask an admin; once you may, press “Send now” or open the app again.',
  'slow-down': 'Holdfast asked us to slow down. It is sent in a moment.',
  'server-trouble': 'Holdfast has trouble right now. It is sent when Holdfast is well again.',
  'too-large': 'It is too large for the network on the way. It stays here.',
  'not-understood':
    'This version of the app did not understand the answer. It stays here and is asked about again.',
  'update-needed': 'This version of the app is too old to send it. Load the new version; nothing is lost.',
  'not-known-there':
    'Holdfast does not know this refund yet: whoever proposed it may not have been connected.',
  'behind-another': 'It waits for an earlier step of the same refund.',
  'earlier-not-cancelled':
    'What it replaces could not be cancelled, so it was not sent. Look at the earlier one.',
  unreadable: 'This version cannot read it. It is kept as it is.',
};

const attemptWords: Record<KeptReason | 'verdict', string> = {
  verdict: 'answered',
  unreachable: 'no connection',
  'timed-out': 'no answer in time',
  interrupted: 'interrupted',
  'network-sign-in': 'the network wanted a sign-in',
  'foreign-answer': 'answered by something else',
  'sign-in': 'sign-in needed',
  'wrong-subject': 'someone else is signed in',
  'not-allowed': 'not allowed',
  'slow-down': 'asked to slow down',
  'server-trouble': 'trouble at Holdfast',
  'too-large': 'too large',
  'not-understood': 'answer not understood',
  'update-needed': 'new version needed',
  'not-known-there': 'not known there yet',
};

/** How Holdfast answered an item, by the result it gave. */
const verdictWords: Record<string, string | undefined> = {
  applied: 'accepted',
  replayed: 'accepted before, nothing done twice',
  rejected: 'not accepted',
};

const recordWords: Record<RecordLine['event'], string> = {
  queued: 'Saved on this device',
  'attempt-started': 'Sending began',
  'attempt-ended': 'Sending ended',
  verdict: 'Holdfast answered',
  dropped: 'Dropped here',
  reopened: 'Taken up again',
  dismissed: 'Marked as read',
};

const notSavedSentences: Record<NotSaved['reason'], string> = {
  'storage-failed': 'Not saved. This device could not store it. Your entries are still in the form.',
  'newer-elsewhere':
    'Not saved. What is stored here is of a newer version of the app. Copy what you typed, then reload this tab.',
  'no-safe-id':
    'Not saved. This browser cannot make a safe number for a refund. Open Holdfast in a current browser, over https.',
  'signed-out': 'Not saved. Nobody is signed in. Your entries are still in the form.',
  invalid: 'Not saved. Look at the marked fields.',
  'draft-closed': 'This form was closed in another tab. Nothing was saved from here.',
  'queued-otherwise':
    'This refund was already saved from another tab, with other contents. Look at that one.',
  'nothing-there': 'There is nothing left to do: Holdfast has already answered.',
  replaced: 'It cannot come back: another refund of this order took its place. Look at that one.',
};

/** What this device holds: the status pill, the device's record, and how sure we are of each. */
export const device = {
  title: 'This device',
  lead: 'What is stored here, what was sent, and what Holdfast answered.',
  pill: {
    label: 'What is on this device',
    allReceived: 'All received',
    waiting: (count: number, oldest: string) => `${count} on this device, oldest ${oldest}`,
    needsYou: (count: number) => `Needs you: ${count}`,
    unknown: (count: number) => `Unknown: ${count}`,
    noConnection: 'No connection',
    networkSignIn: 'Network wants a sign-in',
    lastHeard: (clock: string) => `Last heard ${clock}`,
    neverHeard: 'Not heard from Holdfast yet',
    opening: 'Opening',
  },
  connection: {
    networkSignInTitle: 'This network wants you to sign in to it first',
    networkSignIn:
      'It answers in place of Holdfast, as hotels and trains do. Open its page and sign in there. What you save ' +
      'stays on this device meanwhile and goes out by itself.',
    networkSignInOpen: 'Open the network’s page',
    foreignAnswerTitle: 'Something else answers in place of Holdfast',
    foreignAnswer:
      'A proxy or filter of this network is in between. What you save stays on this device and goes out when ' +
      'Holdfast itself answers. If it lasts, use another network or tell whoever runs this one.',
    serverTroubleTitle: 'Holdfast has trouble right now',
    serverTrouble: 'What you save stays on this device and goes out when Holdfast is well again.',
  },
  command: commandWords,
  notSent: notSentSentences,
  notSaved: notSavedSentences,
  safety: {
    saved: 'Saved on this device. You can close this app.',
    'maybe-sent': 'It may have been sent. Waiting to hear.',
    sent: 'Sent. Waiting to hear that it arrived.',
    received: 'Received by Holdfast.',
  },
  sending: 'Sending now…',
  nextTryLabel: 'Next try',
  sendNow: 'Send now',
  needsYouTitle: 'Needs you',
  waitingTitle: 'Not yet received',
  waitingEmpty: 'Everything you saved here has been received by Holdfast.',
  draftsTitle: 'Drafts',
  draft: 'Not sent. Only on this device.',
  discardDraft: 'Discard draft',
  recordTitle: 'Record',
  recordEmpty: 'Nothing was saved on this device yet. Each refund you save leaves its trace here.',
  recordWords,
  verdictWords,
  attemptWords,
  export: 'Save record as a file',
  storage: {
    persisted: 'This browser has promised to keep what is stored here.',
    notPersisted: 'This browser may clear what is stored here when space runs out. Send before you leave it.',
    failed: 'This device cannot store anything right now. What you enter would be lost on closing.',
    blocked: 'Another tab with an older version holds the storage. Close the other tabs of Holdfast.',
    updatedElsewhere: 'Another tab runs a newer version. Reload this one; what is saved stays.',
  },
  lastHeardLabel: 'Last heard from Holdfast',
  neverHeard: 'Not heard from Holdfast since this page was opened.',
  othersHold: (count: number) =>
    count === 1
      ? 'One item here belongs to someone else. It goes out only when they sign in.'
      : `${count} items here belong to other people. They go out only when those sign in.`,
  unreadable: (count: number) =>
    count === 1
      ? 'One stored item cannot be read by this version. It is kept.'
      : `${count} stored items cannot be read by this version. They are kept.`,
  signInToSend: (count: number) =>
    count === 1 ? 'Sign in to send what is saved here.' : `Sign in to send the ${count} items saved here.`,
  signInAgain: 'Your session has ended. Sign in again to go on.',
  onDeviceOnly: (name: string) =>
    `No connection to Holdfast. You see what was on this device for ${name}; it may be older.`,
  refused: {
    asked: (what: string) => `${what} was not accepted`,
    revise: 'Change it',
    goOn: 'This is a different refund',
    dismiss: 'I have read this',
    look: 'Look at the refund',
  },
};
