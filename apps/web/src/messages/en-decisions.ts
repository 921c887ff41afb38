/** Deciding about proposals: the queue, the decision, and taking it back. */
export const decisions = {
  title: 'Approvals',
  queue: 'Waiting for a decision',
  empty: 'Nothing waits for a decision. New proposals appear here by themselves.',
  chooseOne: 'Choose a proposal to see it in full.',
  amount: 'Amount',
  age: (text: string) => `waits ${text}`,
  flags: {
    assistant: 'Proposed by an assistant',
    nearDuplicate: 'Another refund on this payment',
    back: 'Back for approval',
    own: 'Your own proposal',
    decidedHere: 'Decision on this device',
  },
  evidence: 'Evidence',
  policy: (needed: number, given: number) =>
    needed - given === 1
      ? needed === 1
        ? 'One approval is needed, by someone other than the proposer.'
        : `${needed} approvals are needed: one more is missing.`
      : `${needed} approvals are needed: ${needed - given} more are missing.`,
  alsoOpen: 'Also on this payment',
  nothingElse: 'Nothing else is open on this payment.',
  refundableAfter: (amount: string) => `${amount} stays refundable after this.`,
  exceeds: (amount: string) => `Only ${amount} is refundable now. It cannot be approved.`,
  approve: 'Approve',
  deny: 'Deny',
  takeBack: 'Take it back',
  approveTitle: (amount: string) => `Approve ${amount}?`,
  approveAsk: (customer: string, order: string) =>
    `For ${customer}, order ${order}. It is submitted after a short while.`,
  denyTitle: (amount: string) => `Deny ${amount}?`,
  denyAsk: 'The proposer reads your reason. Nothing is submitted.',
  denyReason: 'Why',
  denyReasonMissing: 'Say why. The proposer reads it.',
  ownProposal: 'You proposed this refund. Someone else must decide about it.',
  noLonger: (sentence: string) => `This proposal no longer waits for you. ${sentence}`,
  decidedHere: (what: string) => `${what} is saved on this device. It is sent when there is a connection.`,
  decidedSent: (what: string) => `${what} was sent. Waiting to hear that it arrived.`,
  refused: (what: string, detail: string) => `${what} was not accepted: ${detail}`,
  tookEffect: (amount: string) => `Approved: ${amount}.`,
  canTakeBack: (seconds: number) => `It can be taken back for ${seconds} s.`,
  takingBack: 'Taking it back…',
  saved: { approve: 'Approval saved.', deny: 'Denial saved.', withdraw: 'Taking it back.' },
  changed: 'What changed since it was proposed',
  proposedSaw: 'Proposed',
  next: 'Next proposal',
  backToQueue: 'Back to the queue',
  keysHint: 'Keys: j and k move, a approves, d denies. Both ask first.',
  position: (index: number, count: number) => `${index} of ${count}`,
};
