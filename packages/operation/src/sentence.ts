import type { AttentionReason } from './attention.ts';
import { approvedSentence, deviceSentence, type QueuedUntil } from './device-sentence.ts';
import { english, type Messages } from './messages/en.ts';
import type { FailureCause } from './settlement.ts';
import type { ShownState } from './state.ts';
import type { WaitingFor } from './wire/operation-message.ts';

/** The evidence behind one sentence. What is left out is not known, and the sentence then claims no more. */
export type SentenceFacts = {
  readonly state: ShownState;
  /** What people call the provider: "Stripe". */
  readonly providerName?: string | null;
  readonly providerReference?: string | null;
  /** `outcome_unknown`: whether a request certainly left (default: not even that). */
  readonly certainlySubmitted?: boolean;
  /** `outcome_unknown`: refunds that name nobody, and the operations each of which could be any of them. */
  readonly unattributed?: { readonly refunds: number; readonly operations: number } | null;
  readonly failure?: FailureCause | null;
  /** `confirmed` by two operators, where the provider could not be asked. */
  readonly settledBy?: { readonly by: string; readonly secondBy: string | null } | null;
  /** `reversed`: the provider's reason in words. */
  readonly reversalReason?: string | null;
  /** `denied`, `cancelled`: who ended it, and why. */
  readonly endedBy?: string | null;
  readonly endedWhy?: string | null;
  /** `expired`: it had been approved. */
  readonly expiredAfterApproval?: boolean;
  /** `proposed`: approvals given, and how many are needed. */
  readonly approvalsGiven?: number;
  readonly approvalsNeeded?: number;
  /** `proposed` after a last check: its sentences. */
  readonly sentBackBecause?: readonly string[];
  readonly waitingFor?: WaitingFor | null;
  /** `approved` with `waitingFor: 'undo'`: whole seconds left. */
  readonly undoSeconds?: number | null;
  readonly attention?: readonly AttentionReason[];
  /** The provider shows it carried out, and nothing of its sending is on record here. */
  readonly carriedOutUnrecorded?: boolean;
  /** The operator who has begun to settle it. */
  readonly lookedIntoBy?: string | null;
  /** Who has said how it ended, while a second operator has to say the same. */
  readonly firstWordBy?: string | null;
  /** `queued`: what it waits for. */
  readonly queuedUntil?: QueuedUntil;
  /** For the customer's line: "EUR 6,95". */
  readonly amountText?: string | null;
};

/** What is so, by evidence, in one or two sentences. */
export const sentenceOf = (facts: SentenceFacts, messages: Messages = english): string => {
  const { firstWordBy } = facts;
  const sentence = standingSentence(facts, messages);
  return firstWordBy ? `${sentence} ${messages.secondWord(firstWordBy)}` : sentence;
};

const standingSentence = (facts: SentenceFacts, messages: Messages): string => {
  const sentence = stateSentence(facts, messages);
  const attention = facts.attention ?? [];
  if (attention.length === 0 || facts.state === 'outcome_unknown') return sentence;
  const who = facts.lookedIntoBy ? ` ${messages.lookedInto(facts.lookedIntoBy)}` : '';
  return `${sentence} ${messages.needsPerson(attention, facts.carriedOutUnrecorded)}${who}`;
};

const stateSentence = (facts: SentenceFacts, messages: Messages): string => {
  const provider = facts.providerName ?? messages.theProvider;
  switch (facts.state) {
    case 'draft':
    case 'queued':
    case 'sent':
      return deviceSentence(facts.state, facts.queuedUntil, messages.device);
    case 'proposed':
      return proposedSentence(facts, messages);
    case 'approved':
      return heldSentence(facts, messages);
    case 'submitting':
      return messages.submitting(provider);
    case 'pending':
      return messages.pending(provider);
    case 'confirmed':
      return confirmedSentence(facts, messages);
    case 'outcome_unknown':
      return unknownSentence(facts, messages);
    case 'failed':
      return failedSentence(facts, messages);
    case 'reversed':
      return messages.reversed(facts.reversalReason ?? null);
    case 'denied':
      return messages.denied(facts.endedBy ?? messages.someone, facts.endedWhy ?? '');
    case 'cancelled':
      return messages.cancelled(facts.endedBy ?? messages.someone);
    case 'expired':
      return facts.expiredAfterApproval ? messages.expired.approvalRanOut : messages.expired.undecided;
  }
};

const proposedSentence = (facts: SentenceFacts, { proposed }: Messages): string => {
  if (facts.sentBackBecause !== undefined && facts.sentBackBecause.length > 0) {
    return proposed.back(facts.sentBackBecause);
  }
  const given = facts.approvalsGiven ?? 0;
  const missing = Math.max(1, (facts.approvalsNeeded ?? 1) - given);
  if (given === 0) return proposed.waiting;
  return missing > 1 ? proposed.waitingForMore(missing) : proposed.waitingForSecond;
};

const heldSentence = (facts: SentenceFacts, { approved, device, theProvider }: Messages): string => {
  switch (facts.waitingFor ?? null) {
    case null:
      return approvedSentence(null, device);
    case 'undo':
      return approvedSentence(facts.undoSeconds ?? null, device);
    case 'hold':
      return approved.hold;
    case 'provider':
      return approved.provider(facts.providerName ?? theProvider);
    case 'provider-account':
      return approved['provider-account'];
    case 'payment':
      return approved.payment;
  }
};

const confirmedSentence = (facts: SentenceFacts, { confirmed, theProvider }: Messages): string => {
  if (facts.providerReference) {
    return confirmed.byProvider(facts.providerName ?? theProvider, facts.providerReference);
  }
  const { by, secondBy } = facts.settledBy ?? { by: english.someone, secondBy: null };
  return confirmed.byPeople(by, secondBy);
};

const unknownSentence = (facts: SentenceFacts, { unknown, theProvider }: Messages): string => {
  const { unattributed } = facts;
  const seen = unattributed
    ? `${unknown.unattributed(facts.providerName ?? theProvider, unattributed.refunds, unattributed.operations)} `
    : '';
  // While the checks go on by themselves, that somebody has taken it changes nothing of what is known.
  if ((facts.attention ?? []).length > 0) {
    return `${seen}${facts.lookedIntoBy ? unknown.lookedInto(facts.lookedIntoBy) : unknown.needsPerson}`;
  }
  return facts.certainlySubmitted ? unknown.submitted : unknown.maybeSubmitted;
};

const failedSentence = (facts: SentenceFacts, { failed, theProvider }: Messages): string => {
  const provider = facts.providerName ?? theProvider;
  const cause = facts.failure;
  if (!cause) return failed.plain;
  switch (cause.kind) {
    case 'declined':
      return failed.declined(provider, cause.decline, cause.notBeforeMs ?? null);
    case 'refunded-elsewhere':
      return failed.refundedElsewhere(cause.refunds.map(({ reference }) => reference));
    case 'provider-failed':
      return failed.providerFailed(provider, cause.reason);
    case 'never-arrived':
      return failed.neverArrived(provider);
    case 'settled-by-people':
      return failed.byPeople(cause);
  }
};

/** What the customer can be told now; it never promises money that the provider's record does not show. */
export const tellTheCustomer = (facts: SentenceFacts, messages: Messages = english): string => {
  const { customer } = messages;
  const attention = facts.attention ?? [];
  switch (facts.state) {
    case 'draft':
      return customer.notSent;
    case 'queued':
    case 'sent':
      return customer.onItsWay;
    case 'outcome_unknown':
      return attention.length > 0 ? customer.unknownWithPerson : customer.unknown;
    case 'confirmed':
      return customer.confirmed(facts.amountText ?? null);
    case 'failed':
      // What was settled as failed and is contradicted since may have happened after all.
      return attention.length > 0 ? customer.unknownWithPerson : failedForCustomer(facts, messages);
    case 'proposed':
    case 'approved':
    case 'submitting':
    case 'pending':
    case 'reversed':
    case 'denied':
    case 'cancelled':
    case 'expired':
      return customer[facts.state];
  }
};

const failedForCustomer = ({ failure }: SentenceFacts, { customer }: Messages): string => {
  if (failure?.kind === 'declined') return customer.failedDecline[failure.decline];
  return failure?.kind === 'refunded-elsewhere' ? customer.failedElsewhere : customer.failed;
};
