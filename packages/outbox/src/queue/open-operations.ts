import { historyOf, isUnfinishedEntry, standingOf } from './entry-history.ts';
import type { EntryRecord } from './stored-rows.ts';

/** An operation that still has something to send, or a refusal that nobody has read. */
export const isOpenOperation = (records: readonly EntryRecord[]): boolean =>
  records.some((record) => {
    const history = historyOf(record);
    return isUnfinishedEntry(history) || standingOf(history) !== 'closed';
  });
