import { formatAmount, type DecimalMark } from './amount-format.ts';
import type { Amount } from './amount.ts';
import { englishPolicy as english } from './messages/en-policy-words.ts';
import {
  directionsOf,
  limitCurrencies,
  limitGroups,
  mostIn,
  type LimitGroup,
  type PolicyDirection,
  type PolicyField,
} from './policy-order.ts';
import type { Policy } from './policy.ts';

/** How whoever reads it is spoken to: a policy holds IDs, and amounts have the reader's own decimal mark. */
export type PolicySpeech = {
  readonly nameOf: (personId: string) => string;
  readonly decimalMark: DecimalMark;
};

/** One thing that a change of the policy changes. */
export type PolicyDifference = {
  readonly field: PolicyField;
  /** What changes: the field's name, or whose limit it is. */
  readonly what: string;
  readonly before: string;
  readonly after: string;
  readonly direction: PolicyDirection;
};

const money = (amount: Amount, { decimalMark }: PolicySpeech): string => formatAmount(amount, decimalMark);
const moneys = (amounts: readonly Amount[], speech: PolicySpeech): readonly string[] =>
  [...amounts]
    .toSorted((one, other) => one.currency.localeCompare(other.currency) || one.minor - other.minor)
    .map((amount) => money(amount, speech));

const steps = ({ moreApprovals }: Policy): Policy['moreApprovals'] =>
  [...moreApprovals].toSorted(
    (one, other) =>
      one.above.currency.localeCompare(other.above.currency) || one.above.minor - other.above.minor,
  );

/** What each rule but the limits says, as a phrase that stands after its name. */
const phrases: Readonly<
  Record<Exclude<PolicyField, 'limits'>, (policy: Policy, speech: PolicySpeech) => string>
> = {
  approvalsNeeded: ({ approvalsNeeded }) => english.approvals(approvalsNeeded),
  moreApprovals: (policy, speech) =>
    policy.moreApprovals.length === 0
      ? english.noMoreApprovals
      : english.joined(
          steps(policy).map(({ above, approvalsNeeded }) =>
            english.moreApprovals(money(above, speech), approvalsNeeded),
          ),
        ),
  proposerMayApprove: ({ proposerMayApprove }) =>
    proposerMayApprove ? english.mayApproveOwn : english.mayNotApproveOwn,
  signatureRequired: ({ signatureRequired: rule }, speech) => {
    if (rule === 'never') return english.neverSigned;
    return rule === 'always' || rule.above.length === 0
      ? english.alwaysSigned
      : english.signedAbove(moneys(rule.above, speech));
  },
  refundWindowMs: ({ refundWindowMs }) => english.duration(refundWindowMs),
  proposalExpiresAfterMs: ({ proposalExpiresAfterMs }) => english.duration(proposalExpiresAfterMs),
  approvalExpiresAfterMs: ({ approvalExpiresAfterMs }) => english.duration(approvalExpiresAfterMs),
  allowedReasons: ({ allowedReasons }) => {
    if (allowedReasons === null) return english.allReasons;
    return allowedReasons.length === 0
      ? english.noReasons
      : english.joined(allowedReasons.map((reason) => english.reasonNames[reason]));
  },
  automaticApproval: ({ automaticApproval: rule }, speech) =>
    rule === null
      ? english.automaticOff
      : english.automatic(
          rule.roles.map((role) => english.roleNames[role]),
          moneys(rule.upTo, speech),
        ),
  timeZone: ({ timeZone }) => timeZone,
};

const whomOf = ({ for: whom }: LimitGroup, { nameOf }: PolicySpeech): string =>
  'role' in whom ? english.roleNames[whom.role] : nameOf(whom.personId);

const limitPhrase = (policy: Policy, group: LimitGroup, currency: string, speech: PolicySpeech): string => {
  const minor = mostIn(policy, group, currency);
  if (minor === Infinity) return english.noLimit;
  return minor === 0 ? english.nothingInCurrency(currency) : english.most(money({ minor, currency }, speech));
};

const limitDifferences = (
  before: Policy,
  after: Policy,
  direction: PolicyDirection,
  speech: PolicySpeech,
): readonly PolicyDifference[] =>
  limitGroups([before, after]).flatMap((group) =>
    limitCurrencies([before, after], group).flatMap((currency) => {
      const [was, is] = [mostIn(before, group, currency), mostIn(after, group, currency)];
      if (was === is) return [];
      return [
        {
          field: 'limits' as const,
          what: english.limitName(whomOf(group, speech), group.act, group.per, currency),
          before: limitPhrase(before, group, currency, speech),
          after: limitPhrase(after, group, currency, speech),
          direction: direction === 'looser' && is < was ? 'tighter' : direction,
        },
      ];
    }),
  );

/** Every rule in which two policies differ, in the words of those who live under them. */
export const differencesOf = (
  before: Policy,
  after: Policy,
  speech: PolicySpeech,
): readonly PolicyDifference[] =>
  [...directionsOf(before, after)].flatMap(([field, direction]): readonly PolicyDifference[] => {
    if (field === 'limits') return limitDifferences(before, after, direction, speech);
    const said = { before: phrases[field](before, speech), after: phrases[field](after, speech) };
    // What a rule says is said exactly: the same words are the same rule, only written in another order.
    if (said.before === said.after) return [];
    return [{ field, what: english.fieldNames[field], ...said, direction }];
  });

const limitSentences = (policy: Policy, speech: PolicySpeech): readonly string[] =>
  limitGroups([policy]).map((group) => {
    const amounts = limitCurrencies([policy], group).map((currency) => ({
      minor: mostIn(policy, group, currency),
      currency,
    }));
    const say = 'role' in group.for ? english.summary.limit : english.summary.personLimit;
    return say(whomOf(group, speech), group.act, group.per, moneys(amounts, speech));
  });

/** The whole policy in plain sentences. */
export const policyInWords = (policy: Policy, speech: PolicySpeech): readonly string[] => {
  const { summary } = english;
  const rule = policy.signatureRequired;
  const most = Math.max(0, ...policy.moreApprovals.map((more) => more.approvalsNeeded));
  const automatic = policy.automaticApproval;
  return [
    summary.approvals(policy.approvalsNeeded),
    ...steps(policy).map(({ above, approvalsNeeded }) =>
      summary.moreApprovals(money(above, speech), approvalsNeeded),
    ),
    ...(most > policy.approvalsNeeded ? [summary.otherCurrencies(most)] : []),
    policy.proposerMayApprove ? summary.ownProposal : summary.notOwnProposal,
    rule === 'never'
      ? summary.neverSigned
      : rule === 'always' || rule.above.length === 0
        ? summary.alwaysSigned
        : summary.signedAbove(moneys(rule.above, speech)),
    automatic === null
      ? summary.noAutomatic
      : summary.automatic(
          automatic.roles.map((role) => english.roleNames[role]),
          moneys(automatic.upTo, speech),
        ),
    ...limitSentences(policy, speech),
    summary.window(english.duration(policy.refundWindowMs)),
    ...(policy.allowedReasons === null
      ? []
      : [summary.reasons(policy.allowedReasons.map((reason) => english.reasonNames[reason]))]),
    summary.expiry(
      english.duration(policy.proposalExpiresAfterMs),
      english.duration(policy.approvalExpiresAfterMs),
    ),
    summary.day(policy.timeZone),
  ];
};
