import type { LimitAct, LimitSpan } from '../policy.ts';
import type { PolicyField } from '../policy-order.ts';
import type { RefundReason } from '../refund-reason.ts';
import type { Role } from '../role.ts';

/** "a", "a and b", "a, b and c". */
const joined = (items: readonly string[]): string =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;

const units = [
  ['day', 24 * 60 * 60 * 1000],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
  ['second', 1000],
] as const;

/** In the largest unit that says it exactly. */
const duration = (ms: number): string => {
  const [name, length] = units.find(([, unit]) => ms % unit === 0) ?? ['millisecond', 1];
  const count = ms / length;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
};

const people = (count: number): string => (count === 1 ? 'one person' : `${count} different people`);

const fieldNames: Readonly<Record<PolicyField, string>> = {
  approvalsNeeded: 'Approvals needed',
  moreApprovals: 'More approvals above an amount',
  proposerMayApprove: 'Approving one’s own proposal',
  signatureRequired: 'Signature with a passkey',
  refundWindowMs: 'Refund window',
  proposalExpiresAfterMs: 'Time to decide about a proposal',
  approvalExpiresAfterMs: 'Time to submit after the approval',
  allowedReasons: 'Allowed reasons',
  limits: 'Limits',
  automaticApproval: 'Automatic approval',
  timeZone: 'Time zone of a day',
};

const roleNames: Readonly<Record<Role, string>> = {
  agent: 'agents',
  approver: 'approvers',
  operator: 'operators',
  admin: 'admins',
  integrator: 'integrators',
};

const reasonNames: Readonly<Record<RefundReason, string>> = {
  returned: 'returned',
  requested_by_customer: 'requested by the customer',
  damaged: 'damaged',
  not_received: 'not received',
  wrong_item: 'wrong item',
  duplicate_charge: 'charged twice',
  goodwill: 'goodwill',
  other: 'other',
  fraudulent: 'fraudulent',
};

const acts: Readonly<Record<LimitAct, string>> = { propose: 'propose', approve: 'approve' };
const spans: Readonly<Record<LimitSpan, string>> = {
  operation: 'for one refund',
  payment: 'of one payment',
  day: 'on one day',
};

/** A policy in words: what each rule says, and what a change of it changes. */
export const englishPolicy = {
  joined,
  duration,
  fieldNames,
  roleNames,
  reasonNames,
  approvals: (count: number) => people(count),
  moreApprovals: (above: string, count: number) => `${people(count)} above ${above}`,
  noMoreApprovals: 'the same number for every amount',
  mayApproveOwn: 'allowed',
  mayNotApproveOwn: 'not allowed',
  neverSigned: 'never required',
  alwaysSigned: 'always required',
  signedAbove: (amounts: readonly string[]) =>
    `required above ${joined(amounts)}, and in every other currency`,
  allReasons: 'all',
  noReasons: 'none',
  noLimit: 'no limit',
  nothingInCurrency: (currency: string) => `nothing in ${currency}`,
  limitName: (whom: string, act: LimitAct, per: LimitSpan, currency: string) =>
    `What ${whom} may ${acts[act]} ${spans[per]}, in ${currency}`,
  most: (amount: string) => `at most ${amount}`,
  automaticOff: 'off',
  automatic: (roles: readonly string[], amounts: readonly string[]) =>
    roles.length === 0 || amounts.length === 0
      ? 'on, for nobody'
      : `what ${joined(roles)} propose, up to ${joined(amounts)}`,
  summary: {
    approvals: (count: number) =>
      count === 1
        ? 'One approval lets a refund go out.'
        : `A refund goes out with ${count} approvals, each by another person.`,
    moreApprovals: (above: string, count: number) => `Above ${above}, ${count} people must approve.`,
    otherCurrencies: (count: number) => `In a currency not named, ${count} people must approve.`,
    ownProposal: 'Whoever proposed a refund may approve it, too.',
    notOwnProposal: 'Nobody approves what they proposed themselves.',
    neverSigned: 'No approval has to be signed.',
    alwaysSigned: 'Every approval is signed with a passkey.',
    signedAbove: (amounts: readonly string[]) =>
      `Above ${joined(amounts)}, and in a currency not named, approvals are signed with a passkey.`,
    window: (time: string) => `An order can be refunded for ${time} after it was placed.`,
    expiry: (decide: string, submit: string) =>
      `A proposal that nobody decides about ends after ${decide}; an approval that cannot be submitted ends after ${submit}.`,
    reasons: (names: readonly string[]) =>
      names.length === 0
        ? 'No reason is allowed, so nothing can be proposed.'
        : `Allowed reasons: ${joined(names)}.`,
    limit: (whom: string, act: LimitAct, per: LimitSpan, amounts: readonly string[]) =>
      `Each of the ${whom} may ${acts[act]} at most ${joined(amounts)} ${spans[per]}, and nothing in another currency.`,
    personLimit: (whom: string, act: LimitAct, per: LimitSpan, amounts: readonly string[]) =>
      `${whom} may ${acts[act]} at most ${joined(amounts)} ${spans[per]}, and nothing in another currency.`,
    automatic: (roles: readonly string[], amounts: readonly string[]) =>
      roles.length === 0 || amounts.length === 0
        ? 'Nothing is approved automatically.'
        : `What ${joined(roles)} propose is approved by the policy itself up to ${joined(amounts)}; never what an assistant or a key without an owner proposes.`,
    noAutomatic: 'Nothing is approved automatically.',
    day: (zone: string) => `A day begins and ends in the time zone ${zone}.`,
  },
};
