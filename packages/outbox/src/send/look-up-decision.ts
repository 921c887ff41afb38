import { endedWithoutRefund } from '../live-query.ts';
import {
  historyOf,
  isHeldBack,
  isUnfinishedEntry,
  mayHaveBeenSent,
  nextLogRows,
} from '../queue/entry-history.ts';
import type { Decision, QueueSnapshot } from '../queue/queue-store.ts';
import type { EntryRecord, SessionRow } from '../queue/stored-rows.ts';

export type KnownThere = { readonly version: number; readonly state: string };

/** Commands that end an operation for good where they are accepted. */
const ends: readonly string[] = ['cancel', 'deny'];
const endedStates: readonly string[] = endedWithoutRefund;

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
    const gone = snapshot.records.filter((record) => {
      const { entry } = record;
      const { ending, operationVersion } = historyOf(record);
      if (ending?.how !== 'verdict' || ending.status === 'rejected') return false;
      const there = known.get(entry.operationId);
      if (there === undefined) return false;
      if (there === null || (operationVersion !== null && there.version < operationVersion)) return true;
      return ends.includes(entry.type) && !endedStates.includes(there.state);
    });
    const addLog = gone.flatMap((record) => nextLogRows(record, nowMs, [{ kind: 'reopened' }]));
    return { writes: { addLog }, answer: gone.length };
  };

/** Proposals that are held back for an unreadable row. */
const heldProposals = (snapshot: QueueSnapshot): readonly EntryRecord[] =>
  snapshot.records.filter(
    (record) =>
      record.entry.type === 'propose' &&
      record.entry.subject === snapshot.session.subject &&
      isHeldBack(historyOf(record)),
  );

export const heldOperations = (snapshot: QueueSnapshot): readonly string[] =>
  heldProposals(snapshot).map(({ entry }) => entry.operationId);

/**
 * The server has the operation, so sending its proposal again changes nothing there and brings the verdict: what could
 * not be read does not matter any more.
 */
export const decideKnownAnyway =
  (known: ReadonlyMap<string, KnownThere | null>, nowMs: number) =>
  (snapshot: QueueSnapshot): Decision<null> => ({
    writes: {
      addLog: heldProposals(snapshot)
        .filter(({ entry }) => (known.get(entry.operationId) ?? null) !== null)
        .flatMap((record) => nextLogRows(record, nowMs, [{ kind: 'reopened', because: 'known-to-server' }])),
    },
    answer: null,
  });

/**
 * All that this person was acknowledged was told again, unless another restore was heard of since it was read. Nobody
 * can look up for another person, so theirs stays owed until they sign in here.
 */
export const decideRetold =
  (read: SessionRow) =>
  ({ session }: QueueSnapshot): Decision<null> => {
    const { subject } = read;
    const told = session.retoldSubjects ?? [];
    const isSame = session.retellCount === read.retellCount && subject !== null && !told.includes(subject);
    return {
      writes: isSame ? { session: { ...session, retoldSubjects: [...told, subject] } } : {},
      answer: null,
    };
  };

/** Operations that may have reached the server: those are looked up before anything of them is sent again. */
export const operationsToLookUp = (snapshot: QueueSnapshot): readonly string[] => {
  const { subject } = snapshot.session;
  const sent = snapshot.records.filter((record) => {
    const { entry } = record;
    const history = historyOf(record);
    const isFirst = entry.type === 'propose' && !mayHaveBeenSent(history);
    return entry.subject === subject && isUnfinishedEntry(history) && !isFirst;
  });
  return [...new Set(sent.map(({ entry }) => entry.operationId))];
};
