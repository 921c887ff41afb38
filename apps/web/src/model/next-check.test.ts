import type { SeenOperation } from '@holdfast/outbox';
import type { Operation } from '@holdfast/operation';
import { describe, expect, it } from 'vitest';
import { nextCheck, withLookTimes } from './next-check.ts';

const lastCheckAt = '2026-01-01T03:22:00.000Z';
const nextCheckAt = '2026-01-01T03:27:00.000Z';
const dueMs = Date.parse(nextCheckAt);

describe('what can be promised of the next look', () => {
  it('is its time, as long as that is to come or a moment ago', () => {
    expect(nextCheck({ lastCheckAt, nextCheckAt }, dueMs - 60_000)).toEqual({
      kind: 'ahead',
      at: nextCheckAt,
    });
    expect(nextCheck({ lastCheckAt, nextCheckAt }, dueMs + 5_000)).toEqual({
      kind: 'ahead',
      at: nextCheckAt,
    });
    expect(nextCheck({ lastCheckAt, nextCheckAt: null }, dueMs)).toEqual({ kind: 'none' });
  });

  // Red when: `momentMs` is left out and a time that is long over is told as "any moment now".
  it('is nothing once its time is over: only the last look that is known is told', () => {
    expect(nextCheck({ lastCheckAt, nextCheckAt }, dueMs + 60_000)).toEqual({
      ...{ kind: 'not-heard', lastAt: lastCheckAt },
    });
  });
});

describe('times of looking that were asked for', () => {
  const seen = (version: number): SeenOperation => ({
    operationId: 'one',
    synced: { id: 'one', version, lastCheckAt: null, nextCheckAt } as Operation,
    proposal: null,
    items: [],
    shownState: 'outcome_unknown',
    droppedHere: false,
  });
  const later = { version: 3, lastCheckAt: nextCheckAt, nextCheckAt: '2026-01-01T03:32:00.000Z' };

  // Red when: the times of a version that is over take the place of what was told since.
  it('take the place of what was told of the same version, and of no later one', () => {
    expect(withLookTimes(seen(3), later).synced).toMatchObject(later);
    expect(withLookTimes(seen(4), later)).toEqual(seen(4));
    expect(withLookTimes(seen(3), undefined)).toEqual(seen(3));
  });
});
