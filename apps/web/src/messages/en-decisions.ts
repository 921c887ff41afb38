import type { QueueFlag } from '../model/approval-queue.ts';

const flags: Record<QueueFlag, string> = {
  'decided-here': 'Decision on this device',
  'nobody-can-approve': 'Nobody can approve it',
  'same-amount': 'Same amount on this payment',
  'another-open': 'Another refund on this payment',
  assistant: 'Proposed by an assistant',
  'more-approvals': 'Needs more than one approval',
  signature: 'Needs a signature',
  'one-approval-given': 'One approval given',
  own: 'Your own proposal',
};

/** Deciding about proposals: the queue, the decision, and taking it back. */
export const decisions = {
  title: 'Approvals',
  queue: 'Waiting for a decision',
  empty: 'Nothing waits for a decision.',
  emptyTeaches:
    'When somebody proposes a refund it appears here by itself, also while this screen is open. Without a connection you see what was last told here, and what you decide is sent later.',
  stoppable: 'Approved, not submitted yet',
  stoppableHint: 'A denial still stops these.',
  chooseOne: 'Choose a proposal to see it in full.',
  flags,
  waiting: (count: number) => (count === 1 ? '1 proposal waits for you' : `${count} proposals wait for you`),
  policy: 'Policy',
  approvals: 'Approved by',
  approvalOne: { signed: 'signed', unsigned: 'not signed' },
  nobodyCanApprove: {
    title: 'Nobody can approve this now',
    text: 'Under the policy nobody here may approve it. An admin can change the policy or give somebody the role; it can still be denied.',
  },
  since: {
    title: 'Since it was proposed',
    nothing: 'The order shows what it showed when this was proposed.',
    refundable: (then: string, now: string) => `Refundable was ${then}, and is ${now} now.`,
    elsewhere: (more: string) => `${more} of this payment was refunded elsewhere.`,
    disputed: 'The customer disputes the payment. Nothing can be approved while that is open.',
    disputeOver: 'The dispute that was open then is over.',
    order: 'The order was changed, or another refund of it lost its answer. The figures are the same.',
  },
  onlyOne: (refundable: string) =>
    `Only ${refundable} is refundable, so these cannot all be approved. Whichever is approved first takes it.`,
  competingBy: (amount: string, name: string) => `${amount}, proposed by ${name}`,
  alike: { amount: 'same amount', return: 'same return', line: 'same line', ticket: 'same ticket' },
  taken: {
    title: {
      approved: 'Approved by somebody else',
      denied: 'Denied by somebody else',
      cancelled: 'Cancelled by its proposer',
      expired: 'Its time ran out',
      other: 'Decided already',
    },
    approvedBy: (name: string) => `Approved by ${name},`,
    at: 'Changed',
    read: 'I have read this',
  },
  stop: 'Deny it after all',
  stopHint: 'It is approved and not submitted. A denial that arrives in time stops it.',
  deniedMeanwhile: (name: string) =>
    `${name} has approved it meanwhile. Your denial stops it if it arrives before it is submitted.`,
  alsoOpen: 'Also on this payment',
  nothingElse: 'Nothing else is open on this payment.',
  exceeds: (amount: string) => `Only ${amount} is refundable now. It cannot be approved.`,
  approve: 'Approve',
  deny: 'Deny',
  takeBack: 'Take it back',
  approveTitle: (amount: string) => `Approve ${amount}?`,
  approveAsk: (customer: string, order: string) =>
    `For ${customer}, order ${order}. It is submitted after a short while.`,
  approveUnsigned: 'Approve without a signature',
  notSigned: {
    cancelled: 'Nothing was approved: no passkey was used. Approve it again to sign it.',
    'no-passkey':
      'Nothing was approved. A refund of this amount needs a signature, and you have no passkey yet. Add one under your name, Sign-in and security.',
    'not-here':
      'Nothing was approved. A refund of this amount needs a signature, and none of your passkeys works on this device. Use a device that has one.',
  },
  denyTitle: (amount: string) => `Deny ${amount}?`,
  denyAsk: 'The proposer reads your reason. Nothing is submitted.',
  denyReason: 'Why',
  denyReasonMissing: 'Say why. The proposer reads it.',
  ownProposal: 'You proposed this refund. Someone else must decide about it.',
  decidedHere: (what: string) => `${what} is saved on this device. It is sent when there is a connection.`,
  decidedMaybeSent: (what: string) => `${what} may have been sent. Waiting to hear.`,
  decidedSent: (what: string) => `${what} was sent. Waiting to hear that it arrived.`,
  refused: (what: string, detail: string) => `${what} was not accepted: ${detail}`,
  tookEffect: (amount: string) => `Approved: ${amount}.`,
  approvalOf: (amount: string) => `Approve ${amount}.`,
  canTakeBack: (seconds: number) => `It can be taken back for ${seconds} s.`,
  takingBack: 'Taking it back…',
  saved: { approve: 'Approval saved.', deny: 'Denial saved.', withdraw: 'Taking it back.' },
  next: 'Next proposal',
  keysHint: 'Keys: j and k move, a approves, d denies. Both ask first.',
};
