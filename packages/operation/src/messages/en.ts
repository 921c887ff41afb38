import type { DeclineClass } from '../observation.ts';
import type { AttentionReason } from '../attention.ts';
import type { WaitingFor } from '../wire/operation-message.ts';
import { amountText } from './en-amount.ts';
import { englishOnDevice } from './en-device.ts';
import { englishPolicy } from './en-policy.ts';

const list = (items: readonly string[]): string => items.join(', ');
const reasonOr = (text: string | null, otherwise: string): string =>
  text === null || text === '' ? otherwise : text;
type ByPeople = {
  readonly by: string;
  readonly secondBy: string | null;
  readonly note: string;
  readonly secondNote?: string;
};
const plain = (text: string): string => text.replace(/[.\s]+$/, '');

/** Each class of refusal: its own plain reason, and what helps. */
const declines: Readonly<Record<DeclineClass, { readonly reason: string; readonly nextStep: string }>> = {
  'not-enough-balance': {
    reason: 'there is not enough balance in the account to pay it from',
    nextStep: 'Once the account is topped up, a new refund can be proposed.',
  },
  disputed: {
    reason: 'the customer has disputed the payment with their bank',
    nextStep: 'The dispute decides about the money; a refund beside it could pay twice.',
  },
  'too-old': {
    reason: 'the payment is too old to be refunded this way',
    nextStep: 'The money has to reach the customer another way, such as a bank transfer.',
  },
  'card-closed': {
    reason: "the customer's card or account is closed",
    nextStep: 'Ask the customer where the money should go; it has to be paid another way.',
  },
  limit: {
    reason: "it is above a limit of the account's",
    nextStep: 'When the limit allows it or has been raised, a new refund can be proposed.',
  },
  'already-refunded': {
    reason: 'the payment was refunded already',
    nextStep: 'Look at the earlier refund of this payment before proposing another.',
  },
  'exceeds-unrefunded': {
    reason: 'it is more than what is left of the payment',
    nextStep: 'A new refund of at most what is left can be proposed.',
  },
  'not-refundable': {
    reason: 'this payment cannot be refunded',
    nextStep: 'The money has to reach the customer another way.',
  },
  'not-settled-yet': {
    reason: 'the payment is not settled yet',
    nextStep: 'Once it is settled, a new refund can be proposed.',
  },
  'repeated-too-soon': {
    reason: 'it takes no second refund of the same amount on one payment so soon after the first',
    nextStep: 'Later a new refund can be proposed; the earlier one is not touched by this.',
  },
  'invalid-request': {
    reason: 'it did not accept the request as we made it',
    nextStep: 'An operator has to look at the request before a new refund is proposed.',
  },
  other: {
    reason: 'it gave no reason that we know',
    nextStep: 'An operator can see the full answer; a new refund can be proposed once the cause is known.',
  },
};

const waitingFor: Readonly<Record<WaitingFor, string>> = {
  undo: 'It can still be taken back.',
  hold: 'Submitting is on hold.',
  provider:
    'The provider could not be asked or is not taking requests from us; it is submitted when it does.',
  'provider-account': 'There is no provider account yet; it is submitted once there is one.',
  payment: 'Another refund of this payment is under way; it is submitted after that one.',
};

/** "2026-01-02 03:04 UTC": rounded up to a whole minute, so that it is not too early. */
const instant = (atMs: number): string =>
  `${new Date(Math.ceil(atMs / 60_000) * 60_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** What stands behind attention, as the second half of "It waits for a person: …". */
const attention: Readonly<Record<AttentionReason, string>> = {
  'outcome-unresolved': 'its outcome could not be established in time',
  'duplicate-action': 'the provider holds more than one refund of it',
  'conflicting-evidence': 'what we know and what the provider shows do not agree',
  'amount-differs': 'the provider shows another amount, currency or payment than was approved',
  'pending-too-long': 'the provider has been processing it for longer than usual',
  contradicted: 'the provider shows something else than what was settled here',
  'nobody-can-approve': 'nobody here may approve it',
  'provider-refuses-us': 'the provider refuses our key',
};

/** In place of "contradicted", where nothing had been settled or ended here that could be contradicted. */
const unrecorded =
  'the provider shows it carried out, and no request of it is on record here, as after a restore from a backup';

/**
 * Every text of the core in one language. A second language is a second value of this shape.
 * Nothing here says "refunded" before the provider's record does, and only definite ends invite a new refund.
 */
export const english = {
  device: englishOnDevice,
  policy: englishPolicy,
  proposed: {
    waiting: 'Waiting for approval.',
    waitingForSecond: 'Waiting for a second approval.',
    waitingForMore: (missing: number): string => `Waiting for ${missing} more approvals.`,
    back: (changed: readonly string[]): string => `Back for approval: ${changed.map(plain).join('; ')}.`,
  },
  approved: {
    hold: 'Approved. Submitting is on hold.',
    provider: (provider: string): string =>
      `Approved. ${provider} could not be asked or is not taking requests from us; we will submit it when it does.`,
    'provider-account': 'Approved. There is no provider account yet; we will submit it once there is one.',
    payment: 'Approved. Another refund of this payment is under way; we will submit it after that one.',
  },
  submitting: (provider: string): string => `Submitting to ${provider}…`,
  pending: (provider: string): string =>
    `${provider} has accepted it and is processing it. The customer does not have the money yet.`,
  confirmed: {
    byProvider: (provider: string, reference: string): string =>
      `${provider} reports it refunded, reference ${reference}. The bank may need a few days.`,
    byPeople: (by: string, secondBy: string | null): string =>
      `Settled as refunded by ${secondBy === null ? by : `${by} and ${secondBy}`}; the provider could not be asked.`,
  },
  unknown: {
    submitted: 'The request was submitted, but confirmation is delayed. We are checking it.',
    maybeSubmitted: 'The request may have been submitted. We are checking it.',
    needsPerson: 'We could not establish the outcome yet. It waits for a person.',
    /** Nobody's name on any of them: which operation was carried out cannot be told from here. */
    unattributed: (provider: string, refunds: number, operations: number): string =>
      `${provider} shows ${refunds} ${refunds === 1 ? 'refund' : 'refunds'} of this amount and does not say whose${
        operations > 1 ? `: ${Math.min(refunds, operations)} of ${operations} paid` : ''
      }.`,
    lookedInto: (who: string): string => `We could not establish the outcome yet. ${who} is looking into it.`,
  },
  failed: {
    declined: (provider: string, decline: DeclineClass, notBeforeMs: number | null = null): string =>
      `No money moved. ${provider} declined it: ${declines[decline].reason}. ${declines[decline].nextStep}${
        notBeforeMs === null ? '' : ` It would be taken from ${instant(notBeforeMs)} on.`
      }`,
    refundedElsewhere: (references: readonly string[]): string =>
      `No money moved. It was already refunded elsewhere (${list(references)}).`,
    providerFailed: (provider: string, reason: string | null): string =>
      `No money moved. ${provider} could not complete it: ${plain(reasonOr(reason, 'it gave no reason'))}.`,
    neverArrived: (provider: string): string => `No money moved. The request never arrived at ${provider}.`,
    byPeople: ({ by, secondBy, note, secondNote }: ByPeople): string =>
      secondBy !== null && secondNote !== undefined
        ? `No money moved. Settled by ${by} (“${note.trim()}”) and ${secondBy} (“${secondNote.trim()}”).`
        : `No money moved. Settled by ${secondBy === null ? by : `${by} and ${secondBy}`}: ${plain(note)}.`,
    plain: 'No money moved.',
  },
  reversed: (reason: string | null): string =>
    `The refund did not last: ${plain(reasonOr(reason, 'the provider took it back'))}. The customer does not have the money.`,
  denied: (who: string, why: string): string => `Denied by ${who}: ${plain(why)}.`,
  cancelled: (who: string): string => `Cancelled by ${who}.`,
  expired: {
    undecided: 'Nobody decided in time.',
    approvalRanOut: 'The approval ran out before it was submitted.',
  },
  needsPerson: (reasons: readonly AttentionReason[], carriedOutUnrecorded = false): string =>
    `It waits for a person: ${reasons
      .map((reason) => (reason === 'contradicted' && carriedOutUnrecorded ? unrecorded : attention[reason]))
      .join('; ')}.`,
  lookedInto: (who: string): string => `${who} is looking into it.`,
  secondWord: (first: string): string =>
    `${first} has said how it ended; it waits for a second operator to say the same.`,
  someone: 'somebody',
  theProvider: 'The provider',
  customer: {
    notSent: 'Nothing to tell yet: it is only on this device.',
    onItsWay: 'Your refund has been noted and will be requested as soon as we are connected.',
    proposed: 'Your refund has been requested and is being reviewed. No money is on its way yet.',
    approved: 'Your refund is approved and will be submitted shortly. No money is on its way yet.',
    submitting: 'Your refund is being submitted now. We will tell you when it is confirmed.',
    pending: 'Your refund has been accepted and is being processed. The money has not been sent yet.',
    confirmed: (amount: string | null): string =>
      `Your refund${amount === null ? '' : ` of ${amount}`} has been carried out. Your bank may need a few days to show it.`,
    unknown: 'We have asked for your refund and are checking that it went through. You need not do anything.',
    unknownWithPerson: 'A colleague is checking whether your refund went through. We will come back to you.',
    failed: 'Your refund has not been made. We are looking for another way and will come back to you.',
    failedElsewhere: 'This payment has already been refunded. The earlier refund is the one to look for.',
    failedDecline: {
      'not-enough-balance':
        'Your refund has not been made yet, for a reason on our side. We will come back to you.',
      disputed: 'Your bank is handling your claim about this payment, so we cannot refund it beside that.',
      'too-old': 'This payment is too old to be refunded to your card. We will agree another way with you.',
      'card-closed':
        'Your refund could not be made because the card or account is closed. Where may we send the money?',
      limit: 'Your refund has not been made yet, for a reason on our side. We will come back to you.',
      'already-refunded':
        'Your refund has not been made: this payment was refunded before. We are looking into it.',
      'exceeds-unrefunded': 'Your refund has not been made: it is more than what is left of the payment.',
      'not-refundable':
        'This payment cannot be refunded to where it came from. We will agree another way with you.',
      'not-settled-yet':
        'Your refund has not been made yet: your payment has to be settled first. We will come back to you.',
      'repeated-too-soon':
        'Your refund has not been made yet and can be made later. We will come back to you.',
      'invalid-request':
        'Your refund has not been made yet, for a reason on our side. We will come back to you.',
      other: 'Your refund has not been made. We are finding out why and will come back to you.',
    } satisfies Record<DeclineClass, string>,
    reversed: 'Your refund did not reach you: it came back. We will agree with you how to send the money.',
    denied: 'Your refund was not approved. No money is on its way.',
    cancelled: 'This refund was cancelled before anything was sent. No money is on its way.',
    expired: 'This refund was not decided in time. No money is on its way; it can be requested anew.',
  },
  eligibility: {
    paymentNotCaptured: 'The payment has not been captured, so there is nothing to refund.',
    currencyDiffers: (payment: string, asked: string): string =>
      `The payment is in ${payment}; a refund in ${asked} is not possible.`,
    amountNotPositive: 'The amount must be above zero.',
    returnNotReceived: (returnId: string | null): string =>
      returnId === null
        ? 'No return of this order has been received yet.'
        : `Return ${returnId} has not been received.`,
    noteMissing: 'This reason needs a note that says why.',
    tooOld: (days: number): string => `The order was placed more than ${days} days ago.`,
    disputed: 'The payment is disputed; the dispute decides about the money.',
    paymentBlocked: (ids: readonly string[]): string =>
      `Another refund of this payment waits for a person (${list(ids)}); until that is settled no other can go ahead.`,
    cannotReplace: 'What it says it replaces is not an ended, unconfirmed refund of the same order.',
  },
  lastCheck: {
    approvalsNotInForce: (inForce: number, needed: number): string =>
      `${needed} ${needed === 1 ? 'approval is' : 'approvals are'} needed and ${inForce} ${inForce === 1 ? 'is' : 'are'} in force.`,
    tooLittleLeft: (left: string): string => `Only ${left} of the payment is left to refund.`,
    refundedElsewhere: (refunds: readonly string[]): string =>
      `A refund of this payment was made elsewhere since the approval: ${list(refunds)}.`,
    replacedTookEffect: (id: string): string => `The refund it replaces (${id}) did happen, or may have.`,
  },
  waitingFor,
  attention,
  declines,
  amount: amountText,
};

export type Messages = typeof english;
