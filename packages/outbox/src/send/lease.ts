import type { LeaseRow } from '../queue/stored-rows.ts';

/** How the browser's lock stood when the lease was asked for. `unavailable`: this browser has no locks. */
export type LockOutcome = 'held' | 'busy' | 'unavailable';

export type LeaseRequest = {
  readonly holder: string;
  readonly lock: LockOutcome;
  readonly nowMs: number;
  readonly lengthMs: number;
  /** A holder whose tab or worker is known to be gone: what it holds is nobody's. */
  readonly gone?: string | null;
};

/** @param lengthMs how long a lease may last; by default what the lease itself says, where it does */
export const isLeaseAlive = (
  lease: LeaseRow,
  nowMs: number,
  lengthMs: number = lease.lengthMs ?? Number.POSITIVE_INFINITY,
): boolean => lease.untilMs > nowMs && lease.untilMs <= nowMs + lengthMs;

/**
 * One sender in the browser. This saves work; it is not what keeps a command single: its ID is. So doubt may go
 * either way: a holder that is frozen is passed over when its time is up, and a clock that was set back cannot keep
 * a lease alive for longer than a lease may last.
 */
export const takeLease = (lease: LeaseRow | null, request: LeaseRequest): LeaseRow | null => {
  const { holder, lock, nowMs, lengthMs, gone = null } = request;
  const wanted: LeaseRow = {
    holder,
    untilMs: nowMs + lengthMs,
    withLock: lock === 'held',
    lengthMs,
    ...(lock !== 'unavailable' && { isWatched: true }),
  };
  if (lease === null || lease.holder === holder) return wanted;
  if (!isLeaseAlive(lease, nowMs, lengthMs) || (lease.isWatched === true && lease.holder === gone))
    return wanted;
  // Whoever held the lease with the lock is gone, now that the lock is ours.
  return lock === 'held' && lease.withLock ? wanted : null;
};

export const holdsLease = (lease: LeaseRow | null, holder: string): boolean => lease?.holder === holder;
