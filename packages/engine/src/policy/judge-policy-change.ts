import { loosens, type Actor, type Policy, type PolicyInput, type Problem } from '@holdfast/operation';
import { personOf } from '../intake/access.ts';
import { problemOf } from '../intake/problem.ts';

/** A loosening from the first admin's word to its end. */
export type PolicyChangeState = 'waiting' | 'in-force' | 'refused' | 'withdrawn' | 'stale';

export type ProposedChange = {
  readonly state: PolicyChangeState;
  readonly basedOn: number;
  readonly proposedPerson: string;
};

type Refused = { readonly kind: 'refuse'; readonly problem: Problem };
const refuse = (problem: Problem): Refused => ({ kind: 'refuse', problem });

export type ChangeJudgement =
  | Refused
  | { readonly kind: 'unchanged' }
  /** It only tightens, so one admin's word is enough. */
  | { readonly kind: 'in-force'; readonly policy: Policy }
  /** It loosens, so nothing of it is in force before a second admin agrees. */
  | { readonly kind: 'wait'; readonly policy: Policy };

/** Why this actor may not touch the policy at all; `undefined` where they may. No key may, whoever owns it. */
export const notAnAdmin = (actor: Actor): Problem | undefined => {
  if (actor.role !== 'admin') return problemOf('forbidden', 'Only admins change the policy.');
  return actor.via === 'session' && !actor.assistant
    ? undefined
    : problemOf('forbidden', 'The policy is changed by people who are signed in: no key may do it.');
};

/**
 * The machine's own command line counts as one word, as an admin's does: it may tighten, and what it would loosen waits for
 * an admin in person. No request over HTTP is ever `system`.
 */
export const isCommandLine = (actor: Pick<Actor, 'id' | 'via'>): boolean =>
  actor.via === 'system' && actor.id === commandLineId;
export const commandLineId = 'command-line';

const staleProblem = (inForce: Policy): Problem =>
  problemOf(
    'stale',
    `Version ${inForce.version} is in force by now, so nothing was changed. Look at it, and change that one.`,
    { now: { version: inForce.version } },
  );

export const judgePolicyChange = (
  actor: Actor,
  inForce: Policy,
  asked: { readonly basedOn: number; readonly policy: PolicyInput },
  facts: {
    /** Whether another change waits for a second admin already. */
    readonly isOneWaiting: boolean;
    /** People named in the new policy's limits who belong to nobody here. */
    readonly strangers: readonly string[];
  },
): ChangeJudgement => {
  const forbidden = isCommandLine(actor) ? undefined : notAnAdmin(actor);
  if (forbidden !== undefined) return refuse(forbidden);
  if (facts.strangers.length > 0) return refuse(strangersProblem(asked.policy, facts.strangers));
  if (asked.basedOn !== inForce.version) return refuse(staleProblem(inForce));
  const policy: Policy = { ...asked.policy, version: inForce.version + 1 };
  if (isSame(inForce, policy)) return { kind: 'unchanged' };
  if (!loosens(inForce, policy)) return { kind: 'in-force', policy };
  return facts.isOneWaiting
    ? refuse(
        problemOf(
          'already-decided',
          'Another change waits for a second admin already. Approve or refuse that one first.',
        ),
      )
    : { kind: 'wait', policy };
};

const isSame = (one: Policy, other: Policy): boolean =>
  sorted({ ...one, version: 0 }) === sorted({ ...other, version: 0 });

/** The order in which an object's fields stand says nothing. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );

const strangersProblem = ({ limits }: PolicyInput, strangers: readonly string[]): Problem => {
  const issues = limits.flatMap(({ for: whom }, index) =>
    'personId' in whom && strangers.includes(whom.personId)
      ? [
          {
            path: `policy.limits.${index}.for.personId`,
            message: 'is nobody of this organisation: choose one of its members',
          },
        ]
      : [],
  );
  const detail = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return problemOf('invalid', detail, { issues });
};

export type ConfirmationJudgement =
  | Refused
  /** It was for a version that is no longer in force: it ends here. */
  | { readonly kind: 'stale'; readonly problem: Problem }
  | { readonly kind: 'in-force' };

/** Whether this actor's word is the second one that a loosening needs. */
export const judgeConfirmation = (
  actor: Actor,
  inForce: Policy,
  change: ProposedChange | undefined,
  /** Whether whoever proposed it is still an admin, or the command line: two words stand for it, or none does. */
  isProposerAdmin: boolean,
): ConfirmationJudgement => {
  const because = notAnAdmin(actor) ?? notWaiting(change);
  if (because !== undefined || change === undefined) return refuse(because ?? noSuchChange);
  if (personOf(actor) === change.proposedPerson) {
    return refuse(problemOf('forbidden', 'You proposed it, so another admin has to approve it.'));
  }
  if (change.basedOn !== inForce.version) return { kind: 'stale', problem: staleProblem(inForce) };
  if (isProposerAdmin) return { kind: 'in-force' };
  return {
    kind: 'stale',
    problem: problemOf(
      'stale',
      'Whoever proposed it is no admin any more, so nothing was changed. Another admin can propose it again.',
    ),
  };
};

export type RefusalJudgement = Refused | { readonly kind: 'refused' | 'withdrawn' };

/** Any admin may stop a loosening; the one who proposed it takes it back. */
export const judgeRefusal = (actor: Actor, change: ProposedChange | undefined): RefusalJudgement => {
  const because = notAnAdmin(actor) ?? notWaiting(change);
  if (because !== undefined || change === undefined) return refuse(because ?? noSuchChange);
  return { kind: personOf(actor) === change.proposedPerson ? 'withdrawn' : 'refused' };
};

const noSuchChange = problemOf('not-found', 'There is no change of the policy with this ID.');

const endings: Readonly<Record<Exclude<PolicyChangeState, 'waiting'>, string>> = {
  'in-force': 'It is in force already.',
  refused: 'It was refused.',
  withdrawn: 'It was taken back by the admin who proposed it.',
  stale: 'It was for a version that is no longer in force.',
};

const notWaiting = (change: ProposedChange | undefined): Problem | undefined => {
  if (change === undefined) return noSuchChange;
  return change.state === 'waiting'
    ? undefined
    : problemOf('already-decided', `${endings[change.state]} Nothing was changed by this.`);
};
