import type { SeenOperation } from '@holdfast/outbox';
import type { Operation, OperationState } from '@holdfast/operation';
import { expect, test } from 'vitest';
import { readFilters, sortOperations, writeFilters, exportQuery } from './operation-filters.ts';

const seen = (id: string, state: OperationState, over: Partial<Operation> = {}): SeenOperation => ({
  operationId: id,
  // Only the fields that ordering reads; the list never looks at others.
  synced: {
    id,
    state,
    needsPerson: false,
    amount: { minor: 100, currency: 'EUR' },
    unknownSince: null,
    ...over,
  } as Operation,
  proposal: null,
  items: [],
  shownState: state,
  droppedHere: false,
});

const ids = (list: readonly SeenOperation[]): readonly string[] => list.map(({ operationId }) => operationId);

test('an address and its filters say the same, and an unknown value is no filter', () => {
  const search = 'q=Yusuf&state=outcome_unknown&needsPerson=true&sort=amount&order=ascending';
  expect(writeFilters(readFilters(new URLSearchParams(search)))).toBe(search);
  expect(writeFilters(readFilters(new URLSearchParams('state=lost&sort=mood')))).toBe('');
});

test('what is uncertain stands above what is settled, whatever the list is sorted by', () => {
  const list = [
    seen('a', 'confirmed', {
      amount: { minor: 900, currency: 'EUR' },
      updatedAt: '2026-11-29T12:00:00.000Z',
    }),
    seen('b', 'outcome_unknown', { updatedAt: '2026-11-01T12:00:00.000Z' }),
    seen('c', 'failed', { needsPerson: true, updatedAt: '2026-11-02T12:00:00.000Z' }),
  ];
  for (const sort of ['amount', 'state', 'updated'] as const) {
    for (const descending of [true, false]) {
      expect(ids(sortOperations(list, { sort, descending })).at(-1)).toBe('a');
    }
  }
});

test('amounts of different currencies are not compared with each other', () => {
  const list = [
    seen('jpy', 'confirmed', { amount: { minor: 5_000, currency: 'JPY' } }),
    seen('eur-large', 'confirmed', { amount: { minor: 900, currency: 'EUR' } }),
    seen('eur-small', 'confirmed', { amount: { minor: 100, currency: 'EUR' } }),
  ];
  expect(ids(sortOperations(list, { sort: 'amount', descending: false }))).toEqual([
    'eur-small',
    'eur-large',
    'jpy',
  ]);
});

test('what is exported is asked for with the filters that the server knows, and a zone by name', () => {
  // Red when: a filter is left out, or a state of this device alone is sent to a server that has none such.
  const filters = readFilters(new URLSearchParams('q= lamp &state=confirmed&needsPerson=true'));
  const wish = { format: 'csv', timeZone: 'Europe/Berlin' } as const;
  expect(exportQuery(filters, wish)).toBe(
    'q=lamp&state=confirmed&needsPerson=true&format=csv&timeZone=Europe%2FBerlin',
  );
  expect(exportQuery(readFilters(new URLSearchParams('state=queued')), wish)).toBe(
    'format=csv&timeZone=Europe%2FBerlin',
  );
});
