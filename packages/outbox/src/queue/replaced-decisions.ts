import type { CommandType } from '@holdfast/operation';
import type { DecisionIntent } from '../outbox-interface.ts';
import { historyOf, isUnfinishedEntry, mayHaveBeenSent, nextLogRows } from './entry-history.ts';
import type { EntryHistory } from './entry-history.ts';
import type { LogEvent, LogRow } from './stored-rows.ts';
import type { RefundRecord } from './refund-rows.ts';

/** A stored command with what its log says of it. */
export type Seen = { readonly record: RefundRecord; readonly history: EntryHistory };

export type DropReason = Extract<LogEvent, { kind: 'dropped' }>['because'];

export const seenOf = (record: RefundRecord): Seen => ({ record, history: historyOf(record) });

export const dropRows = (seen: readonly Seen[], nowMs: number, because: DropReason): LogRow[] =>
  seen.flatMap(({ record }) => nextLogRows(record, nowMs, [{ kind: 'dropped', because }]));

export const isUnsent = ({ history }: Seen): boolean =>
  isUnfinishedEntry(history) && !mayHaveBeenSent(history);

/** Every attempt broke for want of a connection: it may have arrived, and nobody waits for its answer. */
const onlyMetNoConnection = ({ record, history }: Seen): boolean =>
  history.openAttempt === null &&
  record.log.every(({ event }) => event.kind !== 'attempt-ended' || event.result === 'unreachable');

/**
 * Whether another word of the same person is still worth giving. Never sent, it gives way. An approval that may have
 * arrived stays and is answered in order: a denial goes before it, a withdrawal after it.
 */
export const mayBeAnswered = (seen: Seen): boolean =>
  isUnfinishedEntry(seen.history) &&
  (isUnsent(seen) || (seen.record.entry.type === 'approve' && onlyMetNoConnection(seen)));

/** Only Holdfast itself says these, of the whole request: it took nothing of it, and no verdict is bound. */
const notTaken: readonly string[] = ['sign-in', 'wrong-subject', 'not-allowed', 'update-needed'];

/** Every attempt was answered by Holdfast itself, which took nothing: no copy of it is on its way. */
export const wasNeverTaken = ({ record, history }: Seen): boolean => {
  if (history.hasUnreadable) return false;
  const ended = new Map(
    record.log.flatMap(({ event }) =>
      event.kind === 'attempt-ended' ? [[event.attemptId, event.result]] : [],
    ),
  );
  return record.log.every(
    ({ event }) => event.kind !== 'attempt-started' || notTaken.includes(ended.get(event.attemptId) ?? ''),
  );
};

/**
 * Which earlier words of one person a new word stands in for, while those were never sent. An unsent cancellation
 * gives way to nothing but a cancellation: it may be what a changed proposal waits for.
 */
const standsInFor: Record<DecisionIntent['type'], readonly CommandType[]> = {
  approve: ['approve', 'deny', 'withdraw'],
  deny: ['approve', 'deny', 'withdraw'],
  withdraw: ['approve', 'deny'],
  cancel: ['approve', 'deny', 'withdraw', 'cancel'],
  resolve: ['resolve'],
};

const sameFigures = (
  one: Extract<DecisionIntent, { type: 'approve' }>['seen'],
  other: Extract<DecisionIntent, { type: 'approve' }>['seen'],
): boolean =>
  one?.orderVersion === other?.orderVersion &&
  one?.refundable.minor === other?.refundable.minor &&
  one?.refundable.currency === other?.refundable.currency;

/** Whether a stored command asks for what is asked now. Reasons and notes may be worded anew. */
export const asksTheSame = ({ entry: { command } }: RefundRecord, intent: DecisionIntent): boolean => {
  switch (intent.type) {
    case 'approve':
      return command.type === 'approve' && command.fingerprint === intent.fingerprint;
    case 'resolve':
      return (
        command.type === 'resolve' && command.version === intent.version && command.outcome === intent.outcome
      );
    case 'withdraw':
    case 'deny':
    case 'cancel':
      return command.type === intent.type;
  }
};

/** The same in every word and figure: what may still be replaced is left alone only then. */
const saysTheSame = (record: RefundRecord, intent: DecisionIntent): boolean => {
  const { command } = record.entry;
  if (!asksTheSame(record, intent)) return false;
  switch (intent.type) {
    case 'approve':
      // A signed approval takes the place of an unsigned one, and the other way round.
      return (
        command.type === 'approve' &&
        sameFigures(command.seen, intent.seen) &&
        (command.assertion === undefined) === (intent.signature === undefined)
      );
    case 'resolve':
      return (
        command.type === 'resolve' &&
        command.note === intent.note &&
        command.providerReference === intent.providerReference
      );
    case 'withdraw':
      return true;
    case 'deny':
    case 'cancel':
      return command.type === intent.type && command.reason === intent.reason;
  }
};

/**
 * What one person said of an operation before, that a new word of theirs makes needless. Nothing whose sending was
 * ever begun: a late copy of it could still arrive, and only its own verdict makes that harmless.
 */
export const replacedBy = (own: readonly Seen[], intent: DecisionIntent): readonly Seen[] =>
  own.filter(
    (seen) =>
      standsInFor[intent.type].includes(seen.record.entry.command.type) &&
      isUnsent(seen) &&
      !saysTheSame(seen.record, intent),
  );

/**
 * Settlements of this person that Holdfast refused and that still wait to be looked at: who settles it again has seen
 * them, and the newer try stands in their place.
 */
export const refusedBefore = (own: readonly Seen[], intent: DecisionIntent): readonly Seen[] =>
  intent.type !== 'resolve'
    ? []
    : own.filter(
        ({ record, history: { ending, dismissed } }) =>
          record.entry.command.type === 'resolve' &&
          ending?.how === 'verdict' &&
          ending.status === 'rejected' &&
          !dismissed,
      );

/** A signature says more than the unsigned approval before it, whatever became of that: it is never left out. */
const isSignedAfterUnsigned = ({ entry: { command } }: RefundRecord, intent: DecisionIntent): boolean =>
  intent.type === 'approve' &&
  intent.signature !== undefined &&
  command.type === 'approve' &&
  command.assertion === undefined;

/**
 * The same intent as before: the last word on its way, or the last thing this person said and it was taken. An
 * approval is another one when the operation has moved on since (its approvals may have been made void).
 */
export const sameAsBefore = (words: readonly Seen[], intent: DecisionIntent): Seen | undefined => {
  // A cancellation under way goes before everything else, so it is the last word wherever it stands.
  const underWay =
    intent.type === 'cancel'
      ? words.find(({ record, history }) => isUnfinishedEntry(history) && record.entry.type === 'cancel')
      : undefined;
  if (underWay) return underWay;
  const last = words.at(-1);
  if (!last || !asksTheSame(last.record, intent) || isSignedAfterUnsigned(last.record, intent)) {
    return undefined;
  }
  const { ending, operationVersion } = last.history;
  if (ending === null) return last;
  if (ending.how !== 'verdict' || ending.status === 'rejected') return undefined;
  const movedOn =
    intent.type === 'approve' && (intent.seenVersion ?? 0) > (operationVersion ?? Number.MAX_SAFE_INTEGER);
  return movedOn ? undefined : last;
};

/** Whether an approval of this person may stand at the server, by what was sent from here. */
export const mayApprovalStand = (own: readonly Seen[]): boolean => {
  const sent = own.filter(
    ({ record, history }) =>
      ['approve', 'withdraw'].includes(record.entry.type) &&
      mayHaveBeenSent(history) &&
      !(history.ending?.how === 'verdict' && history.ending.status === 'rejected'),
  );
  return sent.at(-1)?.record.entry.type === 'approve';
};
