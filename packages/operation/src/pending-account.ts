import { englishPending, type PendingMessages } from './messages/en-pending.ts';
import type { PendingTime } from './wire/pending-message.ts';

export type PendingFacts = {
  readonly providerName: string;
  readonly providerReference: string | null;
  /** How long it has been pending. Milliseconds; `null`: not known here. */
  readonly lastsMs: number | null;
  /** `null`: what is usual is not known here now. */
  readonly usual: PendingTime | null;
  /** "in 3 h"; `null`: no look is scheduled. */
  readonly nextLookText: string | null;
};

/** Since when, what is usual, what is looked at next: sentences, of which the middle one may be missing. */
export type PendingAccount = {
  readonly lasts: string | null;
  readonly usual: string | null;
  readonly next: string;
  readonly isBeyondUsual: boolean;
};

/** Within what time it usually ends: by this organisation's own past where there is enough of it. */
export const usuallyWithinMs = (usual: PendingTime): number => usual.past?.mostMs ?? usual.endsWithinMs;

/** @param spanText a length of time for people: "6 days" */
export const pendingAccount = (
  facts: PendingFacts,
  spanText: (milliseconds: number) => string,
  messages: PendingMessages = englishPending,
): PendingAccount => {
  const { providerName: provider, providerReference, lastsMs, usual, nextLookText } = facts;
  const isBeyondUsual = usual !== null && lastsMs !== null && lastsMs > usuallyWithinMs(usual);
  const lasts = lastsMs === null ? null : messages.lasts(provider, spanText(lastsMs));
  return {
    lasts: lasts !== null && isBeyondUsual ? `${lasts} ${messages.beyond}` : lasts,
    usual: usual === null ? null : usualText(provider, usual, spanText, messages),
    next:
      nextLookText === null
        ? messages.looksNoMore(provider)
        : messages.looksAgain(provider, providerReference, nextLookText),
    isBeyondUsual,
  };
};

const usualText = (
  provider: string,
  { past, endsWithinMs }: PendingTime,
  spanText: (milliseconds: number) => string,
  messages: PendingMessages,
): string =>
  past === null
    ? messages.usualThere(provider, spanText(endsWithinMs))
    : messages.usualHere(provider, past.count, spanText(past.medianMs), spanText(past.mostMs));
