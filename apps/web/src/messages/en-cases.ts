import { operations } from './en-operations.ts';

const reasonsShort = {
  'outcome-unresolved': 'Not settled by the checks',
  'duplicate-action': 'Refunded more than once',
  'conflicting-evidence': 'Evidence does not fit together',
  'amount-differs': 'Another amount than approved',
  'pending-too-long': 'Processing for too long',
  contradicted: 'Contradicted afterwards',
  'nobody-can-approve': 'Nobody can approve it',
  'provider-refuses-us': 'Provider refuses our key',
  'second-word': 'Waits for a second operator',
  checking: 'Being checked',
  person: 'Whatever needs a person',
};

/** The queue of attention and the case screen. */
export const cases = {
  title: 'Uncertain',
  lead: 'Outcomes we lost sight of, and refunds that need a person.',
  queue: 'The queue of attention',
  empty: operations.uncertainEmpty,
  emptyFiltered: 'Nothing fits these filters. Clear them to see the whole queue.',
  reasons: reasonsShort,
  count: (count: number, people: number) =>
    `${count === 1 ? '1 case' : `${count} cases`}, ${people} ${people === 1 ? 'needs' : 'need'} a person`,
  keysHint: 'j and k move, Enter opens, t takes, l looks now, x marks for “Look now”.',
  secondWord: (name: string, said: string) => `Waits for a second operator. ${name} said: ${said}`,
  carriedOutUnrecorded: 'Carried out, no request on record here',
  noPersonYet: 'No person is needed yet',
  since: (span: string) => `for ${span}`,
  usually: (span: string) => `usually within ${span}`,
  keyUntil: (span: string) => `same key for ${span} more`,
  keyOver: 'key’s time is over',
  next: (when: string) => `checked ${when}`,
  noNext: 'no check is scheduled',
  nextNotHeard: (last: string | null) =>
    last === null
      ? 'when it is checked next is not known here'
      : `last known check ${last}; the next is not known here`,
  stopped: 'looks, sends nothing',
  nobody: 'Nobody has it',
  you: 'You have it',
  has: (name: string) => `${name} has it`,
  escalated: (when: string) => `people were told ${when}`,
  select: (amount: string, customer: string) => `Mark ${amount}, ${customer}`,
  filters: {
    label: 'Narrow the queue',
    text: 'Order, customer, payment or who has it',
    reason: 'Why it is here',
    anyReason: 'Any reason',
    taken: 'Who has it',
    anyTaken: 'Anybody or nobody',
    takenBy: { nobody: 'Nobody', me: 'Me', others: 'Somebody else' },
    order: 'Order',
    orders: { oldest: 'Oldest first', largest: 'Largest first' },
    clear: 'Clear filters',
  },
  look: {
    all: (count: number) => (count === 1 ? 'Look now' : `Look now at all ${count}`),
    some: (count: number) => (count === 1 ? 'Look now at 1' : `Look now at ${count}`),
    looking: (done: number, of: number) => `Looking… ${done} of ${of}`,
    asked: 'asked; its answer is awaited',
    looked: (when: string, shows: string) => `asked ${when}: ${shows}`,
    shows: {
      'nothing-yet': (provider: string) => `${provider} shows nothing of it yet`,
      'no-answer': (provider: string) => `${provider} did not answer`,
      'nothing-new': (_provider: string) => 'nothing new',
    },
    moved: (state: string) => `asked: now ${state}`,
    notHeard: 'asked; nothing was heard of it within 20 s',
    came: (nothingNew: number, moved: number, notHeard: number) => {
      const parts = [
        ...(nothingNew > 0 ? [`nothing new about ${nothingNew}`] : []),
        ...(moved > 0 ? [`${moved} ${moved === 1 ? 'stands' : 'stand'} otherwise now`] : []),
        ...(notHeard > 0
          ? [`not heard of ${notHeard} within 20 s; what comes later appears here by itself`]
          : []),
      ];
      return `The provider was asked: ${parts.join(', ')}.`;
    },
    justNow: 'asked a moment ago',
    unreachable: 'not asked: no connection',
    refused: (status: number) => `not asked (${status})`,
    report: (asked: number, of: number) =>
      asked === of
        ? `The provider is being asked about ${of === 1 ? 'it' : `all ${of}`}. What comes of it is said here within seconds.`
        : `The provider is being asked about ${asked} of ${of}. The others say why not.`,
  },
  act: {
    title: 'Who sees to it',
    take: 'Take it',
    takeOver: (name: string) => `Take it over from ${name}`,
    putBack: 'Put it back',
    handOn: 'Hand it on',
    to: 'To',
    choose: 'Choose a person',
    noteFor: 'What they should know (kept with the case)',
    comment: 'Comment',
    write: 'Keep the comment',
    comments: 'Comments',
    noComments: 'No comment yet. What you find out elsewhere belongs here.',
    done: 'Kept.',
    unreachable: 'Holdfast cannot be reached. Nothing was changed.',
    refused: (status: number) => `It was not taken (${status}). Nothing was changed.`,
    takersAway: 'Whom it could be handed to is not known here now.',
  },
  demo: {
    prepare: 'Make three cases to try',
    what: 'Only in the demo: one was paid out by hand and is found late, one never happened, one is contradicted afterwards.',
    preparing:
      'They are being made: proposed, approved, and lost on the way. They appear here within a minute.',
  },
  account: { title: 'In plain words', known: 'Known', notKnown: 'Not known', settles: 'What settles it' },
  sides: {
    title: 'Both sides',
    ours: 'We hold',
    theirs: (provider: string) => `${provider} holds`,
    what: 'What',
    compared: 'Compared',
    rows: {
      payment: 'Payment',
      captured: 'Captured',
      refund: 'This refund',
      amount: 'Amount',
      reference: 'Reference',
      operation: 'Names the operation',
      total: 'Refunded on the payment',
    },
    differs: 'differs',
    same: 'same',
    unknown: 'not known',
    none: 'shows none',
    askedAt: (when: string) => `Asked ${when}`,
    asking: 'Asking the provider…',
    again: 'Ask again',
    unreachable: 'Holdfast cannot be reached, so the provider cannot be asked.',
    dashboard: (provider: string) => `Open in ${provider}’s dashboard`,
    noDashboard: 'The bundled fake has no dashboard; its own page shows the same ledger.',
    ledger: (provider: string) => `${provider}’s refunds of this payment`,
    ledgerEmpty: 'It shows no refund of this payment. That proves nothing by itself.',
    whose: {
      'this-operation': 'This operation',
      'another-operation': 'Another operation of ours',
      'nobody-here': 'Names no operation',
      'another-organisation': 'Another organisation',
    },
    /** After "shows none" or "Names no operation". */
    bound: (isThis: boolean, by: readonly string[]) =>
      by.length === 0
        ? `held here by ${isThis ? 'this operation' : 'another operation of ours'}`
        : `bound to ${isThis ? 'this operation' : 'another operation of ours'} by ${by.join(' and ')}`,
    disputed: 'A dispute of this payment is open.',
    use: 'Use this reference',
  },
  events: {
    title: 'Webhooks',
    empty: 'No webhook about it has come.',
    raw: (type: string) => `${type}: as received`,
    hidden: 'What names the customer or their card is hidden.',
    deliveries: (count: number) =>
      count === 0
        ? 'fetched from the provider’s list, nobody delivered it'
        : count === 1
          ? 'delivered once'
          : `delivered ${count} times`,
  },
  assistant: (name: string) => `Proposed by ${name}, an assistant. It wrote:`,
  person: (name: string) => `Proposed by ${name}, who wrote:`,
};
