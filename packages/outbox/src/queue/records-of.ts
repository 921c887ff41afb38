import type { NotSaved } from '../outbox-interface.ts';
import type { Decision, QueueSnapshot } from './queue-store.ts';
import type { EntryRecord } from './stored-rows.ts';
import type { Words } from './words.ts';

export const recordsOf = <W extends Words>(
  snapshot: QueueSnapshot<W>,
  operationId: string,
): readonly EntryRecord<W>[] => snapshot.records.filter(({ entry }) => entry.operationId === operationId);

export const notSaved = (because: NotSaved): Decision<{ saved: false; because: NotSaved }> => ({
  writes: {},
  answer: { saved: false, because },
});
