import { describe, expect, test } from 'vitest';
import { settle, type Observation } from '../src/operation.ts';
import { aPersonDecides, ended, people, record, subject, webhook } from './evidence.ts';

const pending = record({ status: 'pending' });

/** The same in both orders of arrival. */
const settled = (...observations: readonly Observation[]) => {
  const [one, other] = [observations, [...observations].reverse()].map((seen) =>
    settle(subject, ended(1), seen, aPersonDecides),
  );
  expect(other).toEqual(one);
  return one;
};

describe('what the provider still calls pending', () => {
  // Red when: a pending record beats two people's newer word.
  test('is settled by two people whose word is newer than the last sighting of it', () => {
    expect(settled(webhook(pending, 500), people({}, 2_000))).toMatchObject({
      kind: 'failed',
      cause: { kind: 'settled-by-people', by: 'ada', secondBy: 'ben' },
      attention: [],
    });
    expect(settled(webhook(pending, 500), people({ outcome: 'confirmed' }, 2_000))).toMatchObject({
      kind: 'confirmed',
      settledBy: { by: 'ada', secondBy: 'ben' },
    });
  });

  // Red when: one person's word, or one as old as the sighting, beats a pending record.
  test('stays pending on one person’s word, and where it was seen pending at the same instant or later', () => {
    expect(settled(webhook(pending, 500), people({ secondBy: null }, 2_000))?.kind).toBe('pending');
    expect(settled(webhook(pending, 500), people({ secondBy: 'ada' }, 2_000))?.kind).toBe('pending');
    for (const atMs of [2_000, 2_001]) {
      expect(settled(webhook(pending, 500), people({}, 2_000), webhook(pending, atMs))).toMatchObject({
        kind: 'pending',
        attention: ['contradicted'],
      });
    }
  });

  // Red when: people's newer word beats a success, or a second refund hides behind it.
  test('and settled by people is contradicted by a success, and a second refund is still told', () => {
    expect(settled(webhook(pending, 500), people({}, 2_000), webhook(record(), 3_000))).toMatchObject({
      kind: 'confirmed',
      attention: ['contradicted'],
    });
    expect(settled(webhook(pending, 500), people({}, 2_000), webhook(record(), 1_000))?.kind).toBe(
      'confirmed',
    );
    const second = record({ reference: 're_2', status: 'pending' });
    expect(settled(webhook(pending, 500), webhook(second, 600), people({}, 2_000))).toMatchObject({
      kind: 'failed',
      attention: ['duplicate-action'],
    });
    expect(settled(webhook(pending, 500), webhook(second, 2_500), people({}, 2_000))?.kind).toBe('pending');
  });
});
