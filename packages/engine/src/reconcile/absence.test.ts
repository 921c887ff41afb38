import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeAbsence, type AbsenceFacts } from './absence.ts';

const terms = { quietPeriodMs: 60_000, emptyReadsForAbsence: 3, emptyReadsApartMs: 30_000 };
const sent = { startedAtMs: 0, endedAtMs: 1_000 };
const base: AbsenceFacts = {
  nowMs: 200_000,
  attempts: [sent],
  emptyReadsAtMs: [100_000, 150_000],
  savedFailureReplayed: false,
  mayStillBeResubmitted: false,
};

describe('an absence', () => {
  test('is final after the quiet period and enough spaced empty reads', () => {
    expect(judgeAbsence(base, terms)).toBe('absent-final');
  });
  test('is not final while any attempt has no recorded end', () => {
    // Red when: the check for a missing end is taken out.
    expect(judgeAbsence({ ...base, attempts: [sent, { startedAtMs: 5, endedAtMs: null }] }, terms)).toBe('absent-yet');
  });
  test('is not final on reads inside the quiet period', () => {
    // Red when: reads are counted from the send instead of from the end of the quiet period.
    expect(judgeAbsence({ ...base, emptyReadsAtMs: [2_000, 40_000] }, terms)).toBe('absent-yet');
  });
  test('is not final on reads that follow one another too closely', () => {
    expect(judgeAbsence({ ...base, emptyReadsAtMs: [199_000, 199_500] }, terms)).toBe('absent-yet');
  });
  test('is not final on the strength of a saved failure, nor while the same key may be sent', () => {
    expect(judgeAbsence({ ...base, savedFailureReplayed: true }, terms)).toBe('absent-yet');
    expect(judgeAbsence({ ...base, mayStillBeResubmitted: true }, terms)).toBe('absent-yet');
  });
  test('is never final before the quiet period has passed, whatever was read', () => {
    fc.assert(
      fc.property(fc.nat(60_999), fc.array(fc.nat(300_000), { maxLength: 10 }), (nowMs, reads) => {
        const emptyReadsAtMs = reads.filter((atMs) => atMs <= nowMs);
        expect(judgeAbsence({ ...base, nowMs, emptyReadsAtMs }, terms)).toBe('absent-yet');
      }),
    );
  });
});
