import type { DeviceItem } from '@holdfast/outbox';
import type { Problem } from '@holdfast/operation';
import { describe, expect, it } from 'vitest';
import { longestBusyMs, settleTry } from './settle-try.ts';

const operationId = '01990000-0000-7000-8000-000000000001';
const tried = { key: `${operationId}/1`, atMs: 1_000 };

const item = (change: Partial<DeviceItem> = {}): DeviceItem => ({
  key: tried.key,
  operationId,
  commandId: operationId,
  type: 'resolve',
  subject: 'olga',
  command: {
    ...{ type: 'resolve', operationId, commandId: operationId, version: 3, outcome: 'confirmed' },
    ...{ providerReference: 're_bogus', note: 'Seen in the dashboard.' },
  },
  safety: 'saved',
  standing: 'open',
  sending: false,
  mayHaveBeenSent: false,
  queuedAtMs: 1_000,
  attemptCount: 0,
  lastAttempt: null,
  notSentBecause: 'not-tried-yet',
  nextTryAtMs: null,
  ending: null,
  mayUndoDrop: false,
  mayReplace: true,
  ...change,
});

const refused = (problem: Partial<Problem>): DeviceItem =>
  item({
    standing: 'needs-you',
    ending: {
      how: 'verdict',
      status: 'rejected',
      atMs: 2_000,
      problem: {
        ...{ type: 'https://holdfast.invalid/problems/not-eligible', title: '', status: 422, final: true },
        detail: 'The provider does not know that reference.',
        ...problem,
      },
    },
  });

const soon = 2_000;

describe('a try to settle, in the form that it was typed in', () => {
  // Red when: a stored try frees the form at once, or keeps it locked while there is no connection.
  it('keeps the form busy while its answer is about to come, and frees it when it is not', () => {
    expect(settleTry(null, [item()], soon).kind).toBe('none');
    expect(settleTry(tried, [], soon).kind).toBe('under-way');
    expect(settleTry(tried, [item()], soon).kind).toBe('under-way');
    expect(settleTry(tried, [item({ sending: true, notSentBecause: null })], soon).kind).toBe('under-way');
    expect(settleTry(tried, [item({ notSentBecause: 'unreachable' })], soon).kind).toBe('waits');
    expect(settleTry(tried, [item()], tried.atMs + longestBusyMs).kind).toBe('waits');
  });

  it('ends with its answer, and with a newer word in its place', () => {
    const applied = { how: 'verdict', status: 'applied', problem: null, atMs: 2_000 } as const;
    expect(settleTry(tried, [item({ ending: applied })], soon).kind).toBe('done');
    const dropped = { how: 'dropped', because: 'superseded', atMs: 2_000 } as const;
    expect(settleTry(tried, [item({ ending: dropped })], soon).kind).toBe('none');
  });

  // Red when: `fieldOf` answers with the form for a refused reference.
  it('says a refused reference at the reference, with what was typed there', () => {
    const sentence = 'The provider does not know that reference.';
    const one = refused({ reasons: [{ reason: 'reference-unknown', sentence }] });
    expect(settleTry(tried, [one], soon)).toEqual({
      kind: 'refused',
      key: tried.key,
      refusal: {
        ...{ field: 'reference', reason: 'reference-unknown', says: sentence, value: 're_bogus' },
        isReadHere: true,
      },
    });
  });

  it('says what the server finds wrong with a field at that field', () => {
    const issues = [{ path: 'note', message: 'must not be longer than 2000 characters' }];
    expect(settleTry(tried, [refused({ issues })], soon)).toMatchObject({
      refusal: { field: 'note', says: issues[0]?.message, value: 'Seen in the dashboard.' },
    });
  });

  // Red when: the form takes a refusal for read although the case has moved on and may leave the page with it.
  it('leaves the card of what moved on meanwhile', () => {
    const stale = refused({ type: 'https://holdfast.invalid/problems/stale', detail: 'It changed.' });
    expect(settleTry(tried, [stale], soon)).toMatchObject({
      refusal: { field: 'form', says: 'It changed.', isReadHere: false },
    });
  });
});
