import type { FollowUpAct, Problem } from '@holdfast/operation';
import { problemOf } from '../intake/problem.ts';

export type FollowUpFacts = {
  readonly operationId: string;
  readonly version: number;
  /** `none`: it leaves nothing to do. */
  readonly stands: 'none' | 'open' | 'closed';
  readonly takenBy: string | null;
  readonly takenByName: string | null;
  readonly me: string;
};

export type FollowUpJudgement =
  | { readonly kind: 'refuse'; readonly problem: Problem }
  | { readonly kind: 'nothing-changes' }
  | { readonly kind: 'held-by'; readonly person: string | null }
  | { readonly kind: 'closed' };

/** What an act on it comes to. Of two who take it at once one has it, and what somebody has nobody else closes. */
export const judgeFollowUp = (act: FollowUpAct, facts: FollowUpFacts): FollowUpJudgement => {
  const ids = { operationId: facts.operationId, commandId: act.commandId };
  if (facts.stands === 'none') {
    const sentence = 'This refund leaves nothing to do: it did not come back.';
    const reasons = [{ reason: 'no-follow-up', sentence }];
    return { kind: 'refuse', problem: problemOf('not-eligible', sentence, { ...ids, reasons }) };
  }
  const stale = (detail: string): FollowUpJudgement => ({
    kind: 'refuse',
    problem: problemOf('stale', detail, { ...ids, now: { version: facts.version } }),
  });
  if (facts.stands === 'closed') return stale('It is closed already.');
  const { takenBy, me } = facts;
  const held = `${facts.takenByName ?? takenBy ?? ''} has it. Whoever takes it over says from whom.`;
  switch (act.act) {
    case 'take':
      if (takenBy === me) return { kind: 'nothing-changes' };
      if (takenBy !== (act.from ?? null)) return stale(takenBy === null ? 'Nobody has it any more.' : held);
      return { kind: 'held-by', person: me };
    case 'put-back':
      if (takenBy === null) return { kind: 'nothing-changes' };
      return takenBy === me ? { kind: 'held-by', person: null } : stale(held);
    case 'close':
      return takenBy === null || takenBy === me ? { kind: 'closed' } : stale(held);
  }
};
