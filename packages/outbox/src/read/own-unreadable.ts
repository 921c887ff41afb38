import type { UnreadableRecord } from '../outbox-interface.ts';
import type { QueueSnapshot } from '../queue/queue-store.ts';

const subjectIn = (text: string): string | null => {
  try {
    const value = (JSON.parse(text) as { subject?: unknown } | null)?.subject;
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
};

/**
 * Whose an unreadable row is, as far as it still says so. A row that names nobody goes with the device's only person;
 * where several share the device it goes with none, and stays where it is.
 */
const isOwnRow = (row: UnreadableRecord, snapshot: QueueSnapshot, subject: string): boolean => {
  const named = subjectIn(row.raw);
  if (named !== null) return named === subject;
  const ofOperation = snapshot.records.filter(({ entry }) => entry.operationId === row.operationId);
  if (ofOperation.length > 0) return ofOperation.every(({ entry }) => entry.subject === subject);
  return snapshot.records.every(({ entry }) => entry.subject === subject);
};

/** This person's unreadable rows: to be shown and to be exported. */
export const ownUnreadable = (
  snapshot: QueueSnapshot,
  subject: string | null,
): readonly UnreadableRecord[] =>
  subject === null ? [] : snapshot.unreadable.filter((row) => isOwnRow(row, snapshot, subject));
