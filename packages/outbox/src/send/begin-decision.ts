import { isParking, nextLogRows } from '../queue/entry-history.ts';
import type { Decision, QueueScope, QueueSnapshot } from '../queue/queue-store.ts';
import type { Entry, LogEvent } from '../queue/stored-rows.ts';
import { holdsLease, takeLease } from './lease.ts';
import type { LeaseRequest } from './lease.ts';
import { planEntries } from './send-plan.ts';

export type BegunBatch =
  | {
      readonly kind: 'begun';
      readonly entries: readonly Entry[];
      readonly sessionEpoch: number;
      readonly retellCount: number;
    }
  /** They were dropped, sent by another, or something has to go before them: plan anew. */
  | { readonly kind: 'plan-again' }
  | { readonly kind: 'lease-lost' };

/** All that decides whether these may go, and what became of them. */
export const scopeOfEntries = (
  entries: readonly Pick<Entry, 'operationId' | 'supersedes'>[],
): QueueScope => ({
  operationIds: [
    ...new Set(entries.flatMap(({ operationId, supersedes }) => [operationId, supersedes ?? operationId])),
  ],
});

export type BatchToBegin = {
  readonly entryKeys: readonly string[];
  readonly attemptId: string;
  readonly appVersion?: string | null;
  readonly lease: LeaseRequest;
};

/**
 * Last word before the bytes leave, in one transaction with the attempts' own rows: the lease is ours and renewed,
 * these entries are still the ones to send, and that each may have been sent is stored first. An entry that may not
 * go any more is left out; the others go.
 */
export const decideBeginBatch =
  (asked: BatchToBegin) =>
  (snapshot: QueueSnapshot): Decision<BegunBatch> => {
    if (!holdsLease(snapshot.lease, asked.lease.holder))
      return { writes: {}, answer: { kind: 'lease-lost' } };
    const wanted = new Set(asked.entryKeys);
    const records = planEntries(snapshot, asked.lease.nowMs)
      .filter(({ record }) => wanted.has(record.entry.key))
      .filter(({ blockedBy }) => blockedBy === null || isParking(blockedBy))
      .map(({ record }) => record);
    if (records.length === 0) return { writes: {}, answer: { kind: 'plan-again' } };
    const started: LogEvent = {
      kind: 'attempt-started',
      attemptId: asked.attemptId,
      commandCount: records.length,
      ...(typeof asked.appVersion === 'string' && { appVersion: asked.appVersion }),
    };
    return {
      writes: {
        lease: takeLease(snapshot.lease, asked.lease),
        addLog: records.flatMap((record) => nextLogRows(record, asked.lease.nowMs, [started])),
      },
      answer: {
        kind: 'begun',
        entries: records.map(({ entry }) => entry),
        sessionEpoch: snapshot.session.epoch,
        retellCount: snapshot.session.retellCount ?? 0,
      },
    };
  };
