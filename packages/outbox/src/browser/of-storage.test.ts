import { Dexie } from 'dexie';
import { describe, expect, it } from 'vitest';
import { NewerElsewhere } from '../queue/queue-store.ts';
import { isOfStorage } from './of-storage.ts';
import { StorageBlocked } from './tab-queue-store.ts';

describe('what may be called storage trouble', () => {
  // Red when: every error that a round throws counts as storage's, or an error of the disk counts as ours.
  it.each([
    ['a full disk', new DOMException('full', 'QuotaExceededError')],
    ['a full disk behind an aborted step', new Dexie.AbortError('aborted', { name: 'QuotaExceededError' })],
    ['a handle that the browser took away', new Dexie.DatabaseClosedError()],
    ['a disk that cannot be read', new DOMException('failed to read', 'UnknownError')],
    ['storage held by an older tab', new StorageBlocked()],
    ['storage of a newer app', new NewerElsewhere()],
  ])('%s is', (_name, error) => {
    expect(isOfStorage(error)).toBe(true);
  });

  it.each([
    ['a broken promise of our own', new TypeError('x is undefined')],
    ['what is no error at all', undefined],
    ['a row where another lies', new Dexie.ConstraintError('taken')],
    ['such a row behind an aborted step', new Dexie.AbortError('aborted', { name: 'ConstraintError' })],
    ['such a row among many', new Dexie.BulkError('some failed', [new Dexie.ConstraintError('taken')])],
  ])('%s is not', (_name, error) => {
    expect(isOfStorage(error)).toBe(false);
  });
});
