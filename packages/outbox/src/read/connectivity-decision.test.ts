import { describe, expect, it } from 'vitest';
import type { Connectivity, KeptReason } from '../outbox-interface.ts';
import { afterHearing } from './connectivity-decision.ts';

const now = 1_764_000_000_000;
const unknown: Connectivity = {
  holdfast: 'unknown',
  trouble: null,
  sinceMs: null,
  lastHeardAtMs: null,
  feed: 'connecting',
  signInNeeded: false,
  storage: 'ready',
  storagePersisted: null,
  listSinceMs: null,
};

const hear = (state: Connectivity, trouble: KeptReason | null, nowMs = now): Connectivity => ({
  ...state,
  ...afterHearing(state, { trouble, nowMs, requestTimeoutMs: 20_000 }),
});

describe('what an exchange says of the connection', () => {
  it('only answers of Holdfast itself count as reached', () => {
    for (const trouble of ['unreachable', 'network-sign-in', 'foreign-answer', 'interrupted'] as const) {
      expect(hear(unknown, trouble)).toMatchObject({ holdfast: 'not-reached', trouble, lastHeardAtMs: null });
    }
    for (const trouble of ['server-trouble', 'slow-down', 'sign-in', 'update-needed'] as const) {
      expect(hear(unknown, trouble)).toMatchObject({ holdfast: 'reached', trouble, lastHeardAtMs: now });
    }
  });

  // Red when: a refusal of one item is shown as a trouble of the connection.
  it('what is wrong with one item is no trouble of the connection', () => {
    for (const trouble of ['not-allowed', 'wrong-subject', 'too-large', 'not-known-there'] as const) {
      expect(hear(unknown, trouble)).toMatchObject({ holdfast: 'reached', trouble: null });
    }
  });

  it('one good answer clears every trouble', () => {
    for (const trouble of ['unreachable', 'network-sign-in', 'server-trouble', 'update-needed'] as const) {
      const well = hear(hear(unknown, trouble), null, now + 5_000);
      expect(well).toMatchObject({ holdfast: 'reached', trouble: null, sinceMs: now + 5_000 });
    }
  });

  // Red when: a request that ran out of time undoes what was heard since it began.
  it('a request that timed out says nothing of the time after it began', () => {
    const well = hear(unknown, null);
    expect(hear(well, 'timed-out', now + 15_000)).toEqual(well);
    expect(hear(well, 'timed-out', now + 25_000)).toMatchObject({ holdfast: 'not-reached' });
  });
});
