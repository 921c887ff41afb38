import type { AttemptFact } from '@holdfast/operation';
import type { ProviderContract } from './provider-contract.ts';

/** What is known about an operation whose look-ups came back empty. All times by the database's clock. */
export type AbsenceEvidence = {
  readonly attempts: readonly AttemptFact[];
  /** When the last attempt was seen to end; `null` while one has no recorded end. */
  readonly lastAttemptEndedAtMs: number | null;
  /** When each whole and empty look-up was answered, in any order. */
  readonly emptyLookUpsAtMs: readonly number[];
  /** An attempt was answered with a server error: the provider may still carry the request out later. */
  readonly sawServerError: boolean;
};

export type AbsenceVerdict =
  | { readonly kind: 'absent-final' }
  /** `countsFromMs`: the earliest moment at which a further empty look-up counts; `null` where no look-up can end it. */
  | { readonly kind: 'absent-yet'; readonly because: string; readonly countsFromMs: number | null };

const notYet = (because: string, countsFromMs: number | null): AbsenceVerdict => ({
  kind: 'absent-yet',
  because,
  countsFromMs,
});

/**
 * Whether "not there" may at last be read as final, by the contract: every attempt's end recorded, no server error
 * that may yet be carried out, the quiet period over, and enough empty look-ups, far enough apart, after it.
 * What a final absence proves is again the contract's to say.
 */
export const judgeAbsence = (
  contract: Pick<
    ProviderContract,
    'canListByPayment' | 'quietPeriodMs' | 'emptyReadsForAbsence' | 'emptyReadsApartMs'
  >,
  evidence: AbsenceEvidence,
): AbsenceVerdict => {
  if (!contract.canListByPayment) return notYet('the provider cannot be asked', null);
  const { lastAttemptEndedAtMs, attempts } = evidence;
  if (lastAttemptEndedAtMs === null || attempts.some(({ ended }) => !ended))
    return notYet('an attempt has no recorded end', null);
  if (evidence.sawServerError)
    return notYet('the provider may still carry out what it answered with an error', null);
  const quietUntilMs = lastAttemptEndedAtMs + contract.quietPeriodMs;
  let counted = 0;
  let countsFromMs = quietUntilMs;
  for (const atMs of [...evidence.emptyLookUpsAtMs].sort((one, other) => one - other)) {
    if (atMs < countsFromMs) continue;
    counted += 1;
    countsFromMs = atMs + contract.emptyReadsApartMs;
  }
  if (counted >= Math.max(1, contract.emptyReadsForAbsence)) return { kind: 'absent-final' };
  return notYet(counted === 0 ? 'the quiet period' : 'more empty look-ups are needed', countsFromMs);
};
