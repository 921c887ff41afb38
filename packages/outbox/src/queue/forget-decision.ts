import { historyOf, standingOf } from './entry-history.ts';
import type { QueueSnapshot } from './queue-store.ts';

/** Acknowledged commands are kept this long, so that a server restored from a backup can be told again. */
export const keptAcknowledgedMs = 90 * 24 * 60 * 60 * 1_000;

/**
 * Operations of which everything has ended, nothing waits for a person, and the last word is old enough. A device
 * clock that was set back keeps them longer; one set ahead by months would forget only what has ended.
 */
export const operationsToForget = (snapshot: QueueSnapshot, nowMs: number): readonly string[] => {
  const kept = new Set(snapshot.unreadable.map(({ operationId }) => operationId));
  const seen = new Set<string>();
  for (const record of snapshot.records) {
    const { entry, log } = record;
    seen.add(entry.operationId);
    const lastWordMs = log.at(-1)?.atMs ?? nowMs;
    const isOld = lastWordMs < nowMs - keptAcknowledgedMs;
    if (standingOf(historyOf(record)) !== 'closed' || !isOld) kept.add(entry.operationId);
    // What a waiting proposal supersedes is what it is judged by.
    if (entry.supersedes !== null && historyOf(record).ending === null) kept.add(entry.supersedes);
  }
  return [...seen].filter((operationId) => !kept.has(operationId));
};
