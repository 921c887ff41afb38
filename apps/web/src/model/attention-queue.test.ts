import type { SeenOperation } from '@holdfast/outbox';
import type { Operation } from '@holdfast/operation';
import { expect, test } from 'vitest';
import {
  attentionQueue,
  readAttentionFilters,
  writeAttentionFilters,
  type AttentionFilters,
} from './attention-queue.ts';

const seen = (id: string, changes: Partial<Operation> = {}): SeenOperation => ({
  operationId: id,
  // Only the fields that the queue reads.
  synced: {
    id,
    state: 'outcome_unknown',
    attention: [],
    amount: { minor: 1_000, currency: 'EUR' },
    orderId: `order-${id}`,
    ticketId: null,
    paymentReference: null,
    unknownSince: '2026-01-01T10:00:00.000Z',
    replayDeadline: null,
    ...changes,
  } as Operation,
  proposal: null,
  items: [],
  shownState: 'outcome_unknown',
  droppedHere: false,
});

const all: AttentionFilters = { text: '', reason: null, taken: null, order: 'oldest' };
const ids = (list: readonly SeenOperation[], filters: Partial<AttentionFilters> = {}): readonly string[] =>
  attentionQueue({
    list,
    filters: { ...all, ...filters },
    me: 'olga',
    customerOf: (orderId) => (orderId === 'order-a' ? 'Mara Lind' : null),
  }).map((row) => row.seen.operationId);
const needs = (since: string, changes: Partial<Operation> = {}): Partial<Operation> => ({
  attention: [{ reason: 'outcome-unresolved', since }],
  ...changes,
});

// Red when: filters get lost on the way into the address, or an unknown word becomes one.
test('an address and its filters say the same, and an unknown value is no filter', () => {
  const search = 'q=Mara&reason=contradicted&taken=me&order=largest';
  expect(writeAttentionFilters(readAttentionFilters(new URLSearchParams(search)))).toBe(search);
  expect(writeAttentionFilters(readAttentionFilters(new URLSearchParams('reason=mood&taken=x')))).toBe('');
});

// Red when: what is only being checked stands above what waits for a person, or the newest comes first.
test('what needs a person comes first, the oldest of it before all, and of one minute the largest', () => {
  const list = [
    seen('checked', { unknownSince: '2026-01-01T08:00:00.000Z' }),
    seen('small', needs('2026-01-01T10:20:00.000Z', { unknownSince: null })),
    seen(
      'large',
      needs('2026-01-01T10:20:30.000Z', { unknownSince: null, amount: { minor: 9_000, currency: 'EUR' } }),
    ),
    seen('oldest', needs('2026-01-01T09:00:00.000Z', { unknownSince: null })),
    seen('fine', { state: 'confirmed' }),
  ];
  expect(ids(list)).toEqual(['oldest', 'large', 'small', 'checked']);
  expect(ids([...list, ...list], { order: 'largest' })).toEqual(['large', 'oldest', 'small', 'checked']);
});

// Red when: what is pending counts as here only since a person was called, days after it began.
test('what is pending stands there with the time since the provider has it', () => {
  const late = seen('late', {
    ...{ state: 'pending', unknownSince: null, pendingSince: '2026-01-01T04:00:00.000Z' },
    attention: [{ reason: 'pending-too-long', since: '2026-01-06T04:00:00.000Z' }],
  });
  const [row] = attentionQueue({ list: [late], filters: all, me: null, customerOf: () => null });
  expect(row?.sinceMs).toBe(Date.parse('2026-01-01T04:00:00.000Z'));
});

test('who has it, why it is here and what is typed narrow the queue', () => {
  const by = (id: string) => ({ taken: { by: { id, name: id }, at: '2026-01-01T10:00:00.000Z' } });
  const list = [seen('a', by('olga')), seen('b', by('otto')), seen('c', needs('2026-01-01T10:00:00.000Z'))];
  expect(ids(list, { taken: 'me' })).toEqual(['a']);
  expect(ids(list, { taken: 'others' })).toEqual(['b']);
  expect(ids(list, { taken: 'nobody' })).toEqual(['c']);
  expect(ids(list, { reason: 'checking' })).toEqual(['a', 'b']);
  expect(ids(list, { reason: 'outcome-unresolved' })).toEqual(['c']);
  expect(ids(list, { text: 'mara' })).toEqual(['a']);
  expect(ids(list, { text: 'otto' })).toEqual(['b']);
});

// Red when: a key is said to be good where nothing may be sent any more.
test('the key’s time is told only while its request may still go out', () => {
  const replayDeadline = '2026-01-02T10:00:00.000Z';
  const until = (changes: Partial<Operation>) =>
    attentionQueue({
      list: [seen('a', { replayDeadline, ...changes })],
      filters: all,
      me: null,
      customerOf: () => null,
    })[0]?.keyUntilMs;
  expect(until({})).toBe(Date.parse(replayDeadline));
  expect(until(needs('2026-01-01T10:00:00.000Z', { state: 'confirmed' }))).toBeNull();
});

// Red when: a case that waits for a second operator counts as one that needs nobody, or stands below what does.
test('what waits for a second operator needs a person, and says whose word waits', () => {
  const resolution = {
    ...{ by: { id: 'dan', name: 'Dan House' }, note: 'nothing there', waiting: true },
    outcome: 'failed' as const,
  };
  const list = [
    seen('checked', { unknownSince: '2026-01-01T08:00:00.000Z' }),
    seen('second', { resolution }),
    seen('settled', needs('2026-01-01T09:00:00.000Z', { resolution: { ...resolution, waiting: false } })),
  ];
  expect(ids(list)).toEqual(['settled', 'second', 'checked']);
  expect(ids(list, { reason: 'person' })).toEqual(['settled', 'second']);
  expect(ids(list, { reason: 'second-word' })).toEqual(['second']);
  expect(ids(list, { reason: 'checking' })).toEqual(['checked']);
  const rows = attentionQueue({ list, filters: all, me: null, customerOf: () => null });
  expect(rows.map(({ firstWord }) => firstWord)).toEqual([
    null,
    { name: 'Dan House', outcome: 'failed' },
    null,
  ]);
});
