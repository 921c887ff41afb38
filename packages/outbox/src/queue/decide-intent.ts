import type { Assertion } from '@holdfast/operation';
import type { Decided, DecisionIntent, Saved } from '../outbox-interface.ts';
import { historyOf, isUnfinishedEntry, mayHaveBeenSent, nextLogRows } from './entry-history.ts';
import { newEntry, refusalOf } from './queue-decision.ts';
import type { CommandWorld } from './queue-decision.ts';
import type { Decision } from './queue-store.ts';
import {
  dropRows,
  isUnsent,
  mayApprovalStand,
  refusedBefore,
  replacedBy,
  sameAsBefore,
  seenOf,
} from './replaced-decisions.ts';
import type { Seen } from './replaced-decisions.ts';
import type { LogRow } from './stored-rows.ts';
import { notSaved, recordsOf } from './records-of.ts';
import type { RefundSnapshot } from './refund-rows.ts';

/** What a cancellation makes needless: nothing has to be said of a proposal that was never said. */
const cancelledUnsent = (own: readonly Seen[], intent: DecisionIntent): readonly Seen[] => {
  if (intent.type !== 'cancel') return [];
  const proposals = own.filter(({ record }) => record.entry.type === 'propose');
  const neverSent = proposals.some(isUnsent) && proposals.every(({ history }) => !mayHaveBeenSent(history));
  return neverSent ? own.filter(({ history }) => isUnfinishedEntry(history)) : [];
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
const wasNeverSent = (snapshot: RefundSnapshot, operationId: string): boolean => {
  const proposals = recordsOf(snapshot, operationId).filter(({ entry }) => entry.type === 'propose');
  return (
    proposals.length > 0 &&
    proposals.every((record) => {
      const history = historyOf(record);
      return history.ending?.how === 'dropped' && !mayHaveBeenSent(history);
    })
  );
};

const dropped = (itemKey: string, addLog: readonly LogRow[]): Decision<Decided> => ({
  writes: { addLog },
  answer: { saved: true, how: 'dropped', itemKey },
});

/** An approval or denial that was never sent is taken back by forgetting it, unless an earlier one may stand. */
const takenBackHere = (
  own: readonly Seen[],
  replaced: readonly Seen[],
  world: CommandWorld,
): Decision<Decided> | undefined => {
  const [first] = replaced;
  if (first === undefined || !replaced.every(isUnsent) || mayApprovalStand(own)) return undefined;
  return dropped(first.record.entry.key, dropRows(replaced, world.nowMs, 'withdrawn-unsent'));
};

/** What this person said of the operation before and what still counts of it, the newest last. */
const wordsLeft = (own: readonly Seen[], replaced: readonly Seen[]): readonly Seen[] =>
  own.filter(
    (seen) =>
      seen.record.entry.type !== 'propose' &&
      !replaced.includes(seen) &&
      seen.history.ending?.how !== 'dropped',
  );

/**
 * A person's decision becomes an item, once for each intent: a double tap, a second tab and a page brought back find
 * the command that is there. Until a decision is sent its person may replace it: then exactly the last word is left
 * to send, and the log tells of the others.
 */
export const decideIntent =
  (world: CommandWorld, intent: DecisionIntent) =>
  (snapshot: RefundSnapshot): Decision<Decided> => {
    const own = recordsOf(snapshot, intent.operationId)
      .filter(({ entry }) => entry.subject === world.subject)
      .map(seenOf);
    const before = droppedBefore(own, intent);
    if (before) return dropped(before.record.entry.key, []);
    if (wasNeverSent(snapshot, intent.operationId)) return notSaved({ reason: 'nothing-there' });
    const needless = cancelledUnsent(own, intent);
    const [first] = needless;
    if (first) {
      return dropped(first.record.entry.key, dropRows(needless, world.nowMs, 'cancelled-unsent'));
    }
    const replaced = replacedBy(own, intent);
    const takenBack = intent.type === 'withdraw' ? takenBackHere(own, replaced, world) : undefined;
    if (takenBack) return takenBack;
    const seenAgain = refusedBefore(own, intent).flatMap(({ record }) =>
      nextLogRows(record, world.nowMs, [{ kind: 'dismissed' }]),
    );
    const addLog = [...dropRows(replaced, world.nowMs, 'superseded'), ...seenAgain];
    const same = sameAsBefore(wordsLeft(own, replaced), intent);
    if (same) {
      const itemKey = same.record.entry.key;
      return { writes: { addLog }, answer: { saved: true, how: 'queued', again: true, itemKey } };
    }
    const { type, operationId, ...content } = wireContent(intent);
    const bound = { orderId: null, supersedes: null };
    const entry = newEntry(snapshot, worldOf(world, intent), { type, operationId, content }, bound);
    const refusal = refusalOf(entry);
    if (refusal) return notSaved(refusal);
    return {
      writes: { addEntries: [entry], addLog },
      answer: { saved: true, how: 'queued', again: false, itemKey: entry.key },
    };
  };

/** What is sent of an intent: which version of the operation stood on the screen is for this device alone. */
const wireContent = (
  intent: DecisionIntent,
): Pick<DecisionIntent, 'type' | 'operationId'> & { readonly assertion?: Assertion } => {
  if (intent.type !== 'approve') return intent;
  const { seenVersion: _seenVersion, signature, ...sent } = intent;
  return signature === undefined ? sent : { ...sent, assertion: signature.assertion };
};

/** The ID that a signature is about was minted before it was made. */
const worldOf = (world: CommandWorld, intent: DecisionIntent): CommandWorld =>
  intent.type === 'approve' && intent.signature !== undefined
    ? { ...world, commandId: intent.signature.commandId }
    : world;

const dismissedReason = 'Refused, and no longer wanted.';

/**
 * A refusal was read. A refused proposal is cancelled as well: a refusal binds nothing, and the copy that was refused
 * may not be the last to arrive.
 */
export const decideDismiss =
  (world: CommandWorld, itemKey: string) =>
  (snapshot: RefundSnapshot): Decision<Saved> => {
    const record = snapshot.records.find(({ entry }) => entry.key === itemKey);
    if (record?.entry.subject !== world.subject) return notSaved({ reason: 'nothing-there' });
    const history = historyOf(record);
    if (history.ending?.how !== 'verdict') return notSaved({ reason: 'nothing-there' });
    if (history.dismissed) return { writes: {}, answer: { saved: true } };
    const { type, operationId } = record.entry;
    const isProposal = type === 'propose';
    const content = { reason: dismissedReason };
    return {
      writes: {
        addLog: nextLogRows(record, world.nowMs, [{ kind: 'dismissed' }]),
        addEntries: isProposal
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
