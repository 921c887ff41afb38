import type { DeviceItem, RecordFilter, TakenUpItem } from '@holdfast/outbox';
import type { RecordFault, SetAsideReason, TakeUpJudgement } from '@holdfast/operation';

type DropReason = Extract<NonNullable<DeviceItem['ending']>, { how: 'dropped' }>['because'];

const droppedSentences: Record<string, string> = {
  'cancelled-unsent': 'Cancelled here before it was sent. Nothing was sent.',
  'withdrawn-unsent': 'Taken back here before it was sent. Nothing was sent.',
  'dropped-unsent': 'Dropped here before it was sent. Nothing was sent.',
  'given-up': 'Given up here. It may have been sent before that.',
  cancelled: 'Cancelled. Nothing more is sent.',
  superseded: 'Replaced by a later one.',
} satisfies Record<DropReason, string>;

const filterWords: Record<RecordFilter, string> = {
  all: 'All',
  open: 'Open',
  'needs-you': 'Needs you',
  done: 'Done',
};

const emptySentences: Record<RecordFilter, string> = {
  all: 'Nothing was saved on this device by you yet. Each refund and each decision you save leaves its trace here: when it was sent, what came back, and what Holdfast said.',
  open: 'Nothing of yours waits to be sent. Everything you saved here has had its answer.',
  'needs-you': 'Nothing needs you. What Holdfast does not accept would stand here, with the reason.',
  done: 'Nothing of yours has its answer yet.',
};

const faultSentences = {
  'not-json':
    'This file is not complete: it may have been cut off on the way. Save it again on the other device.',
  'not-a-record': "This file is not a device's record. Choose a file named holdfast-record-….json.",
} satisfies Partial<Record<RecordFault['fault'], string>>;

const judgementSentences: Record<TakeUpJudgement, string> = {
  'may-go': 'Holdfast does not know it. It can be sent from here.',
  decision: 'Holdfast does not know its refund. A decision is not taken up: decide again on what is so now.',
  'refused-before': 'Holdfast did not accept it, and the other device heard that.',
  'dropped-there': 'It was dropped on the other device.',
  'cancelled-there': 'It was cancelled on the other device.',
  'earlier-not-cancelled':
    'It replaces another refund whose cancellation was not heard. Look at that one first.',
  'older-wording': 'The record holds a later wording of it.',
};

const asideSentences: Record<SetAsideReason, string> = {
  'hash-differs': 'Cannot be read: its bytes are not those that the device wrote.',
  'not-a-command': 'Cannot be read: this version does not know such an item.',
  'other-than-labelled': 'Cannot be read: its bytes are another item than its labels say.',
  'bad-field': 'Cannot be read: a field is missing or wrong.',
};

const takenUpSentences: Record<TakenUpItem['how'], string> = {
  queued: 'Saved on this device. It is sent with its own reference.',
  'here-already': 'It is on this device already.',
  'different-here':
    'This device holds something else under that reference. That one stays, and nothing was changed.',
  'another-person': 'It belongs to someone else. Only they can take it up.',
  'not-a-proposal': 'It is not a refund proposal.',
};

/** The device's record: what stands for each item, what can be saved of it, and how another device's is taken up. */
export const record = {
  signed: (what: string) => `${what}, signed with a passkey`,
  title: 'Record',
  since: (day: string) => `Kept since ${day}. What has ended is kept for 90 days.`,
  clock: "Times here are by this device's clock.",
  others: (count: number) =>
    count === 1
      ? 'One more item on this device belongs to someone else. It is shown only to them.'
      : `${count} more items on this device belong to other people. They are shown only to them.`,
  searchLabel: 'Reference or order number',
  filterLabel: 'Show',
  filters: filterWords,
  empty: emptySentences,
  nothingFound: (text: string) =>
    `Nothing in your record begins with “${text}”. Look for a reference or an order number.`,
  more: 'Show more',
  shown: (shown: number, total: number) => `${shown} of ${total}`,
  order: (id: string) => `Order ${id}`,
  dropped: droppedSentences,
  accepted: (state: string, version: number | null) =>
    version === null ? `Holdfast has it: ${state}` : `Holdfast has it: ${state}, version ${version}`,
  refused: 'Holdfast did not accept it.',
  takenUpMark: "Taken up from another device's record.",
  sentBy: (version: string) => `Sent by version ${version}`,
  notSent: 'Not sent yet',
  attempts: (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`),
  history: 'What happened',
  httpStatus: (status: number) => `HTTP ${status}`,
  together: (count: number) => `together with ${count - 1} more`,
  version: (version: string) => `version ${version}`,
  copyItem: 'Copy as text',
  copied: 'Copied as text',
  reference: 'Reference',
  unreadableTitle: 'Set aside',
  unreadableLead: 'This version cannot read these rows. They are kept as they are, and go into the file.',
  unreadableRaw: 'What is stored',
  copyRaw: 'Copy',
  export: 'Save record as a file',
  exported: (name: string) => `Saved as ${name}`,
  tools: 'More',
  thisDevice: 'What this device knows',
  takeUp: {
    open: 'Take up a record',
    title: 'Take up a record',
    lead: 'For a device that is lost, broken or cannot connect: its saved record, read here. Nothing is sent before you say so.',
    choose: 'Choose the file',
    tooLarge:
      'This file is larger than 64 MB, so no device wrote it. Choose a file named holdfast-record-….json.',
    unreadable: 'This browser cannot read the file. Choose it again.',
    faults: faultSentences,
    otherVersion: (version: string) =>
      `The record is of version ${version}; this app reads version 1. Load the newest app, then choose it again.`,
    badField: (field: string) =>
      `“${field}” of the record is missing or not what it must be. Save it again on the other device.`,
    asking: 'Asking Holdfast about every item…',
    notReached:
      'Holdfast cannot be reached, so nobody can say what it already has. Take the record up when there is a connection.',
    from: (when: string) => `Saved ${when}`,
    none: 'There is nothing in this record.',
    columns: { item: 'Item', holdfast: 'Holdfast' },
    has: (state: string) => `Has it: ${state}`,
    someoneElse: 'It belongs to someone else. Only they can take it up.',
    judgement: judgementSentences,
    aside: asideSentences,
    field: (field: string) => `Field: ${field}`,
    taken: takenUpSentences,
    press: (count: number) =>
      count === 1 ? 'Send the one that is missing' : `Send the ${count} that are missing`,
    nothingToSend: 'Holdfast has everything that can be sent from here.',
    place: (index: number) => `Item ${index + 1} of the file`,
  },
};
