import type { ProviderContract } from '@holdfast/providers';

type AbsenceTerms = Pick<ProviderContract, 'quietPeriodMs' | 'emptyReadsForAbsence' | 'emptyReadsApartMs'>;

export type AbsenceFacts = {
  readonly nowMs: number;
  readonly attempts: readonly { readonly startedAtMs: number; readonly endedAtMs: number | null }[];
  /** Times of earlier look-ups that showed nothing of ours, in any order. */
  readonly emptyReadsAtMs: readonly number[];
  /** The provider replayed a saved failure under our key: it may still roll forward, so emptiness proves nothing. */
  readonly savedFailureReplayed: boolean;
  /** Sending the same key again would bring a better answer than any absence. */
  readonly mayStillBeResubmitted: boolean;
};

/**
 * Whether an empty look-up made now is the last one needed to call the absence final. "Not found" is not "did not
 * happen": every attempt's end must be recorded, the quiet period after the last of them must be over, and enough
 * spaced reads after it must have been empty.
 */
export const judgeAbsence = (facts: AbsenceFacts, terms: AbsenceTerms): 'absent-yet' | 'absent-final' => {
  if (facts.mayStillBeResubmitted || facts.savedFailureReplayed) return 'absent-yet';
  if (facts.attempts.length === 0) return 'absent-yet';
  let quietFromMs = 0;
  for (const attempt of facts.attempts) {
    if (attempt.endedAtMs === null) return 'absent-yet';
    quietFromMs = Math.max(quietFromMs, attempt.endedAtMs);
  }
  quietFromMs += terms.quietPeriodMs;
  const reads = [...facts.emptyReadsAtMs, facts.nowMs].filter((atMs) => atMs >= quietFromMs).sort((one, other) => one - other);
  let counted = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const atMs of reads) {
    if (atMs - lastMs < terms.emptyReadsApartMs) continue;
    counted += 1;
    lastMs = atMs;
  }
  return counted >= Math.max(1, terms.emptyReadsForAbsence) ? 'absent-final' : 'absent-yet';
};
