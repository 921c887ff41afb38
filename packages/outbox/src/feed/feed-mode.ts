/** How the server's history is followed: by a stream, or by asking, where no stream comes through. Pure decisions. */
import type { KeptReason } from '../outbox-interface.ts';
import type { FeedLimits } from './feed-limits.ts';

/** So many streams in a row brought nothing, each while a poll right after it went through: poll from now on. */
const barrenStreamsThatTell = 2;

export type FeedMode = {
  readonly barrenStreams: number;
  /** The last stream brought nothing: a poll tells whether that is the server's trouble or only the stream's. */
  readonly isDoubted: boolean;
  readonly streamTries: number;
  /** While polling: when a stream was tried last; `null`: try one now. */
  readonly streamTriedAtMs: number | null;
  readonly failuresInRow: number;
  readonly resetsInRow: number;
};

export const freshFeedMode: FeedMode = {
  barrenStreams: 0,
  isDoubted: false,
  streamTries: 0,
  streamTriedAtMs: null,
  failuresInRow: 0,
  resetsInRow: 0,
};

export const isPolling = ({ barrenStreams }: FeedMode): boolean => barrenStreams >= barrenStreamsThatTell;

/** `try-stream`: a stream on probation; polling goes on beside it until it has proved itself. */
export type FeedStep = 'stream' | 'poll' | 'try-stream';

export const nextFeedStep = (mode: FeedMode, limits: FeedLimits, nowMs: number): FeedStep => {
  if (mode.isDoubted) return 'poll';
  if (!isPolling(mode)) return 'stream';
  if (mode.streamTriedAtMs === null) return 'try-stream';
  const retryMs = Math.min(limits.longestStreamRetryMs, limits.firstStreamRetryMs * 2 ** mode.streamTries);
  const sinceMs = nowMs - mode.streamTriedAtMs;
  // Less than nothing means that the clock was set back.
  return sinceMs >= retryMs || sinceMs < 0 ? 'try-stream' : 'poll';
};

/**
 * How one stream or poll came to its end. `silent`: our watchdog ended it. `woken`: we ended it to open a new one.
 * `broke`: it ended or broke by itself. `caught-up`: a poll was told everything. `not-stored`: our own storage failed.
 */
export type FeedEnd = {
  readonly by: 'stream' | 'poll';
  readonly how:
    | { readonly kind: 'silent' | 'woken' | 'broke' | 'caught-up' | 'reset' | 'not-stored' }
    | { readonly kind: 'kept'; readonly reason: KeptReason; readonly retryAfterMs: number | null };
  /** The place in the feed moved on. */
  readonly advanced: boolean;
  /** From asking until its last word; `null` when it said nothing at all. */
  readonly lastWordAfterMs: number | null;
};

export type FeedPause =
  | { readonly kind: 'at-once' | 'until-next-poll' }
  | { readonly kind: 'back-off'; readonly retryAfterMs: number | null };

export type AfterFeedEnd = { readonly mode: FeedMode; readonly pause: FeedPause };

/** Nobody we know answered, or a gateway gave up: it may be that only streams are not let through. */
const mayBeTheStreamsTrouble: readonly KeptReason[] = [
  'unreachable',
  'timed-out',
  'interrupted',
  'foreign-answer',
  'server-trouble',
];

const isBarren = ({ how, advanced, lastWordAfterMs }: FeedEnd, { firstWordsMs }: FeedLimits): boolean => {
  if (how.kind === 'kept') return how.retryAfterMs === null && mayBeTheStreamsTrouble.includes(how.reason);
  const saidLittle = lastWordAfterMs === null || lastWordAfterMs <= firstWordsMs;
  // A proxy that holds back a part may let the first words through; one that cuts quickly may bring what is new.
  return saidLittle && (how.kind === 'silent' || (how.kind === 'broke' && !advanced));
};

const failed = (mode: FeedMode, retryAfterMs: number | null = null): AfterFeedEnd => ({
  mode: { ...mode, failuresInRow: mode.failuresInRow + 1 },
  pause: { kind: 'back-off', retryAfterMs },
});

const atOnce = (mode: FeedMode): AfterFeedEnd => ({ mode, pause: { kind: 'at-once' } });

const afterPoll = (mode: FeedMode, { how, advanced }: FeedEnd, nowMs: number): AfterFeedEnd => {
  const settled = { ...mode, isDoubted: false };
  if (how.kind === 'caught-up') {
    const barrenStreams = mode.barrenStreams + (mode.isDoubted ? 1 : 0);
    const well = { ...settled, barrenStreams, failuresInRow: 0 };
    if (!isPolling(well)) return atOnce(well);
    const isNew = !isPolling(mode);
    return {
      mode: isNew ? { ...well, streamTries: 0, streamTriedAtMs: nowMs } : well,
      pause: { kind: 'until-next-poll' },
    };
  }
  // Cut on the way with a part of it: the next one goes on from there, and the doubt stays.
  if (advanced && how.kind !== 'kept') return atOnce({ ...mode, failuresInRow: 0 });
  return failed(settled, how.kind === 'kept' ? how.retryAfterMs : null);
};

const afterStream = (mode: FeedMode, end: FeedEnd, limits: FeedLimits, nowMs: number): AfterFeedEnd => {
  const { how } = end;
  const barren = isBarren(end, limits);
  if (isPolling(mode) && (barren || how.kind === 'kept')) {
    const tried = { ...mode, streamTries: mode.streamTries + 1, streamTriedAtMs: nowMs };
    return { mode: tried, pause: { kind: 'until-next-poll' } };
  }
  if (barren) {
    const doubted = { ...mode, isDoubted: true };
    return how.kind === 'silent' ? atOnce(doubted) : failed(doubted);
  }
  if (how.kind === 'kept') return failed(mode, how.retryAfterMs);
  return atOnce({ ...mode, barrenStreams: 0, isDoubted: false, failuresInRow: 0 });
};

/** What follows from how a stream or a poll ended. */
export const afterFeedEnd = (
  mode: FeedMode,
  end: FeedEnd,
  limits: FeedLimits,
  nowMs: number,
): AfterFeedEnd => {
  const { how } = end;
  if (how.kind === 'woken') return atOnce({ ...mode, streamTriedAtMs: null });
  if (how.kind === 'reset') {
    // A first reset is followed at once; resets in a row are paced like failures.
    const reset = { ...mode, resetsInRow: mode.resetsInRow + 1 };
    return mode.resetsInRow === 0 ? atOnce(reset) : failed(reset);
  }
  const going = end.advanced ? { ...mode, resetsInRow: 0 } : mode;
  if (how.kind === 'not-stored') return failed(going);
  return end.by === 'poll' ? afterPoll(going, end, nowMs) : afterStream(going, end, limits, nowMs);
};
