import { sameAmount } from './amount.ts';
import type { Observation, OperatorFinding, ProviderRecord } from './observation.ts';
import type { SettlementSubject } from './settlement.ts';
import { compareText } from './settle-attempts.ts';

/** All that was seen of one refund at the provider, whatever the order it was seen in. */
export type RefundSeen = {
  readonly reference: string;
  readonly outcome: 'succeeded' | 'pending' | 'reversed' | 'failed';
  /** The record that shows the outcome; the newest sighting of it. */
  readonly record: ProviderRecord;
  /** When any record of it was seen last. Milliseconds since the epoch. */
  readonly lastSeenMs: number;
  /** Amount, currency or payment is not what was approved. */
  readonly differs: boolean;
};

type Sighting = { readonly atMs: number; readonly record: ProviderRecord; readonly joined: boolean };

/** `foreign`: its metadata names another operation or organisation. */
const isForeign = (record: ProviderRecord, subject: SettlementSubject): boolean =>
  (record.organisationId !== null && record.organisationId !== subject.organisationId) ||
  (record.operationId !== null && record.operationId !== subject.operationId);

const sightingOf = (seen: Observation): Sighting | undefined => {
  switch (seen.source) {
    case 'response':
      return seen.finding.kind === 'accepted'
        ? { atMs: seen.atMs, record: seen.finding.record, joined: true }
        : undefined;
    case 'webhook':
      // Joined on our own key or the provider's ID before it came here, never on an amount.
      return { atMs: seen.atMs, record: seen.finding.record, joined: true };
    case 'look-up':
    case 'listing':
      return seen.finding.kind === 'found'
        ? { atMs: seen.atMs, record: seen.finding.record, joined: false }
        : undefined;
    case 'operator':
      return seen.finding.record === null
        ? undefined
        : { atMs: seen.atMs, record: seen.finding.record, joined: seen.finding.outcome === 'confirmed' };
  }
};

/** The answer to our own request that shows somebody else's refund: it proves nothing about ours. */
export const answeredWithForeign = (seen: Observation, subject: SettlementSubject): boolean =>
  seen.source === 'response' && seen.finding.kind === 'accepted' && isForeign(seen.finding.record, subject);

/** This operation's own refunds at the provider, one entry a reference, the one that counts most first. */
export const refundsSeen = (
  subject: SettlementSubject,
  observations: readonly Observation[],
): readonly RefundSeen[] => {
  const sightings = observations
    .map(sightingOf)
    .filter((sighting) => sighting !== undefined)
    .filter(({ record }) => !isForeign(record, subject));
  const ours = new Set(
    sightings
      .filter(({ record, joined }) => joined || record.operationId === subject.operationId)
      .map(({ record }) => record.reference),
  );
  return [...ours]
    .map((reference) =>
      refundOf(
        reference,
        sightings.filter(({ record }) => record.reference === reference),
        subject,
      ),
    )
    .filter((refund) => refund !== undefined)
    .sort(byWeight);
};

const refundOf = (
  reference: string,
  sightings: readonly Sighting[],
  subject: SettlementSubject,
): RefundSeen | undefined => {
  const newest = (status: ProviderRecord['status']): ProviderRecord | undefined =>
    sightings.filter(({ record }) => record.status === status).sort(newestFirst)[0]?.record;
  const succeeded = newest('succeeded');
  const failed = newest('failed');
  const record = failed ?? succeeded ?? newest('pending');
  if (record === undefined) return undefined;
  const outcome =
    succeeded && failed ? 'reversed' : succeeded ? 'succeeded' : failed ? 'failed' : ('pending' as const);
  return {
    reference,
    outcome,
    record,
    lastSeenMs: Math.max(...sightings.map(({ atMs }) => atMs)),
    differs: sightings.some((sighting) => differsFrom(subject, sighting.record)),
  };
};

const differsFrom = (subject: SettlementSubject, record: ProviderRecord): boolean =>
  !sameAmount(record.amount, subject.amount) || record.paymentReference !== subject.paymentReference;

const newestFirst = (one: Sighting, other: Sighting): number =>
  other.atMs - one.atMs ||
  compareText(JSON.stringify(recordKey(one.record)), JSON.stringify(recordKey(other.record)));

const recordKey = (record: ProviderRecord): readonly unknown[] => [
  record.statusText,
  record.failureReason,
  record.amount.minor,
  record.amount.currency,
  record.paymentReference,
  record.createdAtMs,
  record.organisationId,
  record.operationId,
];

const weight: Record<RefundSeen['outcome'], number> = { succeeded: 0, pending: 1, reversed: 2, failed: 3 };

/** A success beats pending beats failure; then what was approved before what differs; then the older one. */
const byWeight = (one: RefundSeen, other: RefundSeen): number =>
  weight[one.outcome] - weight[other.outcome] ||
  Number(one.differs) - Number(other.differs) ||
  one.record.createdAtMs - other.record.createdAtMs ||
  compareText(one.reference, other.reference);

/** What people settled last, and when. Of two at the same instant the one that keeps the money held counts. */
export const lastWordOfPeople = (
  observations: readonly Observation[],
): { readonly atMs: number; readonly finding: OperatorFinding } | undefined =>
  observations
    .filter((seen) => seen.source === 'operator')
    .sort(
      (one, other) =>
        other.atMs - one.atMs || compareText(findingKey(one.finding), findingKey(other.finding)),
    )[0];

const findingKey = (finding: OperatorFinding): string =>
  JSON.stringify([
    finding.outcome,
    finding.by,
    finding.secondBy,
    finding.note,
    finding.secondNote ?? null,
    finding.record?.reference ?? null,
  ]);

/** Two operators took this very refund, at the amount it still has, for the one that was meant. */
export const acceptedByTwo = (refund: RefundSeen, finding: OperatorFinding | undefined): boolean =>
  finding?.outcome === 'confirmed' &&
  finding.secondBy !== null &&
  finding.secondBy !== finding.by &&
  finding.record?.reference === refund.reference &&
  sameAmount(finding.record.amount, refund.record.amount) &&
  finding.record.paymentReference === refund.record.paymentReference;
