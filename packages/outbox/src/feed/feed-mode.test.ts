import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feedLimitsOf } from './feed-limits.ts';
import { afterFeedEnd, freshFeedMode, isPolling, nextFeedStep } from './feed-mode.ts';
import type { FeedEnd, FeedMode } from './feed-mode.ts';

const limits = feedLimitsOf(40_000);
const now = 1_764_000_000_000;

type Ended = Partial<Omit<FeedEnd, 'how'>> & { readonly how: FeedEnd['how']['kind'] };
const end = (by: FeedEnd['by'], { how, ...rest }: Ended): FeedEnd => ({
  by,
  how: how === 'kept' ? { kind: 'kept', reason: 'unreachable', retryAfterMs: null } : { kind: how },
  advanced: false,
  lastWordAfterMs: null,
  ...rest,
});
const silent = end('stream', { how: 'silent' });
const caughtUp = end('poll', { how: 'caught-up', advanced: true, lastWordAfterMs: 30 });

const after = (ends: readonly FeedEnd[], from: FeedMode = freshFeedMode) =>
  ends.reduce((mode, ended) => afterFeedEnd(mode, ended, limits, now).mode, from);
const polling = after([silent, caughtUp, silent, caughtUp]);

describe('streaming or polling', () => {
  it('a stream that says nothing is doubted at once, and a poll tells where the trouble is', () => {
    const doubted = afterFeedEnd(freshFeedMode, silent, limits, now);
    expect(doubted.pause).toEqual({ kind: 'at-once' });
    expect(nextFeedStep(doubted.mode, limits, now)).toBe('poll');
  });

  // Red when: a poll that failed counts as a proof, or one barren stream is enough.
  it('two barren streams beside polls that went through: poll from now on; without that proof never', () => {
    expect(nextFeedStep(after([silent, caughtUp]), limits, now)).toBe('stream');
    expect(nextFeedStep(polling, limits, now)).toBe('poll');
    const failed = end('poll', { how: 'kept' });
    const away = after([silent, failed, silent, failed, silent, failed, silent, failed]);
    expect(isPolling(away)).toBe(false);
    expect(nextFeedStep(away, limits, now)).toBe('stream');
  });

  it('the first words let slip and silence after them is as barren as nothing', () => {
    const little = end('stream', { how: 'silent', advanced: true, lastWordAfterMs: 80 });
    expect(after([little]).isDoubted).toBe(true);
    const long = end('stream', { how: 'silent', advanced: true, lastWordAfterMs: 90_000 });
    expect(after([long]).isDoubted).toBe(false);
  });

  // Red when: a cut stream counts as a failure.
  it('a stream that is cut every 30 s goes on at once, however often', () => {
    const cut = end('stream', { how: 'broke', lastWordAfterMs: 29_000 });
    let mode = freshFeedMode;
    for (let times = 0; times < 100; times += 1) {
      const next = afterFeedEnd(mode, cut, limits, now);
      expect(next.pause).toEqual({ kind: 'at-once' });
      mode = next.mode;
    }
    expect([mode.failuresInRow, nextFeedStep(mode, limits, now)]).toEqual([0, 'stream']);
  });

  it('while polling a stream is tried again after ever longer, and at once when woken', () => {
    const triedAt = [30_000, 60_000, 120_000, 240_000, 300_000, 300_000];
    let mode = polling;
    let nowMs = now;
    for (const waitMs of triedAt) {
      expect(nextFeedStep(mode, limits, nowMs + waitMs - 1)).toBe('poll');
      nowMs += waitMs;
      expect(nextFeedStep(mode, limits, nowMs)).toBe('try-stream');
      mode = afterFeedEnd(mode, silent, limits, nowMs).mode;
    }
    const woken = after([end('stream', { how: 'woken' })], mode);
    expect(nextFeedStep(woken, limits, nowMs)).toBe('try-stream');
    const proved = end('stream', { how: 'broke', lastWordAfterMs: 90_000 });
    expect(nextFeedStep(after([proved], woken), limits, nowMs)).toBe('stream');
  });

  it('a clock that was set back does not keep a stream from being tried', () => {
    expect(nextFeedStep(polling, limits, now - 86_400_000)).toBe('try-stream');
  });

  it('the server’s wish to be left alone is passed on, and its own words doubt no stream', () => {
    const how = { kind: 'kept', reason: 'server-trouble', retryAfterMs: 7_000 } as const;
    const full = afterFeedEnd(freshFeedMode, { ...silent, how }, limits, now);
    expect(full.pause).toEqual({ kind: 'back-off', retryAfterMs: 7_000 });
    expect(full.mode.isDoubted).toBe(false);
    const signIn = { kind: 'kept', reason: 'sign-in', retryAfterMs: null } as const;
    expect(afterFeedEnd(freshFeedMode, { ...silent, how: signIn }, limits, now).mode.isDoubted).toBe(false);
  });

  it('a first reset is followed at once, resets in a row are paced', () => {
    const reset = end('stream', { how: 'reset' });
    const first = afterFeedEnd(freshFeedMode, reset, limits, now);
    expect(first.pause.kind).toBe('at-once');
    expect(afterFeedEnd(first.mode, reset, limits, now).pause.kind).toBe('back-off');
    expect(afterFeedEnd(after([caughtUp], first.mode), reset, limits, now).pause.kind).toBe('at-once');
  });

  // Red when: any end leads to going on at once for ever although nothing comes.
  it('whatever happens, asking for nothing is paced', () => {
    const kinds = ['silent', 'broke', 'not-stored', 'reset', 'kept'] as const;
    const barrenEnd = fc.record({
      by: fc.constantFrom('stream' as const, 'poll' as const),
      how: fc.constantFrom(...kinds).map((kind) => end('poll', { how: kind }).how),
      advanced: fc.constant(false),
      lastWordAfterMs: fc.option(fc.nat(5_000), { nil: null }),
    });
    fc.assert(
      fc.property(fc.array(barrenEnd, { minLength: 4, maxLength: 30 }), (ends) => {
        let mode = freshFeedMode;
        let free = 0;
        for (const given of ends) {
          const by = nextFeedStep(mode, limits, now) === 'poll' ? 'poll' : 'stream';
          const next = afterFeedEnd(mode, { ...given, by }, limits, now);
          // Silence took its own time.
          free = next.pause.kind === 'at-once' && given.how.kind !== 'silent' ? free + 1 : 0;
          expect(free).toBeLessThanOrEqual(1);
          mode = next.mode;
        }
      }),
    );
  });
});
