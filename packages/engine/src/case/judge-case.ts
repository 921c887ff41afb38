import { isCase, type Attention, type CaseAct, type OperationState } from '@holdfast/operation';
import { problemOf } from '../intake/problem.ts';
import type { Problem } from '@holdfast/operation';

export type CaseFacts = {
  readonly operationId: string;
  readonly state: OperationState;
  readonly version: number;
  readonly attention: readonly Attention[];
  /** Who has it; `null`: nobody. */
  readonly takenBy: string | null;
  /** What people call whoever has it. */
  readonly takenByName: string | null;
  readonly me: string;
  /** Whether the person it is handed to works here as an operator. */
  readonly mayTake: (person: string) => boolean;
};

export type CaseJudgement =
  | { readonly kind: 'refuse'; readonly problem: Problem }
  /** It is so already: answered with what is, and nothing is written but the act itself. */
  | { readonly kind: 'nothing-changes' }
  | { readonly kind: 'written' }
  | { readonly kind: 'held-by'; readonly person: string | null };

/**
 * What an act on a case comes to. Who has it changes only for whoever knows who had it: of two who take it at once one
 * has it, and the other is told.
 */
export const judgeCase = (act: CaseAct, facts: CaseFacts): CaseJudgement => {
  if (act.act === 'comment') return { kind: 'written' };
  const ids = { operationId: facts.operationId, commandId: act.commandId };
  if (!isCase(facts)) {
    const sentence = 'Its outcome is known and nobody is needed: there is nothing to take up.';
    const reasons = [{ reason: 'no-case', sentence }];
    return { kind: 'refuse', problem: problemOf('not-eligible', sentence, { ...ids, reasons }) };
  }
  const target = act.act === 'take' ? facts.me : act.act === 'hand-on' ? act.to : null;
  if (act.act === 'hand-on' && !facts.mayTake(act.to)) {
    const sentence = 'It can be handed to operators and admins of this organisation alone.';
    const reasons = [{ reason: 'not-an-operator', sentence }];
    return { kind: 'refuse', problem: problemOf('not-eligible', sentence, { ...ids, reasons }) };
  }
  if (facts.takenBy === target) return { kind: 'nothing-changes' };
  const expected = act.from ?? (act.act === 'take' ? null : facts.me);
  if (facts.takenBy !== expected) {
    const detail =
      facts.takenBy === null
        ? 'Nobody has it any more.'
        : `${facts.takenByName ?? facts.takenBy} has it. Whoever takes it over says from whom.`;
    return {
      kind: 'refuse',
      problem: problemOf('stale', detail, { ...ids, now: { version: facts.version } }),
    };
  }
  return { kind: 'held-by', person: target };
};
