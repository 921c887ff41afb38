import { createHash } from 'node:crypto';
import type { KeyRecord } from '../ledger/records.ts';
import type { Parameters } from './parameters.ts';

/** Stripe forgets a key once it is at least 24 hours old; used again, it is a new request. */
export const keyLifetimeMs = 24 * 60 * 60 * 1000;
const longestKey = 255;

export type KeyJudgement =
  | { is: 'fresh' }
  | { is: 'replay'; record: KeyRecord }
  | { is: 'mismatch' }
  | { is: 'in_flight' }
  | { is: 'too_long' };

export interface KeyQuestion {
  key: string | null;
  fingerprint: string;
  recorded: KeyRecord | undefined;
  /** The fingerprint of a request with this key that has not finished. */
  inFlight: string | undefined;
  nowMs: number;
}

export function judgeKey({ key, fingerprint, recorded, inFlight, nowMs }: KeyQuestion): KeyJudgement {
  if (key === null) return { is: 'fresh' };
  if (key.length > longestKey) return { is: 'too_long' };
  if (inFlight !== undefined) return inFlight === fingerprint ? { is: 'in_flight' } : { is: 'mismatch' };
  if (recorded === undefined || nowMs - recorded.receivedMs >= keyLifetimeMs) return { is: 'fresh' };
  return recorded.fingerprint === fingerprint ? { is: 'replay', record: recorded } : { is: 'mismatch' };
}

/** Endpoint and parameters, not bytes: Stripe compares what was asked, whatever the order of the fields. */
export function requestFingerprint(path: string, parameters: Parameters): string {
  const pairs = [...parameters.entries()].sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([path, pairs]))
    .digest('hex');
}
