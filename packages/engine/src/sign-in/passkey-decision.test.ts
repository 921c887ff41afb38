import { describe, expect, it } from 'vitest';
import {
  freshForMs,
  isFresh,
  judgeCounter,
  judgeRegistering,
  judgeRevoking,
  type Proof,
} from './passkey-decision.ts';

const nowMs = 1_800_000_000_000;
const proof = (by: Proof['by'], agoMs = 0): Proof => ({ by, atMs: nowMs - agoMs });
const stale = freshForMs + 1;

// Red when: a proof of any age passes, or one from the future.
it('a proof is fresh for ten minutes, and one from the future is none', () => {
  expect(freshForMs).toBe(600_000);
  expect(isFresh(proof('password', freshForMs), nowMs)).toBe(true);
  expect(isFresh(proof('password', stale), nowMs)).toBe(false);
  expect(isFresh(proof('password', -3_600_000), nowMs)).toBe(false);
});

// Red when: a counter that stands still after it had counted passes for one that never counts.
it.each([
  [0, 0, 'uncounted'],
  [0, 1, 'forward'],
  [4, 5, 'forward'],
  [5, 5, 'went-back'],
  [5, 4, 'went-back'],
  [5, 0, 'went-back'],
] as const)('a counter of %i followed by %i is %s', (recorded, given, expected) => {
  expect(judgeCounter(recorded, given)).toBe(expected);
});

describe('registering a passkey', () => {
  const judge = (by: Proof['by'], agoMs: number, livePasskeys: number, passkeysSinceRecovery: number) =>
    judgeRegistering({ proof: proof(by, agoMs), nowMs, livePasskeys, passkeysSinceRecovery });

  // Red when: a password is enough for a further passkey, so that whoever reads somebody's mail can make one.
  it('the first takes any fresh proof, each further one a passkey, and after all are lost a recovery', () => {
    expect(judge('password', 0, 0, 0)).toBe('allowed');
    expect(judge('password', stale, 0, 0)).toBe('confirm');
    expect(judge('password', 0, 1, 1)).toBe('confirm-with-passkey');
    expect(judge('passkey', 0, 1, 1)).toBe('allowed');
    expect(judge('passkey', stale, 1, 1)).toBe('confirm-with-passkey');
    expect(judge('password', 0, 0, 1)).toBe('recovery-needed');
    expect(judge('passkey', 0, 0, 2)).toBe('recovery-needed');
  });
});

// Red when: revoking asks for the passkey that may be lost.
it('revoking takes any fresh proof', () => {
  expect(judgeRevoking(proof('password'), nowMs)).toBe('allowed');
  expect(judgeRevoking(proof('passkey', stale), nowMs)).toBe('confirm');
});
