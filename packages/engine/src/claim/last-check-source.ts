import type { ProviderContract } from '@holdfast/providers';

/** How well the mirror knows the provider's side of one payment. Times are the database's. */
export type MirrorKnowledge = {
  /** When the last complete listing of the account began; `null` before the first. */
  readonly readAtMs: number | null;
  /** Since when listings follow one another without a gap; `null` before the first. */
  readonly unbrokenSinceMs: number | null;
  /** When this payment itself was last asked about, all pages read. A listing shows only what is new since it began. */
  readonly paymentAskedAtMs: number | null;
};

export type LastCheckNeed = {
  readonly nowMs: number;
  readonly mirror: MirrorKnowledge;
  readonly resubmission: boolean;
  readonly replacesAnother: boolean;
  /** The operation's ID was minted before the present generation of history began, so the past may hold a send of it. */
  readonly olderThanHistory: boolean;
};

/**
 * Where the last check before sending takes its facts from: the mirror where it knows enough, else a fresh question.
 * A provider that cannot be asked about a payment leaves `our-record`: what its answers and webhooks brought here, and
 * the provider's own ceiling. Except where this history may have forgotten a send: then nobody can tell, a question is
 * needed, and without an answer nothing is sent. (A resubmission is of a request that is on record.)
 */
export const lastCheckSource = (
  need: LastCheckNeed,
  contract: Pick<ProviderContract, 'mirrorFreshForMs' | 'lookUp'>,
): 'mirror' | 'question' | 'our-record' => {
  if (contract.lookUp !== 'by-payment') {
    return need.olderThanHistory && !need.resubmission ? 'question' : 'our-record';
  }
  if (need.resubmission || need.replacesAnother || need.olderThanHistory) return 'question';
  const { readAtMs, unbrokenSinceMs, paymentAskedAtMs } = need.mirror;
  if (readAtMs === null || unbrokenSinceMs === null || paymentAskedAtMs === null) return 'question';
  if (paymentAskedAtMs < unbrokenSinceMs) return 'question';
  const seenAtMs = Math.max(readAtMs, paymentAskedAtMs);
  return need.nowMs - seenAtMs <= contract.mirrorFreshForMs ? 'mirror' : 'question';
};
