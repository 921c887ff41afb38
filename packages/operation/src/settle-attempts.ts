import type { AttemptFact, AttemptFinding, Observation } from './observation.ts';

/** How one attempt ended, by all that was observed of it. `no-end`: nothing was. */
export type AttemptEnd =
  | { readonly kind: 'no-end' }
  | { readonly kind: 'ambiguous'; readonly certainlyLeft: boolean }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'not-sent' }
  | { readonly kind: 'deferred'; readonly untilMs: number | null }
  | { readonly kind: 'rejected'; readonly finding: Extract<AttemptFinding, { kind: 'rejected' }> };

export type ResponseObservation = Extract<Observation, { source: 'response' }>;

/**
 * One attempt is one request on the wire, so a definite end beats an unknown one (a worker that lost its claim
 * and answers late). Two definite ends that disagree make it ambiguous again.
 */
export const attemptEnd = (attempt: AttemptFact, responses: readonly ResponseObservation[]): AttemptEnd => {
  const own = responses.filter(({ attemptNumber }) => attemptNumber === attempt.number);
  if (own.length === 0)
    return attempt.ended ? { kind: 'ambiguous', certainlyLeft: false } : { kind: 'no-end' };
  const definite = own.filter(
    ({ finding }) => finding.kind !== 'unknown' && finding.kind !== 'in-flight-elsewhere',
  );
  const kinds = new Set(definite.map(({ finding }) => finding.kind));
  if (kinds.has('accepted')) return { kind: 'accepted' };
  const certainlyLeft = own.some(({ finding }) => finding.kind !== 'not-sent' && leftForCertain(finding));
  if (kinds.size !== 1) return { kind: 'ambiguous', certainlyLeft };
  return definiteEnd(definite);
};

const leftForCertain = (finding: AttemptFinding): boolean =>
  finding.kind !== 'unknown' || finding.requestLeft !== false;

const definiteEnd = (definite: readonly ResponseObservation[]): AttemptEnd => {
  const untilMs: number[] = [];
  const rejections: Extract<AttemptFinding, { kind: 'rejected' }>[] = [];
  for (const { finding, atMs } of definite) {
    if (finding.kind === 'deferred' && finding.retryAfterMs !== null)
      untilMs.push(atMs + finding.retryAfterMs);
    if (finding.kind === 'rejected') rejections.push(finding);
  }
  const rejection = rejections.sort((one, other) => compareText(rejectionKey(one), rejectionKey(other)))[0];
  if (rejection !== undefined) return { kind: 'rejected', finding: rejection };
  if (definite.some(({ finding }) => finding.kind === 'deferred')) {
    return { kind: 'deferred', untilMs: untilMs.length > 0 ? Math.max(...untilMs) : null };
  }
  return { kind: 'not-sent' };
};

/** Says which of several refusals is told, whatever the order they came in. */
export const rejectionKey = ({
  decline,
  code,
  notBeforeMs,
}: Extract<AttemptFinding, { kind: 'rejected' }>): string =>
  `${decline} ${code ?? ''} ${String(notBeforeMs ?? '')}`;

/** By code unit, the same on every machine. */
export const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

export const isAmbiguous = (end: AttemptEnd): boolean => end.kind === 'no-end' || end.kind === 'ambiguous';

/** Whether anything of the operation may be at the provider without our knowing its end. */
export const anyAttemptAmbiguous = (
  attempts: readonly AttemptFact[],
  observations: readonly Observation[],
): boolean => {
  const responses = observations.filter((seen): seen is ResponseObservation => seen.source === 'response');
  return attempts.some((attempt) => isAmbiguous(attemptEnd(attempt, responses)));
};
