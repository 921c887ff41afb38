import type { AttentionReason } from './attention.ts';
import {
  declinesThatMayBeOurs,
  type AttemptFact,
  type ForeignRefund,
  type LookUpFinding,
  type Observation,
  type OperatorFinding,
} from './observation.ts';
import {
  attemptEnd,
  compareText,
  isAmbiguous,
  rejectionKey,
  type AttemptEnd,
  type ResponseObservation,
} from './settle-attempts.ts';
import {
  acceptedByTwo,
  answeredWithForeign,
  lastWordOfPeople,
  refundsSeen,
  type RefundSeen,
} from './settle-records.ts';
import type { Settlement, SettlementSubject, SettlementTerms } from './settlement.ts';

/**
 * What all the evidence about one operation says together. Pure, independent of the order of its inputs, and
 * unmoved by duplicates. The provider's own records come first (one that is only pending gives way to two people
 * who looked later), then what two people settled, then the ends of our requests; what none of them proves stays
 * unknown.
 *
 * `no-evidence` also while the newest request is under way and nothing else speaks: the state stays as it is.
 */
export const settle = (
  subject: SettlementSubject,
  attempts: readonly AttemptFact[],
  observations: readonly Observation[],
  terms: SettlementTerms,
): Settlement => {
  const refunds = refundsSeen(subject, observations);
  const word = lastWordOfPeople(observations);
  const people = word?.finding;
  const foreignAnswer: readonly AttentionReason[] = observations.some((seen) =>
    answeredWithForeign(seen, subject),
  )
    ? ['conflicting-evidence']
    : [];
  const best = refunds[0];
  if (best !== undefined) {
    const records = byRecords(best, refunds, people);
    // "Pending" is no end: people who looked after it was last seen so may say how it ended.
    const isNewer = refunds.every(
      ({ outcome, lastSeenMs }) => outcome !== 'pending' || (word !== undefined && lastSeenMs < word.atMs),
    );
    const ended = records.kind === 'pending' && isNewer ? byPeople(subject, people) : undefined;
    const settled = ended ? { ...ended, attention: withoutContradiction(records.attention) } : records;
    return { ...settled, attention: [...settled.attention, ...foreignAnswer] };
  }
  const settled = byPeople(subject, people) ?? byAttempts(subject, attempts, observations, terms);
  return { ...settled, attention: [...settled.attention, ...foreignAnswer] };
};

const withoutContradiction = (attention: readonly AttentionReason[]): readonly AttentionReason[] =>
  attention.filter((reason) => reason !== 'contradicted');

const byRecords = (
  best: RefundSeen,
  refunds: readonly RefundSeen[],
  people: OperatorFinding | undefined,
): Settlement => {
  const attention: AttentionReason[] = [];
  if (refunds.length > 1) attention.push('duplicate-action');
  const differing = refunds.filter((refund) => refund.differs && !acceptedByTwo(refund, people));
  if (differing.length > 0) attention.push('amount-differs');
  const happened = best.outcome === 'succeeded' || best.outcome === 'pending';
  if (people !== undefined && happened === (people.outcome === 'failed') && best.outcome !== 'reversed') {
    attention.push('contradicted');
  }
  switch (best.outcome) {
    case 'succeeded':
      // A refund of another amount is never taken for ours unless two people say so.
      if (differing.includes(best)) return { kind: 'unknown', certainlySubmitted: true, attention };
      return {
        kind: 'confirmed',
        record: best.record,
        booked: best.record.amount,
        settledBy: acceptedByPeople(best, people),
        attention,
      };
    case 'pending':
      return { kind: 'pending', record: best.record, attention };
    case 'reversed':
      return { kind: 'reversed', record: best.record, attention };
    case 'failed':
      if (differing.includes(best)) return { kind: 'unknown', certainlySubmitted: true, attention };
      return {
        kind: 'failed',
        cause: { kind: 'provider-failed', reference: best.reference, reason: best.record.failureReason },
        attention,
      };
  }
};

const acceptedByPeople = (
  refund: RefundSeen,
  people: OperatorFinding | undefined,
): { by: string; secondBy: string | null } | null =>
  people?.outcome === 'confirmed' && people.record?.reference === refund.reference
    ? { by: people.by, secondBy: people.secondBy }
    : null;

/** Without a record of the provider's, only two different people settle anything. */
const byPeople = (
  subject: SettlementSubject,
  people: OperatorFinding | undefined,
): Settlement | undefined => {
  if (people === undefined || people.secondBy === null || people.secondBy === people.by) return undefined;
  const { by, secondBy, note, secondNote } = people;
  const notes = { note, ...(secondNote === undefined ? {} : { secondNote }) };
  return people.outcome === 'confirmed'
    ? { kind: 'confirmed', record: null, booked: subject.amount, settledBy: { by, secondBy }, attention: [] }
    : { kind: 'failed', cause: { kind: 'settled-by-people', by, secondBy, ...notes }, attention: [] };
};

const byAttempts = (
  subject: SettlementSubject,
  attempts: readonly AttemptFact[],
  observations: readonly Observation[],
  terms: SettlementTerms,
): Settlement => {
  const responses = observations.filter(
    (seen): seen is ResponseObservation => seen.source === 'response' && !answeredWithForeign(seen, subject),
  );
  const foreign = observations.filter((seen) => answeredWithForeign(seen, subject)).length > 0;
  const ends = attempts.map((attempt) => ({ number: attempt.number, end: attemptEnd(attempt, responses) }));
  const newest = ends.reduce<(typeof ends)[number] | undefined>(
    (latest, one) => (latest === undefined || one.number > latest.number ? one : latest),
    undefined,
  );
  if (newest === undefined) return { kind: 'no-evidence', attention: [] };
  const unattributed = unattributedNow(observations);
  if (newest.end.kind === 'no-end' && !foreign && unattributed === undefined)
    return { kind: 'no-evidence', attention: [] };
  const all = ends.map(({ end }) => end);
  const unknown: Settlement = {
    kind: 'unknown',
    certainlySubmitted: foreign || all.some(certainlyLeft),
    attention: [],
  };
  if (foreign) return unknown;
  if (all.every((end) => end.kind === 'not-sent' || end.kind === 'deferred')) {
    return {
      kind: 'unsent',
      deferredUntilMs: newest.end.kind === 'deferred' ? newest.end.untilMs : null,
      attention: [],
    };
  }
  const refused = byRefusals(all, observations, terms, unattributed !== undefined);
  if (refused !== undefined || unattributed === undefined) return refused ?? unknown;
  const figures = { refunds: unattributed.refunds.length, operations: unattributed.operations.length };
  return { ...unknown, unattributed: figures, attention: ['conflicting-evidence'] };
};

/** Whether the newest answer about the payment shows refunds that name nobody, any of which may be this one. */
const unattributedNow = (
  observations: readonly Observation[],
): Extract<LookUpFinding, { kind: 'unattributed' }> | undefined => {
  const [newest] = observations
    .flatMap((seen) =>
      (seen.source === 'look-up' || seen.source === 'listing') &&
      seen.finding.kind !== 'no-answer' &&
      seen.finding.kind !== 'found'
        ? [{ atMs: seen.atMs, finding: seen.finding }]
        : [],
    )
    // Of two at the same instant the one that keeps the money held counts.
    .sort(
      (one, other) =>
        other.atMs - one.atMs ||
        Number(other.finding.kind === 'unattributed') - Number(one.finding.kind === 'unattributed') ||
        compareText(JSON.stringify(one.finding), JSON.stringify(other.finding)),
    );
  return newest?.finding.kind === 'unattributed' ? newest.finding : undefined;
};

const certainlyLeft = (end: AttemptEnd): boolean => {
  switch (end.kind) {
    case 'ambiguous':
      return end.certainlyLeft;
    case 'accepted':
    case 'rejected':
      return true;
    case 'no-end':
    case 'not-sent':
    case 'deferred':
      return false;
  }
};

/** A definite "nothing happened", or `undefined` where the evidence does not carry one. */
const byRefusals = (
  ends: readonly AttemptEnd[],
  observations: readonly Observation[],
  terms: SettlementTerms,
  anyMayBeOurs: boolean,
): Settlement | undefined => {
  if (ends.some((end) => end.kind === 'no-end')) return undefined;
  const declines = ends
    .flatMap((end) => (end.kind === 'rejected' ? [end.finding] : []))
    .sort((one, other) => compareText(rejectionKey(one), rejectionKey(other)));
  const mayBeOurs = declines.some(({ decline }) => declinesThatMayBeOurs.includes(decline));
  if (mayBeOurs) {
    // The refusal may speak of our own refund: only refunds of others that exhaust the payment explain it away.
    const refunds = anyMayBeOurs ? undefined : exhaustedElsewhere(observations);
    return refunds && { kind: 'failed', cause: { kind: 'refunded-elsewhere', refunds }, attention: [] };
  }
  const absent =
    !anyMayBeOurs && terms.finalAbsenceProves === 'nothing-happened' && finallyAbsent(observations);
  if (ends.some(isAmbiguous) && !absent) return undefined;
  const decline = declines[0];
  if (decline !== undefined) {
    return {
      kind: 'failed',
      cause: {
        ...{ kind: 'declined', decline: decline.decline, code: decline.code },
        ...(decline.notBeforeMs == null ? {} : { notBeforeMs: decline.notBeforeMs }),
      },
      attention: [],
    };
  }
  return absent ? { kind: 'failed', cause: { kind: 'never-arrived' }, attention: [] } : undefined;
};

const exhaustedElsewhere = (observations: readonly Observation[]): readonly ForeignRefund[] | undefined =>
  observations
    .flatMap((seen) =>
      (seen.source === 'look-up' || seen.source === 'listing') && seen.finding.kind === 'exhausted-elsewhere'
        ? [{ atMs: seen.atMs, refunds: seen.finding.refunds }]
        : [],
    )
    .sort(
      (one, other) =>
        other.atMs - one.atMs || compareText(JSON.stringify(one.refunds), JSON.stringify(other.refunds)),
    )[0]?.refunds;

/** An absence seen before an answer came in says nothing about the request that was answered. */
const finallyAbsent = (observations: readonly Observation[]): boolean => {
  const answeredAtMs = observations.flatMap((seen) => (seen.source === 'response' ? [seen.atMs] : []));
  return observations.some(
    (seen) =>
      (seen.source === 'look-up' || seen.source === 'listing') &&
      seen.finding.kind === 'absent-final' &&
      answeredAtMs.every((atMs) => atMs <= seen.atMs),
  );
};
