import type { CommandType } from '@holdfast/operation';
import type { Decided, DecisionIntent, Saved } from '../outbox-interface.ts';
import { historyOf, isUnfinishedEntry, mayHaveBeenSent, nextLogRows } from './entry-history.ts';
import type { EntryHistory } from './entry-history.ts';
import { newEntry, notSaved, recordsOf, refusalOf } from './queue-decision.ts';
import type { CommandWorld } from './queue-decision.ts';
import type { Decision, QueueSnapshot } from './queue-store.ts';
import type { EntryRecord, LogEvent } from './stored-rows.ts';

type Seen = { readonly record: EntryRecord; readonly history: EntryHistory };

type DropReason = Extract<LogEvent, { kind: 'dropped' }>['because'];

const drop = (seen: readonly Seen[], nowMs: number, because: DropReason) =>
  seen.flatMap(({ record }) => nextLogRows(record, nowMs, [{ kind: 'dropped', because }]));

/** Whether a stored command asks for what is asked now. Reasons and notes may be worded anew. */
const asksTheSame = (record: EntryRecord, intent: DecisionIntent): boolean => {
  const { command } = record.entry;
  if (command.type !== intent.type) return false;
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
      return true;
  }
};

/** The same intent as before: still on its way, or the last thing this person said of it and it was taken. */
const sameAsBefore = (own: readonly Seen[], intent: DecisionIntent): Seen | undefined => {
  const underWay = own.find(
    ({ record, history }) => isUnfinishedEntry(history) && asksTheSame(record, intent),
  );
  if (underWay) return underWay;
  const last = own.at(-1);
  if (!last || !asksTheSame(last.record, intent)) return undefined;
  const { ending } = last.history;
  return ending?.how === 'verdict' && ending.status !== 'rejected' ? last : undefined;
};

const isUnsent =
  (type: CommandType) =>
  (seen: Seen): boolean =>
    seen.record.entry.type === type && isUnfinishedEntry(seen.history) && !mayHaveBeenSent(seen.history);

/** What an unsent command makes needless: nothing has to be said of a thing that was never said. */
const droppedInstead = (
  own: readonly Seen[],
  intent: DecisionIntent,
): { seen: readonly Seen[]; because: DropReason } | undefined => {
  if (intent.type === 'cancel') {
    const proposals = own.filter(({ record }) => record.entry.type === 'propose');
    const neverSent =
      proposals.some(isUnsent('propose')) && proposals.every(({ history }) => !mayHaveBeenSent(history));
    if (!neverSent) return undefined;
    const seen = own.filter(({ history }) => isUnfinishedEntry(history));
    return { seen, because: 'cancelled-unsent' };
  }
  if (intent.type !== 'withdraw') return undefined;
  const seen = own.filter(isUnsent('approve'));
  return seen.length > 0 ? { seen, because: 'withdrawn-unsent' } : undefined;
};

/** A second tap on what was dropped a moment ago: it stays dropped, and still nothing is sent. */
const droppedBefore = (own: readonly Seen[], intent: DecisionIntent): Seen | undefined => {
  const last = own.at(-1);
  if (last?.history.ending?.how !== 'dropped') return undefined;
  const { because } = last.history.ending;
  if (intent.type === 'cancel') {
    const proposal = own.find(({ record }) => record.entry.type === 'propose');
    return because === 'cancelled-unsent' && proposal ? last : undefined;
  }
  return intent.type === 'withdraw' && because === 'withdrawn-unsent' ? last : undefined;
};

/** Proposed here and dropped before anyone else could hear of it: there is nothing to decide. */
const wasNeverSent = (snapshot: QueueSnapshot, operationId: string): boolean => {
  const proposals = recordsOf(snapshot, operationId).filter(({ entry }) => entry.type === 'propose');
  return (
    proposals.length > 0 &&
    proposals.every(({ log }) => {
      const history = historyOf(log);
      return history.ending?.how === 'dropped' && !mayHaveBeenSent(history);
    })
  );
};

/** A person who changes their mind before anything was sent: the earlier word is taken back here. */
const opposite: Partial<Record<DecisionIntent['type'], CommandType>> = { approve: 'deny', deny: 'approve' };

/**
 * A person's decision becomes an item, once for each intent: a double tap, a second tab and a page brought back find
 * the command that is there.
 */
export const decideIntent =
  (world: CommandWorld, intent: DecisionIntent) =>
  (snapshot: QueueSnapshot): Decision<Decided> => {
    const own: Seen[] = recordsOf(snapshot, intent.operationId)
      .filter(({ entry }) => entry.subject === world.subject)
      .map((record) => ({ record, history: historyOf(record.log) }));
    const before = droppedBefore(own, intent);
    if (before) {
      return { writes: {}, answer: { saved: true, how: 'dropped', itemKey: before.record.entry.key } };
    }
    if (wasNeverSent(snapshot, intent.operationId)) return notSaved({ reason: 'nothing-there' });
    const needless = droppedInstead(own, intent);
    const first = needless?.seen[0];
    if (needless && first) {
      return {
        writes: { addLog: drop(needless.seen, world.nowMs, needless.because) },
        answer: { saved: true, how: 'dropped', itemKey: first.record.entry.key },
      };
    }
    const same = sameAsBefore(own, intent);
    if (same) {
      const itemKey = same.record.entry.key;
      return { writes: {}, answer: { saved: true, how: 'queued', again: true, itemKey } };
    }
    const { type, operationId, ...content } = intent;
    const entry = newEntry(
      snapshot,
      world,
      { type, operationId, content },
      { orderId: null, supersedes: null },
    );
    const refusal = refusalOf(entry);
    if (refusal) return notSaved(refusal);
    const against = opposite[type];
    const takenBack = against === undefined ? [] : own.filter(isUnsent(against));
    return {
      writes: { addEntries: [entry], addLog: drop(takenBack, world.nowMs, 'superseded') },
      answer: { saved: true, how: 'queued', again: false, itemKey: entry.key },
    };
  };

const dismissedReason = 'Refused, and no longer wanted.';

/**
 * A refusal was read. A refused proposal of which more than one copy was sent is cancelled as well: the copy that
 * was refused may not be the last to arrive, and a refusal binds nothing.
 */
export const decideDismiss =
  (world: CommandWorld, itemKey: string) =>
  (snapshot: QueueSnapshot): Decision<Saved> => {
    const record = snapshot.records.find(({ entry }) => entry.key === itemKey);
    if (record?.entry.subject !== world.subject) return notSaved({ reason: 'nothing-there' });
    const history = historyOf(record.log);
    if (history.ending?.how !== 'verdict') return notSaved({ reason: 'nothing-there' });
    if (history.dismissed) return { writes: {}, answer: { saved: true } };
    const { type, operationId } = record.entry;
    const isLateCopyPossible = type === 'propose' && history.attemptCount > 1;
    const content = { reason: dismissedReason };
    return {
      writes: {
        addLog: nextLogRows(record, world.nowMs, [{ kind: 'dismissed' }]),
        addEntries: isLateCopyPossible
          ? [
              newEntry(
                snapshot,
                world,
                { type: 'cancel', operationId, content },
                { orderId: null, supersedes: null },
              ),
            ]
          : [],
      },
      answer: { saved: true },
    };
  };
