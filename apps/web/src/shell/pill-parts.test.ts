import type { Connectivity, StatusSummary } from '@holdfast/outbox';
import { describe, expect, it } from 'vitest';
import { pillParts } from './pill-parts.ts';

const now = 1_764_000_000_000;
const minute = 60_000;
const idle: StatusSummary = {
  allReceived: true,
  waiting: 0,
  oldestWaitingSinceMs: null,
  needsYou: 0,
  unknown: 0,
  needsPerson: 0,
  signInToSend: 0,
  otherSubjects: 0,
  elsewhere: [],
  drafts: 0,
  unreadable: 0,
  lastVerdictAtMs: null,
};
const reached: Connectivity = {
  holdfast: 'reached',
  trouble: null,
  sinceMs: now,
  lastHeardAtMs: now - 5_000,
  feed: 'live',
  signInNeeded: false,
  storage: 'ready',
  storagePersisted: null,
  listSinceMs: null,
};
const kinds = (status: Partial<StatusSummary>, connectivity: Partial<Connectivity> | null, at = now) =>
  pillParts({ ...idle, ...status }, connectivity === null ? null : { ...reached, ...connectivity }, at).map(
    ({ kind }) => kind,
  );

describe('the status pill', () => {
  it('says "All received" only while Holdfast is heard from', () => {
    expect(kinds({}, {})).toEqual(['received']);
    expect(kinds({}, { feed: 'polling' })).toEqual(['received']);
    expect(kinds({}, { feed: 'follower' })).toEqual(['received']);
  });

  // Red when: old answers, or none, are shown as "All received".
  it('says when Holdfast was last heard from, never "All received", on answers that are old', () => {
    expect(kinds({}, {}, now + 3 * minute)).toEqual(['last-heard']);
    expect(kinds({}, { holdfast: 'unknown', feed: 'waiting' })).toEqual(['last-heard']);
    expect(kinds({}, { holdfast: 'unknown', feed: 'waiting', lastHeardAtMs: null })).toEqual(['never-heard']);
    expect(kinds({}, { holdfast: 'not-reached' })).toEqual(['no-connection', 'last-heard']);
    // A clock that was set back proves nothing.
    expect(kinds({}, {}, now - 60 * minute)).toEqual(['last-heard']);
  });

  it('is opening while nothing is known yet', () => {
    expect(kinds({}, null)).toEqual(['opening']);
    expect(kinds({}, { holdfast: 'unknown', feed: 'connecting', lastHeardAtMs: null })).toEqual(['opening']);
    expect(pillParts(null, reached, now)).toEqual([{ kind: 'opening' }]);
  });

  it('names a network that wants a sign-in', () => {
    expect(kinds({}, { holdfast: 'not-reached', trouble: 'network-sign-in' })[0]).toBe('network-sign-in');
  });

  // Red when: age is left out (a green connection with items unsent for hours), or it alarms while nothing can go out.
  it('what waits for minutes although Holdfast answers asks for attention; without a connection it only waits', () => {
    const waiting = { allReceived: false, waiting: 2, oldestWaitingSinceMs: now - 14 * minute };
    const long = (status: Partial<StatusSummary>, connectivity: Partial<Connectivity>) =>
      pillParts({ ...idle, ...waiting, ...status }, { ...reached, ...connectivity }, now).some(
        (part) => part.kind === 'waiting' && part.long,
      );
    expect(long({}, {})).toBe(true);
    expect(long({ oldestWaitingSinceMs: now - minute }, {})).toBe(false);
    expect(long({}, { holdfast: 'not-reached' })).toBe(false);
    // The bar asks for the sign-in.
    expect(long({ signInToSend: 2 }, {})).toBe(false);
    expect(kinds({ ...waiting, needsYou: 1, unknown: 3 }, {})).toEqual(['waiting', 'needs-you', 'unknown']);
  });
});
