import { endedWithoutRefund } from '../live-query.ts';
import type { Dropped, DroppedBecause, Saved } from '../outbox-interface.ts';
import { decideIntent } from './decide-intent.ts';
import { historyOf, isUnfinishedEntry, mayHaveBeenSent, nextLogRows } from './entry-history.ts';
import { newEntry } from './queue-decision.ts';
import type { CommandWorld } from './queue-decision.ts';
import type { Decision } from './queue-store.ts';
import { dropRows, seenOf, wasNeverTaken } from './replaced-decisions.ts';
import type { Seen } from './replaced-decisions.ts';
import { notSaved, recordsOf } from './records-of.ts';
import type { RefundRecord, RefundSnapshot } from './refund-rows.ts';

const undoable: readonly DroppedBecause[] = ['cancelled-unsent', 'withdrawn-unsent', 'dropped-unsent'];

const droppedReason = 'Dropped on the device that proposed it.';

const dropped = (seen: Seen, how: Extract<Dropped, { saved: true }>['how']): Dropped => ({
  saved: true,
  how,
  itemKey: seen.record.entry.key,
});

const ownItem = (snapshot: RefundSnapshot, world: CommandWorld, itemKey: string): Seen | undefined => {
  const record = snapshot.records.find(({ entry }) => entry.key === itemKey);
  return record?.entry.subject === world.subject ? seenOf(record) : undefined;
};

/** Never sent, so it is only this device's to forget. */
const dropUnsent =
  (world: CommandWorld, seen: Seen) =>
  (snapshot: RefundSnapshot): Decision<Dropped> => {
    const { type, operationId } = seen.record.entry;
    if (type === 'propose') {
      const others = recordsOf(snapshot, operationId).map(seenOf);
      const neverSent = others.every(
        ({ record, history }) => record.entry.type !== 'propose' || !mayHaveBeenSent(history),
      );
      if (!neverSent) return cancelFirst(world, seen)(snapshot);
      const open = others.filter(({ history }) => isUnfinishedEntry(history));
      const addLog = dropRows(open, world.nowMs, 'cancelled-unsent');
      return { writes: { addLog }, answer: dropped(seen, 'dropped') };
    }
    const because = type === 'approve' ? 'withdrawn-unsent' : 'dropped-unsent';
    return {
      writes: { addLog: dropRows([seen], world.nowMs, because) },
      answer: dropped(seen, 'dropped'),
    };
  };

/** The proposal itself ends when its cancellation is accepted, so that a late copy of it can do nothing. */
const cancelFirst =
  (world: CommandWorld, seen: Seen) =>
  (snapshot: RefundSnapshot): Decision<Dropped> => {
    const { operationId } = seen.record.entry;
    const intent = { type: 'cancel', operationId, reason: droppedReason } as const;
    const { writes, answer } = decideIntent(world, intent)(snapshot);
    return { writes, answer: answer.saved ? dropped(seen, 'cancelling') : answer };
  };

/**
 * An item that a person no longer wants. What was never sent is dropped here. What may have been sent is answered by
 * its counter-message: a proposal by a cancellation, an approval by a withdrawal, which goes after it: without a verdict
 * of its own a late copy of the approval would stand. Nothing takes back a denial, a cancellation, a withdrawal or a settlement: it is not sent again from here, and no more than that is promised.
 */
export const decideDrop =
  (world: CommandWorld, itemKey: string) =>
  (snapshot: RefundSnapshot): Decision<Dropped> => {
    const seen = ownItem(snapshot, world, itemKey);
    if (!seen || !isUnfinishedEntry(seen.history)) return notSaved({ reason: 'nothing-there' });
    if (!mayHaveBeenSent(seen.history)) return dropUnsent(world, seen)(snapshot);
    const { type, operationId } = seen.record.entry;
    if (type === 'propose') return cancelFirst(world, seen)(snapshot);
    if (type !== 'approve' || wasNeverTaken(seen)) {
      const addLog = dropRows([seen], world.nowMs, 'given-up');
      return { writes: { addLog }, answer: dropped(seen, 'given-up') };
    }
    const isOnItsWay = recordsOf(snapshot, operationId)
      .map(seenOf)
      .some(({ record, history }) => {
        const isOwnWithdrawal = record.entry.type === 'withdraw' && record.entry.subject === world.subject;
        return isOwnWithdrawal && isUnfinishedEntry(history);
      });
    const bound = { orderId: null, supersedes: null };
    const withdraw = newEntry(snapshot, world, { type: 'withdraw', operationId, content: {} }, bound);
    return {
      writes: { addEntries: isOnItsWay ? [] : [withdraw] },
      answer: dropped(seen, 'withdrawing'),
    };
  };

/** Another word of the same person that took the place of what was dropped. */
const tookItsPlace = (records: readonly RefundRecord[], seen: Seen): boolean => {
  const { entry } = seen.record;
  if (entry.type === 'propose') return false;
  return records.map(seenOf).some(({ record, history }) => {
    const isLater = record.entry.position > entry.position && record.entry.subject === entry.subject;
    return isLater && record.entry.type !== 'propose' && history.ending?.how !== 'dropped';
  });
};

/**
 * Whether the drop of an entry can be taken back, as far as its own operation tells.
 * @param records of the same operation
 */
export const mayUndoDrop = (records: readonly RefundRecord[], record: RefundRecord): boolean => {
  const seen = seenOf(record);
  const { ending } = seen.history;
  if (ending?.how !== 'dropped' || !undoable.includes(ending.because)) return false;
  return !tookItsPlace(records, seen);
};

/** Whether an operation can come to a refund no more, by what was acknowledged here. */
const hasEnded = (snapshot: RefundSnapshot, operationId: string): boolean =>
  recordsOf(snapshot, operationId).some((record) => {
    const { operationState } = historyOf(record);
    return (endedWithoutRefund as readonly (string | null)[]).includes(operationState);
  });

/**
 * Whatever may stand in place of a dropped proposal by now: a changed one, or another form or proposal of the same
 * order, unless the dropped one itself says that it is another refund. No clock is asked: it may have been set back.
 */
const replacement = (snapshot: RefundSnapshot, seen: Seen): string | undefined => {
  const { entry } = seen.record;
  if (entry.command.type !== 'propose') return undefined;
  const { differentFrom = [] } = entry.command;
  const isOther = (operationId: string, orderId: string | null, supersedes: string | null): boolean =>
    operationId !== entry.operationId &&
    (supersedes === entry.operationId || (orderId === entry.orderId && !differentFrom.includes(operationId)));
  const proposal = snapshot.records.find((record) => {
    const { operationId, orderId, supersedes, type } = record.entry;
    if (type !== 'propose' || !isOther(operationId, orderId, supersedes)) return false;
    const { ending, dismissed } = historyOf(record);
    return ending?.how !== 'dropped' && !dismissed && !hasEnded(snapshot, operationId);
  });
  const draft = snapshot.drafts.find(
    ({ operationId, order, supersedes, subject }) =>
      subject === entry.subject && isOther(operationId, order.id, supersedes),
  );
  return proposal?.entry.operationId ?? draft?.operationId;
};

/** Dropped by the same act: a proposal and what was decided about it here go and come back together. */
const droppedTogether = (snapshot: RefundSnapshot, seen: Seen): readonly Seen[] => {
  const { ending } = seen.history;
  return recordsOf(snapshot, seen.record.entry.operationId)
    .map(seenOf)
    .filter(
      ({ history }) =>
        history.ending?.how === 'dropped' &&
        ending?.how === 'dropped' &&
        history.ending.because === ending.because &&
        history.ending.atMs === ending.atMs,
    );
};

/**
 * Takes back the drop of what was never sent, as long as nothing took its place. The log tells of both.
 * @param snapshot with every operation of the item's order
 */
export const decideUndoDrop =
  (world: CommandWorld, itemKey: string) =>
  (snapshot: RefundSnapshot): Decision<Saved> => {
    const seen = ownItem(snapshot, world, itemKey);
    if (!seen) return notSaved({ reason: 'nothing-there' });
    // A second tap on "Undo": it is there again.
    if (isUnfinishedEntry(seen.history)) return { writes: {}, answer: { saved: true } };
    const { operationId } = seen.record.entry;
    const place = replacement(snapshot, seen);
    if (place !== undefined) return notSaved({ reason: 'replaced', operationId: place });
    if (!mayUndoDrop(recordsOf(snapshot, operationId), seen.record)) {
      return notSaved({ reason: 'nothing-there' });
    }
    const reopened = { kind: 'reopened', because: 'drop-undone' } as const;
    const addLog = droppedTogether(snapshot, seen).flatMap(({ record }) =>
      nextLogRows(record, world.nowMs, [reopened]),
    );
    return { writes: { addLog }, answer: { saved: true } };
  };
