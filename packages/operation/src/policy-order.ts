import type { Amount } from './amount.ts';
import { approvalsNeededFor, signatureRequired } from './approvals-needed.ts';
import { approvesAutomatically } from './automatic-approval.ts';
import type { LimitAct, LimitSpan, Policy, PolicyLimit } from './policy.ts';
import { refundReasons } from './refund-reason.ts';
import { roles, type Role } from './role.ts';

/** The rules of a policy. Its version says which one it is, and rules nothing. */
export type PolicyField = Exclude<keyof Policy, 'version'>;

/** `looser`: somewhere it lets happen what would not have happened before. `neither`: nothing is judged otherwise. */
export type PolicyDirection = 'tighter' | 'looser' | 'neither';

/** The steps of a measure that may only be compared: what is larger lets more happen. */
const directionOfStep = (before: number, after: number): PolicyDirection =>
  after > before ? 'looser' : after < before ? 'tighter' : 'neither';

/** One looser step makes the whole looser: tightening elsewhere does not take back what it lets happen. */
const whole = (steps: readonly PolicyDirection[]): PolicyDirection =>
  steps.includes('looser') ? 'looser' : steps.includes('tighter') ? 'tighter' : 'neither';

/** No currency of people's: it stands for every one that neither policy names. */
const unnamedCurrency = 'XXX';

/**
 * The amounts at which rules with thresholds can change their answer: each figure that either policy names, the one
 * below and the one above it, in every currency named and in one that is not. Between two of them nothing changes.
 */
const amountsToTry = (named: readonly Amount[]): readonly Amount[] => {
  const currencies = new Set([...named.map(({ currency }) => currency), unnamedCurrency]);
  const figures = new Set([1, ...named.flatMap(({ minor }) => [minor - 1, minor, minor + 1])]);
  return [...currencies].flatMap((currency) =>
    [...figures].filter((minor) => minor > 0).map((minor) => ({ minor, currency })),
  );
};

const thresholdsOf = (policy: Policy): readonly Amount[] => [
  ...policy.moreApprovals.map(({ above }) => above),
  ...(typeof policy.signatureRequired === 'string' ? [] : policy.signatureRequired.above),
  ...(policy.automaticApproval?.upTo ?? []),
];

/** Compares two policies wherever their thresholds can make a difference. */
const atEveryAmount = (
  before: Policy,
  after: Policy,
  laxity: (policy: Policy, amount: Amount) => number,
): PolicyDirection =>
  whole(
    amountsToTry([...thresholdsOf(before), ...thresholdsOf(after)]).map((amount) =>
      directionOfStep(laxity(before, amount), laxity(after, amount)),
    ),
  );

const isUnsignedEnough = (policy: Policy, amount: Amount): boolean => !signatureRequired(policy, amount);

/** As a person; assistants and keys that nobody owns are never approved so, whatever the policy says. */
const isAutomatic = (policy: Policy, role: Role, amount: Amount): boolean =>
  approvesAutomatically(policy, { role, assistant: false, via: 'session' }, amount);

/** Whom a limit is for, what it limits and over what: its amounts, one a currency, make one rule. */
export type LimitGroup = {
  readonly key: string;
  readonly for: PolicyLimit['for'];
  readonly act: LimitAct;
  readonly per: LimitSpan;
};

const keyOf = ({ for: whom, act, per }: PolicyLimit): string =>
  JSON.stringify(['role' in whom ? 'role' : 'person', 'role' in whom ? whom.role : whom.personId, act, per]);

export const limitGroups = (policies: readonly Policy[]): readonly LimitGroup[] => {
  const groups = new Map<string, LimitGroup>();
  for (const limit of policies.flatMap(({ limits }) => limits)) {
    const key = keyOf(limit);
    if (!groups.has(key)) groups.set(key, { key, for: limit.for, act: limit.act, per: limit.per });
  }
  return [...groups.values()];
};

/** `Infinity` where no limit is in force for them, zero where one is that does not name the currency. */
export const mostIn = ({ limits }: Policy, { key }: LimitGroup, currency: string): number => {
  const own = limits.filter((limit) => keyOf(limit) === key);
  if (own.length === 0) return Infinity;
  const named = own.filter(({ most }) => most.currency === currency);
  return named.length === 0 ? 0 : Math.min(...named.map(({ most }) => most.minor));
};

export const limitCurrencies = (policies: readonly Policy[], { key }: LimitGroup): readonly string[] => [
  ...new Set(
    policies
      .flatMap(({ limits }) => limits)
      .filter((limit) => keyOf(limit) === key)
      .map(({ most }) => most.currency),
  ),
];

const directionOfLimits = (before: Policy, after: Policy): PolicyDirection =>
  whole(
    limitGroups([before, after]).flatMap((group) =>
      [...limitCurrencies([before, after], group), unnamedCurrency].map((currency) =>
        directionOfStep(mostIn(before, group, currency), mostIn(after, group, currency)),
      ),
    ),
  );

const isAllowed = ({ allowedReasons }: Policy, reason: (typeof refundReasons)[number]): boolean =>
  allowedReasons === null || allowedReasons.includes(reason);

const directionOfApprovals = (before: Policy, after: Policy): PolicyDirection =>
  atEveryAmount(before, after, (policy, amount) => -approvalsNeededFor(policy, amount));

/**
 * What comes of each rule, compared where it can differ; rules that come to one thing together are compared together. The
 * list is closed: a rule that is not in it does not compile. What has no order is `looser` whenever it is another.
 */
const comparisons: Readonly<Record<PolicyField, (before: Policy, after: Policy) => PolicyDirection>> = {
  approvalsNeeded: directionOfApprovals,
  moreApprovals: directionOfApprovals,
  proposerMayApprove: (before, after) =>
    directionOfStep(Number(before.proposerMayApprove), Number(after.proposerMayApprove)),
  signatureRequired: (before, after) =>
    atEveryAmount(before, after, (policy, amount) => Number(isUnsignedEnough(policy, amount))),
  refundWindowMs: (before, after) => directionOfStep(before.refundWindowMs, after.refundWindowMs),
  proposalExpiresAfterMs: (before, after) =>
    directionOfStep(before.proposalExpiresAfterMs, after.proposalExpiresAfterMs),
  approvalExpiresAfterMs: (before, after) =>
    directionOfStep(before.approvalExpiresAfterMs, after.approvalExpiresAfterMs),
  allowedReasons: (before, after) =>
    whole(
      refundReasons.map((reason) =>
        directionOfStep(Number(isAllowed(before, reason)), Number(isAllowed(after, reason))),
      ),
    ),
  limits: directionOfLimits,
  automaticApproval: (before, after) =>
    whole(
      roles.map((role) =>
        atEveryAmount(before, after, (policy, amount) => Number(isAutomatic(policy, role, amount))),
      ),
    ),
  // Another zone moves every day's beginning: somebody's day of a limit begins earlier than it would have.
  timeZone: (before, after) => (before.timeZone === after.timeZone ? 'neither' : 'looser'),
};

export const policyFields = Object.keys(comparisons) as readonly PolicyField[];

const directionOf = (before: Policy, after: Policy): PolicyDirection =>
  differInUnknown(before, after)
    ? 'looser'
    : whole(policyFields.map((field) => comparisons[field](before, after)));

/**
 * Whether the new policy lets anything happen that the old one would have stopped: then a second admin is needed. Rules
 * that this program does not know make it so, too.
 */
export const loosens = (before: Policy, after: Policy): boolean => directionOf(before, after) === 'looser';

/**
 * What each changed rule does by itself. Rules work together, so what is looser alone may be made up for by another: then
 * none is called looser. And where only all together are looser, each of them is.
 */
export const directionsOf = (before: Policy, after: Policy): ReadonlyMap<PolicyField, PolicyDirection> => {
  const changed = policyFields.filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  const alone = changed.map(
    (field) => [field, directionOf(before, { ...before, [field]: after[field] })] as const,
  );
  const isLooser = loosens(before, after);
  const isAnyAlone = alone.some(([, direction]) => direction === 'looser');
  return new Map(
    alone.map(([field, direction]) => {
      if (!isLooser) return [field, direction === 'looser' ? 'neither' : direction];
      return [field, isAnyAlone ? direction : 'looser'];
    }),
  );
};

const differInUnknown = (before: Policy, after: Policy): boolean => {
  const known = new Set<string>([...policyFields, 'version']);
  const unknown = (policy: Policy): readonly string[] =>
    Object.entries(policy)
      .filter(([name]) => !known.has(name))
      .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
      .toSorted();
  return unknown(before).join('\n') !== unknown(after).join('\n');
};
