import type { Connectivity, KeptReason } from '../outbox-interface.ts';

/** These say that nobody we know answered; the other troubles are Holdfast's own words. */
const notReached: readonly KeptReason[] = [
  'unreachable',
  'timed-out',
  'interrupted',
  'network-sign-in',
  'foreign-answer',
];

/** These are about one item; Holdfast answered it as it should, and the connection is well. */
const ofOneItem: readonly KeptReason[] = ['not-allowed', 'wrong-subject', 'too-large', 'not-known-there'];

export type Heard = {
  /** What came of an exchange with Holdfast: `null` when it went as it should. */
  readonly trouble: KeptReason | null;
  readonly nowMs: number;
  /** The deadline of one request: one that ran out was begun this long ago. */
  readonly requestTimeoutMs: number;
};

/** What changes with an exchange. One good answer clears every trouble; a late failure does not undo a newer answer. */
export const afterHearing = (
  { holdfast, trouble, lastHeardAtMs }: Connectivity,
  heard: Heard,
): Partial<Connectivity> => {
  const { nowMs, requestTimeoutMs } = heard;
  const told = heard.trouble !== null && ofOneItem.includes(heard.trouble) ? null : heard.trouble;
  const isLate =
    told === 'timed-out' && lastHeardAtMs !== null && Math.abs(nowMs - lastHeardAtMs) < requestTimeoutMs;
  if (isLate) return {};
  const now = told !== null && notReached.includes(told) ? 'not-reached' : 'reached';
  const isChange = now !== holdfast || told !== trouble;
  return {
    holdfast: now,
    trouble: told,
    ...(isChange && { sinceMs: nowMs }),
    ...(now === 'reached' && { lastHeardAtMs: nowMs }),
  };
};
