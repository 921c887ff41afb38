import { isCase, waitsForOperatorSinceMs, type Attention, type OperationState } from '@holdfast/operation';

export type EscalationFacts = {
  readonly state: OperationState;
  readonly attention: readonly Attention[];
  readonly takenBy: string | null;
  /** Whoever has it left, or may no longer see to cases. */
  readonly holderGone: boolean;
  /** Since when a second operator's word is missing; `null`: none is. */
  readonly secondWordSinceMs: number | null;
  /** When people were last told of it. */
  readonly escalatedAtMs: number | null;
};

/** Why operators and admins are told. `holder-gone`: it is nobody's from now on. */
export type Escalation = 'leave' | 'untaken' | 'holder-gone' | 'second-word';

/** Whether a case has waited so long that people are told of it: each wait once. */
export const judgeEscalation = (facts: EscalationFacts, nowMs: number, afterMs: number): Escalation => {
  const { takenBy, holderGone, secondWordSinceMs, escalatedAtMs } = facts;
  const isOver = (sinceMs: number | null): boolean => sinceMs !== null && nowMs - sinceMs >= afterMs;
  const waits = isOver(waitsForOperatorSinceMs(facts));
  if (holderGone && waits) return 'holder-gone';
  if (takenBy === null && escalatedAtMs === null && waits) return 'untaken';
  // A second word is another's to say: it is missing whoever has the case.
  const toldSince =
    escalatedAtMs !== null && secondWordSinceMs !== null && escalatedAtMs >= secondWordSinceMs;
  return isCase(facts) && isOver(secondWordSinceMs) && !toldSince ? 'second-word' : 'leave';
};
