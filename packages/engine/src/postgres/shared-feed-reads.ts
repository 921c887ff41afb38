import type { FeedBatch } from '../engine-interface.ts';

/** Reads the feed of one organisation after a cursor that was proved to be that organisation's. */
export type ReadFeed = (organisationId: string, cursor: string, limit: number) => Promise<FeedBatch>;

/** Batches kept for readers that come a little later to the same place. Each is at most one page. */
const keptBatches = 16;

/**
 * One read for all who stand at the same place: a change that a thousand streams wait for is read once, not a
 * thousand times. A read is shared only with who asked before it began, since one that is under way may have looked
 * before the change that woke the caller. What a read brought is true for whoever comes to its place later: the
 * batch leads to its own end, from which the reader goes on.
 */
export const sharedFeedReads = (
  read: ReadFeed,
  soon: (begin: () => void) => void = (begin) => void setImmediate(begin),
): ReadFeed => {
  const gathering = new Map<string, Promise<FeedBatch>>();
  const kept = new Map<string, FeedBatch>();
  const keep = (place: string, batch: FeedBatch): void => {
    if (batch.changes.length === 0) return;
    kept.delete(place);
    kept.set(place, batch);
    for (const oldest of kept.keys()) {
      if (kept.size <= keptBatches) break;
      kept.delete(oldest);
    }
  };
  return (organisationId, cursor, limit) => {
    const place = `${organisationId} ${String(limit)} ${cursor}`;
    const known = kept.get(place);
    if (known !== undefined) return Promise.resolve(known);
    const waiting = gathering.get(place);
    if (waiting !== undefined) return waiting;
    const begun = new Promise<void>((resolve) => {
      soon(resolve);
    }).then(async () => {
      gathering.delete(place);
      const batch = await read(organisationId, cursor, limit);
      keep(place, batch);
      return batch;
    });
    gathering.set(place, begun);
    return begun;
  };
};
