import type { ProviderContract } from './provider-contract.ts';

type AbsenceTerms = Pick<
  ProviderContract,
  'lookUp' | 'quietPeriodMs' | 'emptyReadsForAbsence' | 'emptyReadsApartMs'
>;

/** What is known of an operation when a whole look-up of its payment, made now, shows nothing of ours. */
export type AbsenceFacts = {
  /** The database's clock, milliseconds since the epoch, as all times here. */
  readonly nowMs: number;
  /** `endedAtMs`: when the attempt's end was recorded; `null` where it was not (a worker that vanished). */
  readonly attempts: readonly { readonly endedAtMs: number | null }[];
  /** Times of earlier whole look-ups that showed nothing of ours, in any order. */
  readonly emptyReadsAtMs: readonly number[];
  /** The provider replayed a saved failure under our key: it may still carry it out, so emptiness proves nothing. */
  readonly savedFailureReplayed: boolean;
  /** Sending the same key again would bring a better answer than any absence. */
  readonly mayStillBeResubmitted: boolean;
};

/**
 * Whether the empty look-up made now is the last one needed to call the absence final. "Not found" is not "did not
 * happen": every attempt's end must be recorded, the quiet period after the last of them must be over, and enough
 * empty look-ups, far enough apart, must have been made after it. What a final absence proves is again the
 * contract's to say.
 */
export const judgeAbsence = (facts: AbsenceFacts, terms: AbsenceTerms): 'absent-yet' | 'absent-final' => {
  if (terms.lookUp !== 'by-payment') return 'absent-yet';
  if (facts.mayStillBeResubmitted || facts.savedFailureReplayed) return 'absent-yet';
  if (facts.attempts.length === 0) return 'absent-yet';
  let countsFromMs = 0;
  for (const { endedAtMs } of facts.attempts) {
    if (endedAtMs === null) return 'absent-yet';
    countsFromMs = Math.max(countsFromMs, endedAtMs + terms.quietPeriodMs);
  }
  let counted = 0;
  for (const atMs of [...facts.emptyReadsAtMs, facts.nowMs].sort((one, other) => one - other)) {
    if (atMs < countsFromMs || atMs > facts.nowMs) continue;
    counted += 1;
    countsFromMs = atMs + terms.emptyReadsApartMs;
  }
  return counted >= Math.max(1, terms.emptyReadsForAbsence) ? 'absent-final' : 'absent-yet';
};
