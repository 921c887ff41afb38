import { problemSlug, type Operation, type OperationState, type Problem } from '@holdfast/operation';

/** What of an operation says who ended it, or since when it can no longer be stopped. */
export type StandingFacts = {
  readonly state: OperationState;
  readonly endedBy: string | null;
  readonly settledAt: Date | null;
  readonly firstSentAt: Date | null;
  readonly updatedAt: Date;
};

/** Who decided and when, as it is stored with a verdict: an ID and no name, so that a person can be erased. */
export type Decided = {
  readonly state: OperationState;
  readonly by: { id: string } | null;
  readonly at: string;
};

const undecided: readonly OperationState[] = ['proposed', 'approved'];

const standing = ({ state, endedBy, settledAt, firstSentAt, updatedAt }: StandingFacts): Decided => {
  const endedByPeople = state === 'denied' || state === 'cancelled';
  return {
    state,
    by: endedByPeople && endedBy !== null ? { id: endedBy } : null,
    at: (settledAt ?? firstSentAt ?? updatedAt).toISOString(),
  };
};

/** A refusal for what the operation has become says what that is, by whom and since when. */
export const withWhatStands = (problem: Problem, facts: StandingFacts | undefined): Problem => {
  const slug = problemSlug(problem);
  const isAboutState = slug === 'already-decided' || slug === 'too-late' || slug === 'stale';
  if (facts === undefined || !isAboutState || undecided.includes(facts.state)) return problem;
  return { ...problem, decided: standing(facts) };
};

/** "2026-01-02 03:04:05 UTC": two decisions in one minute are told apart. */
const instant = (at: string): string => `${at.slice(0, 19).replace('T', ' ')} UTC`;

const whoAndWhen = (state: OperationState, name: string | null, at: string): string => {
  switch (state) {
    case 'denied':
      return `Denied by ${name ?? 'somebody'} at ${instant(at)}.`;
    case 'cancelled':
      return `Cancelled by ${name ?? 'somebody'} at ${instant(at)}.`;
    case 'expired':
      return `Its time ran out at ${instant(at)}.`;
    case 'submitting':
    case 'outcome_unknown':
    case 'pending':
      return `It was taken up for submission at ${instant(at)}.`;
    case 'confirmed':
    case 'failed':
    case 'reversed':
      return `That was settled at ${instant(at)}.`;
    case 'proposed':
    case 'approved':
      return '';
  }
};

/** Whose names a stored verdict needs before it is told. */
export const actorsNamedBy = (problem: Problem): readonly string[] => {
  const by = problem.decided?.by;
  return by === undefined || by === null ? [] : [by.id];
};

/** Another operation that a verdict names, as it is when the verdict is told: whose act it stands by. */
const toldOperation = (
  stored: NonNullable<Problem['operations']>[number],
  views: ReadonlyMap<string, Operation>,
): NonNullable<Problem['operations']>[number] => {
  const view = views.get(stored.id);
  if (view === undefined) return stored;
  const approval = view.approvals.at(-1);
  const { id, name } = approval?.by ?? view.proposedBy;
  return { ...stored, sentence: view.sentence, by: { id, name }, at: approval?.at ?? view.createdAt };
};

/** The verdict as it is told: with the names that its IDs stand for, and what it names as that is now. */
export const toldProblem = (
  stored: Problem,
  nameOf: (actorId: string) => string,
  views: ReadonlyMap<string, Operation> = new Map(),
): Problem => {
  const { decided, operations } = stored;
  const problem =
    operations === undefined
      ? stored
      : { ...stored, operations: operations.map((operation) => toldOperation(operation, views)) };
  if (decided === undefined) return problem;
  const by = decided.by && { ...decided.by, name: nameOf(decided.by.id) };
  const told = whoAndWhen(decided.state, by?.name ?? null, decided.at);
  return { ...problem, decided: { ...decided, by }, detail: `${problem.detail} ${told}`.trim() };
};
