import type { TimelineEntry } from '@holdfast/operation';
import type { AuditData } from '../audit/audit-chain.ts';

/** What is written into the audit besides the transition table's events. */
export const auditTypes = [
  'propose',
  'mismatch-refused',
  'late-proposal',
  'resolve-first',
  'fence-refused',
] as const;

export type StoredAuditEntry = {
  readonly at: Date;
  readonly type: string;
  readonly actorId: string | null;
  readonly state: NonNullable<TimelineEntry['state']>;
  readonly version: number;
  readonly data: AuditData;
};

export type TimelineNames = {
  readonly nameOf: (actorId: string) => string;
  readonly providerName: string;
};

const listOf = (value: AuditData[string] | undefined): readonly string[] =>
  Array.isArray(value) ? value : [];

/** One sentence for each kind of entry. A kind that a newer version wrote is shown by its own word. */
const sentenceFor = (entry: StoredAuditEntry, { nameOf, providerName }: TimelineNames): string => {
  const who = entry.actorId === null ? 'Holdfast' : nameOf(entry.actorId);
  const reference = typeof entry.data['reference'] === 'string' ? ` (${entry.data['reference']})` : '';
  switch (entry.type) {
    case 'propose':
      return `${who} proposed it.`;
    case 'approve':
      return `${who} approved it.`;
    case 'approve-partly':
      return entry.state === 'proposed'
        ? `${who} approved it; another approval is needed.`
        : `${who} approved it too; no further approval was needed.`;
    case 'withdraw':
      return `${who} took the approval back.`;
    case 'deny':
      return `${who} denied it.`;
    case 'cancel':
      return `${who} cancelled it.`;
    case 'late-proposal':
      return `${who} proposed it after it had been cancelled; nothing happened.`;
    case 'mismatch-refused':
      return `${who} sent something else under its ID (${listOf(entry.data['fields']).join(', ')}); it was refused.`;
    case 'resolve-first':
      return `${who} wants to settle it as ${String(entry.data['outcome'])}; a second operator is needed.`;
    case 'resolve-confirmed':
    case 'resolve-failed':
      return `${who} settled it.`;
    case 'expire':
      return 'Its time ran out.';
    case 'claim':
      return `It was taken up for submission to ${providerName}.`;
    case 'resubmit':
      return 'The same request goes out again under the same key.';
    case 'send-back':
      return 'The last check before sending refused it; it went back for approval.';
    case 'lose-sight':
      return `The request's end was not heard. ${providerName} will be asked.`;
    case 'need-person':
      return `A person is needed: ${listOf(entry.data['raised']).join(', ')}.`;
    case 'attention-settled':
      return 'A person is no longer needed for that.';
    case 'evidence-unsent':
      return 'Nothing was sent; it may be submitted again.';
    case 'evidence-unknown':
      return 'What is known does not show the outcome.';
    case 'evidence-pending':
      return `${providerName} has accepted it and is processing it${reference}.`;
    case 'evidence-confirmed':
      return `${providerName} reports it refunded${reference}.`;
    case 'evidence-failed':
      return 'The evidence shows that no money moved.';
    case 'evidence-reversed':
      return `${providerName} reports that the refund did not last${reference}.`;
    default:
      return entry.type;
  }
};

/** What happened to an operation, in order, for people. Names are put in here; the audit itself holds IDs. */
export const timelineOf = (
  entries: readonly StoredAuditEntry[],
  names: TimelineNames,
): readonly TimelineEntry[] =>
  entries.map((entry) => ({
    at: entry.at.toISOString(),
    type: entry.type,
    by: entry.actorId === null ? null : { id: entry.actorId, name: names.nameOf(entry.actorId) },
    sentence: sentenceFor(entry, names),
    state: entry.state,
    version: entry.version,
  }));
