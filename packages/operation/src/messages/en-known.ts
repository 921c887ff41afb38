import type { AttentionReason } from '../attention.ts';

const lookedAt =
  'One operator who has looked at the evidence clears it; the outcome stands as it is recorded.';

const whenText = (at: string | null): string => (at === null ? '' : ` (${at})`);
const noteText = (note: string): string => (note === '' ? '.' : `: “${note.trim()}”`);

/** What is known of an operation, what is not, and what would settle it, for whoever has to settle it. */
export const englishKnown = {
  known: {
    noRequest: 'No request is on record here.',
    noneSubmitted: 'No request was submitted: each attempt was held back or put off.',
    requests: (count: number): string =>
      count === 1
        ? 'One request was submitted. Its key stands for at most one refund.'
        : `${count} requests were submitted, all with one key: together they stand for at most one refund.`,
    unheard: (count: number, of: number): string =>
      of === 1
        ? 'Its answer was not heard, or proves nothing.'
        : count === of
          ? 'None of their answers was heard, or none proves anything.'
          : `The ${count === 1 ? 'answer to one' : `answers to ${count}`} of them ${count === 1 ? 'was' : 'were'} not heard, or ${count === 1 ? 'proves' : 'prove'} nothing.`,
    recorded: (name: string, said: string, at: string | null, note: string): string =>
      `${name} recorded${whenText(at)} that ${said}${noteText(note)}`,
    recordedToo: (name: string, said: string, at: string | null, note: string): string =>
      `${name} said the same${whenText(at)}, that ${said}${noteText(note)}`,
    shownElse: (provider: string): string => `Since then ${provider} has shown something else.`,
    unrecorded: (approvals: number): string =>
      `It was carried out before this copy of the records held anything of its sending, as after a restore from a backup${
        approvals === 0 ? '; its approval is not in this copy either' : ''
      }.`,
    proposed: 'It waits for approval.',
    approved: 'It is approved and has not been submitted.',
    submitting: 'A worker has it; a request may be under way this moment.',
    pending: (provider: string, reference: string | null): string =>
      `${provider} has accepted it${reference === null ? '' : ` as ${reference}`} and has not finished.`,
    confirmed: (provider: string, reference: string): string =>
      `${provider}'s record ${reference} says that it succeeded.`,
    confirmedByPeople: 'People settled it as refunded where the provider could not be asked.',
    failed: 'It is recorded that no money moved.',
    reversed: (provider: string, reference: string | null): string =>
      `${provider} reported it done${reference === null ? '' : ` (${reference})`} and later that it did not last.`,
    endedBefore: 'It ended before anything was submitted.',
    showsOurs: (asked: string, provider: string, reference: string, status: string): string =>
      `Asked at ${asked}, ${provider} shows ${reference} for this operation: ${status}.`,
    showsBound: (
      asked: string,
      provider: string,
      reference: string,
      status: string,
      by: readonly string[],
    ): string =>
      `Asked at ${asked}, ${provider} shows ${reference}: ${status}. It names no operation; ${
        by.length === 0
          ? 'here it is held as the answer to this operation’s request'
          : `${by.join(' and ')} bound it to this operation`
      }.`,
    showsNameless: (asked: string, provider: string, reference: string, amount: string): string =>
      `Asked at ${asked}, ${provider} shows ${reference} of exactly ${amount} that names no operation.`,
    showsNone: (asked: string, provider: string): string =>
      `Asked at ${asked}, ${provider} shows no refund of this operation.`,
  },
  notKnown: {
    howItEnds: (provider: string): string => `What ${provider} answers to the request under way.`,
    whetherDone: (provider: string): string => `Whether ${provider} carried it out.`,
    whenItWasSent: 'Who approved it then and when it was sent: this copy of the records does not hold it.',
    absenceIsNoProof: 'Whether it may still appear: a list that does not show it proves nothing by itself.',
    whetherItSucceeds: 'Whether it will succeed.',
    whetherItLasts: 'Whether the bank keeps it: for some weeks it can still come back. Holdfast looks again.',
    attention: {
      'outcome-unresolved': null,
      'duplicate-action': 'Which of the records the customer was meant to have.',
      'conflicting-evidence': 'Which of the facts that contradict one another is right.',
      'amount-differs': 'Why the amount at the provider is not the one that was approved.',
      'pending-too-long': 'Why it takes so much longer than usual.',
      contradicted: 'Why what was recorded before is not what the provider shows now.',
      'nobody-can-approve': 'Who could approve it.',
      'provider-refuses-us': 'Since the provider refuses our key: what its ledger shows now.',
    } satisfies Record<AttentionReason, string | null> as Readonly<Record<AttentionReason, string | null>>,
  },
  settles: {
    outcome: { confirmed: 'it was refunded', failed: 'it did not happen' },
    secondWord: (name: string, said: string): string =>
      `${name} says that ${said}. The same word of a second operator carries it out.`,
    confirmed: (provider: string, amount: string): string =>
      `That it was refunded: the reference of a succeeded refund of ${amount} on this payment, which ${provider} is asked about. Another amount needs a second operator.`,
    failed: 'That it did not happen: two operators, each with a note of how they know.',
    sameKeyAgain: 'Holdfast may send the same request again under the same key: the answer settles it.',
    looksAgain: (provider: string): string => `Holdfast goes on asking ${provider}, and sends nothing more.`,
    notSentAgain: 'Holdfast goes on looking and sends nothing more while it waits for a person.',
    decision: 'An approver decides.',
    submission: 'Holdfast submits it by itself when nothing holds it back.',
    answer: (provider: string): string => `${provider}'s word, by answer, webhook or look-up.`,
    nothingOpen: 'Nothing is open.',
    attention: {
      'outcome-unresolved': lookedAt,
      'duplicate-action': `The surplus has to be got back outside Holdfast. ${lookedAt}`,
      'conflicting-evidence': lookedAt,
      'amount-differs': lookedAt,
      'pending-too-long': lookedAt,
      contradicted: `Nothing that replaces it is sent while this stands. ${lookedAt}`,
      'nobody-can-approve': 'An admin gives somebody the right to approve it, or changes the policy.',
      'provider-refuses-us': 'An admin sets a provider key that works; then it goes on by itself.',
    } satisfies Record<AttentionReason, string>,
  },
};
export type KnownMessages = typeof englishKnown;
