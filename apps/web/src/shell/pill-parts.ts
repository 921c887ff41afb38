import type { Connectivity, StatusSummary } from '@holdfast/outbox';

/** One sign of the status pill. `long`: it waits although Holdfast answers, so somebody should look. */
export type PillPart =
  | { readonly kind: 'opening' | 'received' | 'no-connection' | 'network-sign-in' | 'never-heard' }
  | { readonly kind: 'last-heard'; readonly atMs: number }
  | { readonly kind: 'waiting'; readonly count: number; readonly sinceMs: number; readonly long: boolean }
  | { readonly kind: 'needs-you' | 'unknown'; readonly count: number };

/** Holdfast says something every 15 s; a browser gives hidden tabs a turn once a minute. */
const oldAfterMs = 90_000;
/** What Holdfast has not acknowledged for so long although it answers is no longer on its way. */
const longAfterMs = 5 * 60_000;

const connectionParts = (connectivity: Connectivity | null, nowMs: number): readonly PillPart[] => {
  if (connectivity === null) return [{ kind: 'opening' }];
  const { holdfast, trouble, lastHeardAtMs, feed } = connectivity;
  const lastHeard: readonly PillPart[] =
    lastHeardAtMs === null ? [{ kind: 'never-heard' }] : [{ kind: 'last-heard', atMs: lastHeardAtMs }];
  if (holdfast === 'not-reached') {
    return [{ kind: trouble === 'network-sign-in' ? 'network-sign-in' : 'no-connection' }, ...lastHeard];
  }
  if (holdfast === 'unknown') return feed === 'connecting' ? [{ kind: 'opening' }] : lastHeard;
  const isOld = lastHeardAtMs === null || Math.abs(nowMs - lastHeardAtMs) > oldAfterMs;
  return isOld ? lastHeard : [];
};

/**
 * What the pill says. It never says "All received" on answers that are old: what is here was received, but whether
 * that is still all of it, only Holdfast can say.
 */
export const pillParts = (
  status: StatusSummary | null,
  connectivity: Connectivity | null,
  nowMs: number,
): readonly PillPart[] => {
  const connection = connectionParts(connectivity, nowMs);
  if (status === null) return connection.length > 0 ? connection : [{ kind: 'opening' }];
  const { waiting, oldestWaitingSinceMs, signInToSend, needsYou, unknown, allReceived } = status;
  const sinceMs = oldestWaitingSinceMs ?? nowMs;
  const isReached = connectivity?.holdfast === 'reached';
  const parts: PillPart[] = [...connection];
  if (waiting > 0) {
    const long = isReached && signInToSend < waiting && nowMs - sinceMs > longAfterMs;
    parts.push({ kind: 'waiting', count: waiting, sinceMs, long });
  }
  if (needsYou > 0) parts.push({ kind: 'needs-you', count: needsYou });
  if (unknown > 0) parts.push({ kind: 'unknown', count: unknown });
  if (allReceived && parts.length === 0) parts.push({ kind: 'received' });
  return parts;
};
