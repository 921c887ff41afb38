import { historyOf, isUnfinishedEntry, standingOf } from './entry-history.ts';
import type { EntryRecord } from './stored-rows.ts';

/** An operation that still has something to send, or a refusal that nobody has read. */
export const isOpenOperation = (records: readonly EntryRecord[]): boolean =>
  records.some(({ log }) => {
    const history = historyOf(log);
    return isUnfinishedEntry(history) || standingOf(history) !== 'closed';
  });
