import { english, type OperationEventType, type TimelineEntry, type WaitingFor } from '@holdfast/operation';
import type { AuditData } from '../audit/audit-chain.ts';

/** Every word that is written into the audit: the transition table's events and these. Each has a sentence below. */
export type AuditType =
  | OperationEventType
  | 'propose'
  | 'mismatch-refused'
  | 'late-proposal'
  | 'resolve-first'
  | 'wait'
  | 'approval-refused'
  | 'case-taken'
  | 'case-handed-on'
  | 'case-put-back'
  | 'case-comment'
  | 'personal-data-erased'
  | 'case-escalated'
  | 'conversation-erased'
  | 'follow-up-taken'
  | 'follow-up-put-back'
  | 'follow-up-closed'
  | 'follow-up-reopened';

export type StoredAuditEntry = {
  readonly at: Date;
  readonly type: string;
  readonly actorId: string | null;
  readonly commandId?: string | null;
  readonly state: NonNullable<TimelineEntry['state']>;
  readonly version: number;
  readonly data: AuditData;
};

export type TimelineNames = {
  readonly nameOf: (actorId: string) => string;
  readonly providerName: string;
  /** What was written with a settlement, by the ID of its command. */
  readonly notes?: ReadonlyMap<string, string>;
};

const listOf = (value: AuditData[string] | undefined): readonly string[] =>
  Array.isArray(value) ? value : [];

type Told = {
  readonly entry: StoredAuditEntry;
  readonly who: string;
  readonly provider: string;
  /** " (re_123)" where the entry names the provider's reference. */
  readonly reference: string;
  /** Whom it was handed to. */
  readonly to: string;
  /** The same person's earlier approval still stands. */
  readonly approvesAgain: boolean;
  /** Nothing of the outcome changed with it: somebody has looked. */
  readonly stays: boolean;
  /** " Dan wrote: “…”" where a note is kept with it. */
  readonly wrote: string;
};

const waits: Readonly<Record<string, (provider: string) => string>> = {
  undo: () => 'It waited: the approval could still be taken back.',
  hold: () => 'It waited: submitting was on hold.',
  provider: (provider) => `It waited: ${provider} could not be asked, or was not taking requests from us.`,
  'provider-account': () => 'It waited: there was no provider account.',
  payment: () => 'It waited: another refund of this payment was under way.',
} satisfies Record<WaitingFor, (provider: string) => string>;

/** Entries from before approvals could be signed say nothing of it. */
const signedHow = ({ data }: StoredAuditEntry): string =>
  data['signed'] === true ? ', signed with a passkey' : data['signed'] === false ? ', unsigned' : '';

const approvedPartly = ({ entry, who, approvesAgain }: Told): string => {
  if (approvesAgain) return `${who} approved it again${signedHow(entry)}; that counts once.`;
  return entry.state === 'proposed'
    ? `${who} approved it${signedHow(entry)}; another approval is needed.`
    : `${who} approved it too${signedHow(entry)}; no further approval was needed.`;
};

const attentionWords: Readonly<Record<string, string | undefined>> = english.attention;

const saidOutcomes: Readonly<Record<string, string | undefined>> = {
  confirmed: ' it was refunded',
  failed: ' it did not happen',
};

const settledByPeople = ({ who, entry, stays, wrote }: Told): string => {
  if (stays) return `${who} has looked at it; it stays as it is recorded.${wrote}`;
  const said = saidOutcomes[String(entry.data['outcome'])];
  return `${who} settled it${said === undefined ? '' : `:${said}`}.${wrote}`;
};

const escalatedBecause: Readonly<Record<string, string | undefined>> = {
  'holder-gone': 'Whoever had the case sees to cases here no more',
  'second-word': 'A second operator’s word was missing for too long',
};

/** One sentence for each kind of entry: a kind without one does not compile. */
const sentences: Readonly<Record<AuditType, (told: Told) => string>> = {
  propose: ({ who, entry }) =>
    entry.data['through'] === 'device-record'
      ? `${who} proposed it; it came from a record of their device, imported on the command line.`
      : `${who} proposed it.`,
  approve: ({ who, entry }) =>
    entry.data['automatic'] === true
      ? `${who} approved it by itself.`
      : `${who} approved it${signedHow(entry)}.`,
  'approval-refused': ({ who }) =>
    `${who} proposed it and tried to approve it too; somebody else has to, so it was refused.`,
  'approve-partly': approvedPartly,
  withdraw: ({ who }) => `${who} took the approval back.`,
  deny: ({ who }) => `${who} denied it.`,
  cancel: ({ who }) => `${who} cancelled it.`,
  'late-proposal': ({ who }) => `${who} proposed it after it had been cancelled; nothing happened.`,
  'mismatch-refused': ({ who, entry }) =>
    `${who} sent something else under its ID (${listOf(entry.data['fields']).join(', ')}); it was refused.`,
  'resolve-first': ({ who, entry, wrote }) =>
    `${who} says:${saidOutcomes[String(entry.data['outcome'])] ?? ''}. A second operator must say the same.${wrote}`,
  'resolve-confirmed': settledByPeople,
  'resolve-failed': settledByPeople,
  expire: () => 'Its time ran out.',
  claim: ({ provider }) => `It was taken up for submission to ${provider}.`,
  wait: ({ entry, provider }) => waits[String(entry.data['waitingFor'])]?.(provider) ?? 'It waited.',
  resubmit: () => 'The same request goes out again under the same key.',
  'send-back': () => 'The last check before sending refused it; it went back for approval.',
  'lose-sight': ({ provider }) => `The request's end was not heard. ${provider} will be asked.`,
  'need-person': ({ entry }) =>
    `A person is needed: ${listOf(entry.data['raised'])
      .map((reason) => attentionWords[reason] ?? reason)
      .join('; ')}.`,
  'attention-settled': () => 'A person is no longer needed for that.',
  'case-taken': ({ who }) => `${who} took the case.`,
  'case-handed-on': ({ who, to }) => `${who} handed the case to ${to}.`,
  'case-put-back': ({ who }) => `${who} put the case back: nobody has it.`,
  'case-comment': ({ who }) => `${who} wrote a comment.`,
  'personal-data-erased': () => 'A name was taken out of what is kept of it.',
  'case-escalated': ({ entry }) =>
    `${escalatedBecause[String(entry.data['because'])] ?? 'Nobody had taken the case in time'}; operators and admins were told.`,
  'conversation-erased': ({ who }) => `${who} erased what was asked of the assistant.`,
  'follow-up-taken': ({ who }) => `${who} sees to it that the customer is paid another way.`,
  'follow-up-put-back': ({ who }) => `${who} put it back: nobody sees to the other way of paying.`,
  'follow-up-closed': ({ who, entry }) =>
    entry.data['how'] === 'proposal'
      ? `${who} proposed a new refund in its place.`
      : `${who} closed it: the customer was seen to another way.`,
  'follow-up-reopened': () =>
    'The refund in its place came to nothing: the customer is still to be paid another way.',
  'evidence-unsent': () => 'Nothing was sent; it may be submitted again.',
  // Also where every answer was lost: then there is none that shows it.
  'evidence-unknown': ({ provider }) =>
    `No answer from ${provider} shows the outcome yet; it is being checked.`,
  'evidence-pending': ({ provider, reference }) =>
    `${provider} has accepted it and is processing it${reference}.`,
  'evidence-confirmed': ({ provider, reference }) => `${provider} reports it refunded${reference}.`,
  'evidence-failed': () => 'The evidence shows that no money moved.',
  'evidence-reversed': ({ provider, reference }) =>
    `${provider} reports that the refund did not last${reference}.`,
};

const isAuditType = (type: string): type is AuditType => Object.hasOwn(sentences, type);

/** A kind that another version wrote is shown by its own word, and said to be that. */
const sentenceFor = (
  entry: StoredAuditEntry,
  { nameOf, providerName, notes }: TimelineNames,
  seen: Pick<Told, 'approvesAgain' | 'stays'>,
): string => {
  const { type } = entry;
  if (!isAuditType(type)) return `Something that this version has no words for happened (${type}).`;
  const who = entry.actorId === null ? 'Holdfast' : nameOf(entry.actorId);
  const note = entry.commandId == null ? undefined : notes?.get(entry.commandId);
  return sentences[type]({
    entry,
    who,
    wrote: note === undefined ? '' : ` ${who} wrote: “${note.trim()}”`,
    provider: providerName,
    reference: typeof entry.data['reference'] === 'string' ? ` (${entry.data['reference']})` : '',
    to: typeof entry.data['to'] === 'string' ? nameOf(entry.data['to']) : '',
    ...seen,
  });
};

/** For each entry, whether it is one more approval by somebody whose approval stands already. */
const repeatedApprovals = (entries: readonly StoredAuditEntry[]): ReadonlySet<StoredAuditEntry> => {
  const repeated = new Set<StoredAuditEntry>();
  const standing = new Set<string | null>();
  for (const entry of entries) {
    const { actorId: by, type } = entry;
    if (type === 'send-back') standing.clear();
    else if (type === 'withdraw') standing.delete(by);
    else if (type === 'approve' || type === 'approve-partly') {
      if (standing.has(by)) repeated.add(entry);
      standing.add(by);
    }
  }
  return repeated;
};

/** What happened to an operation, in order, for people. Names are put in here; the audit itself holds IDs. */
export const timelineOf = (
  entries: readonly StoredAuditEntry[],
  names: TimelineNames,
): readonly TimelineEntry[] => {
  const repeated = repeatedApprovals(entries);
  return entries.map((entry, index) => ({
    at: entry.at.toISOString(),
    type: entry.type,
    by: entry.actorId === null ? null : { id: entry.actorId, name: names.nameOf(entry.actorId) },
    sentence: sentenceFor(entry, names, {
      approvesAgain: repeated.has(entry),
      stays: entries[index - 1]?.state === entry.state,
    }),
    state: entry.state,
    version: entry.version,
  }));
};
