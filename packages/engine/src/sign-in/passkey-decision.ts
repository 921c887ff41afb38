/** How a person proved who they are, and when. */
export type Proof = { readonly atMs: number; readonly by: 'password' | 'passkey' };

/** For so long a proof is good enough to change what people sign in with. */
export const freshForMs = 10 * 60_000;

/** A clock of another process may be ahead; a proof from further in the future than that proves nothing. */
const clockMarginMs = 60_000;

export const isFresh = (proof: Proof, nowMs: number): boolean =>
  nowMs - proof.atMs <= freshForMs && proof.atMs - nowMs <= clockMarginMs;

export type CounterJudgement = 'forward' | 'uncounted' | 'went-back';

/**
 * An authenticator that counts shows a higher number each time; many never count and always show 0. A number that
 * does not grow means that there are two of what can be only one.
 */
export const judgeCounter = (recorded: number, given: number): CounterJudgement => {
  if (recorded === 0 && given === 0) return 'uncounted';
  return given > recorded ? 'forward' : 'went-back';
};

/**
 * What must come before a passkey may be registered. A password alone registers the first one since the person was
 * added or recovered, and no other: else whoever can read somebody's mail could make themselves a key to sign with.
 */
export type RegisterJudgement = 'allowed' | 'confirm' | 'confirm-with-passkey' | 'recovery-needed';

export type RegisterFacts = {
  readonly proof: Proof;
  readonly nowMs: number;
  /** Not revoked. */
  readonly livePasskeys: number;
  /** Registered since the person was added or last recovered, revoked ones included. */
  readonly passkeysSinceRecovery: number;
};

export const judgeRegistering = (facts: RegisterFacts): RegisterJudgement => {
  const isFirst = facts.passkeysSinceRecovery === 0;
  if (!isFirst && facts.livePasskeys === 0) return 'recovery-needed';
  if (!isFresh(facts.proof, facts.nowMs)) return isFirst ? 'confirm' : 'confirm-with-passkey';
  return isFirst || facts.proof.by === 'passkey' ? 'allowed' : 'confirm-with-passkey';
};

/** Any fresh proof revokes: a lost passkey must be stoppable at once, with whatever the person still has. */
export const judgeRevoking = (proof: Proof, nowMs: number): 'allowed' | 'confirm' =>
  isFresh(proof, nowMs) ? 'allowed' : 'confirm';
