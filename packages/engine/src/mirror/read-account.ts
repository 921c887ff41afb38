import type { ListingAnswer } from '@holdfast/providers';
import type { ProviderAccount } from '../engine-interface.ts';
import {
  nextListingWindow,
  pausesBetweenListings,
  type MirrorPosition,
  type PausesBetweenListings,
} from './listing-window.ts';
import type { SeenAtProvider } from './seen-at-provider.ts';

export type ReadAccountPorts = {
  /**
   * Takes this account's turn to be listed, so that of many processes one lists. `null`: not due, or another has it.
   * The turn lasts `turnMs`, after which it falls free by itself.
   */
  readonly takeTurn: (
    account: ProviderAccount,
    turnMs: number,
  ) => Promise<{
    readonly nowMs: number;
    readonly position: MirrorPosition;
  } | null>;
  /** Asks the provider for what was made since a time; a provider that wants to be left alone gives no answer. */
  readonly listSince: (
    account: ProviderAccount,
    sinceMs: number,
    timeoutMs: number,
  ) => Promise<ListingAnswer>;
  readonly absorb: (account: ProviderAccount, seen: SeenAtProvider) => Promise<void>;
  readonly finishTurn: (
    account: ProviderAccount,
    turn: {
      /** What the mirror now knows; `null` where the listing had no answer and nothing is known anew. */
      readonly position: MirrorPosition | null;
      readonly next: PausesBetweenListings;
      readonly failure: { readonly because: string; readonly ourKeyRefused: boolean } | null;
      /** The provider's clock minus ours, where its answer said what time it is. */
      readonly skewMs: number | null;
    },
  ) => Promise<void>;
};

const turnRestMs = 5_000;

/**
 * Brings the mirror of one account up to date by one incremental listing, where it is due.
 * @returns whether a listing was made and answered
 */
export const readAccount = async (
  ports: ReadAccountPorts,
  account: ProviderAccount,
  providerTimeoutMs: number,
): Promise<boolean> => {
  const turn = await ports.takeTurn(account, providerTimeoutMs + turnRestMs);
  if (turn === null) return false;
  const window = nextListingWindow(turn.position, turn.nowMs);
  const answer = await ports.listSince(account, window.sinceMs, providerTimeoutMs);
  const isOffered = answer.kind === 'answer' || answer.notOffered !== true;
  const next = pausesBetweenListings(isOffered, account.adapter.contract.mirrorFreshForMs);
  if (answer.kind === 'no-answer') {
    const failure = { because: answer.because, ourKeyRefused: answer.ourKeyRefused };
    await ports.finishTurn(account, { position: null, next, failure, skewMs: null });
    return false;
  }
  // First the facts, then the claim to know them: a crash in between only reads the same window again.
  await ports.absorb(account, {
    refunds: answer.refunds,
    disputes: answer.disputes,
    askedPayment: null,
    source: 'listing',
  });
  const unbrokenSinceMs = window.startsAnew ? window.sinceMs : turn.position.unbrokenSinceMs;
  await ports.finishTurn(account, {
    position: { readAtMs: turn.nowMs, unbrokenSinceMs },
    next,
    failure: null,
    skewMs: answer.providerDateMs === null ? null : answer.providerDateMs - turn.nowMs,
  });
  return true;
};
