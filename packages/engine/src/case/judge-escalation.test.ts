import { describe, expect, test } from 'vitest';
import { judgeEscalation, type Escalation, type EscalationFacts } from './judge-escalation.ts';

const startMs = Date.parse('2026-11-30T10:00:00.000Z');
const minute = 60_000;
const facts = (changes: Partial<EscalationFacts>): EscalationFacts => ({
  state: 'outcome_unknown',
  attention: [{ reason: 'outcome-unresolved', since: new Date(startMs).toISOString() }],
  takenBy: null,
  holderGone: false,
  secondWordSinceMs: null,
  escalatedAtMs: null,
  ...changes,
});
const judged = (changes: Partial<EscalationFacts>, afterMinutes: number): Escalation =>
  judgeEscalation(facts(changes), startMs + afterMinutes * minute, 30 * minute);

describe('people are told of a case', () => {
  const held = { takenBy: 'otto' };
  const gone = { ...held, holderGone: true };
  const waiting = { ...held, secondWordSinceMs: startMs + 10 * minute };

  // Red when: a wait is told of twice, before its time, or not at all.
  test.each<[string, Partial<EscalationFacts>, number, Escalation]>([
    ['that nobody took in time', {}, 30, 'untaken'],
    ['not before its time', {}, 29, 'leave'],
    ['once', { escalatedAtMs: startMs + 30 * minute }, 90, 'leave'],
    ['not while somebody has it', held, 90, 'leave'],
    ['whose holder is gone', gone, 30, 'holder-gone'],
    ['whose holder is gone, though told of before', { ...gone, escalatedAtMs: startMs }, 30, 'holder-gone'],
    ['that needs a second word, whoever has it', waiting, 40, 'second-word'],
    ['that needs a second word, by the time of the first', waiting, 39, 'leave'],
    ['again for a second word', { ...waiting, escalatedAtMs: startMs + minute }, 40, 'second-word'],
    ['once for a second word', { ...waiting, escalatedAtMs: startMs + 40 * minute }, 90, 'leave'],
    ['never once it is settled', { ...waiting, state: 'confirmed', attention: [] }, 90, 'leave'],
  ])('%s', (_, changes, afterMinutes, expected) => {
    expect(judged(changes, afterMinutes)).toBe(expected);
  });
});
