import type { CommandType, OperationState } from '@holdfast/operation';
import { endedWithoutRefund } from '../live-query.ts';
import { historyOf, isUnfinishedEntry, mayHaveBeenSent, nextLogRows } from '../queue/entry-history.ts';
import type { Decision, QueueSnapshot } from '../queue/queue-store.ts';
import type { SessionRow } from '../queue/stored-rows.ts';

export type KnownThere = { readonly version: number; readonly state: OperationState };

/** Commands that end an operation for good where they are accepted. */
const ends: readonly CommandType[] = ['cancel', 'deny'];

/**
 * History was restored at the server: what it acknowledged and no longer knows, or knows in an older version than it
 * had told us, is told again. The same bytes, the same IDs: what it does know, it answers as a replay.
 * So is what ended an operation that stands again: with that history its end was lost too, and a late copy of the
 * proposal found nothing in its way.
 * @param known what the server has of each operation looked up; `null` when it does not know it
 */
export const decideRetell =
  (known: ReadonlyMap<string, KnownThere | null>, nowMs: number) =>
  (snapshot: QueueSnapshot): Decision<number> => {
    const gone = snapshot.records.filter(({ entry, log }) => {
      const { ending, operationVersion } = historyOf(log);
      if (ending?.how !== 'verdict' || ending.status === 'rejected') return false;
      const there = known.get(entry.operationId);
      if (there === undefined) return false;
      if (there === null || (operationVersion !== null && there.version < operationVersion)) return true;
      return ends.includes(entry.type) && !endedWithoutRefund.includes(there.state);
    });
    const addLog = gone.flatMap((record) => nextLogRows(record, nowMs, [{ kind: 'reopened' }]));
    return { writes: { addLog }, answer: gone.length };
  };

/** All of that history was told again, unless another restore was heard of since it was read. */
export const decideRetold =
  (read: SessionRow) =>
  ({ session }: QueueSnapshot): Decision<null> => ({
    writes: session.retellCount === read.retellCount ? { session: { ...session, retell: false } } : {},
    answer: null,
  });

/** Operations that may have reached the server: those are looked up before anything of them is sent again. */
export const operationsToLookUp = (snapshot: QueueSnapshot): readonly string[] => {
  const { subject } = snapshot.session;
  const sent = snapshot.records.filter(({ entry, log }) => {
    const history = historyOf(log);
    const isFirst = entry.type === 'propose' && !mayHaveBeenSent(history);
    return entry.subject === subject && isUnfinishedEntry(history) && !isFirst;
  });
  return [...new Set(sent.map(({ entry }) => entry.operationId))];
};
