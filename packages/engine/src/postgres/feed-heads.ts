import type { InOrganisation } from './connection.ts';
import { readFeedHead } from './feed-reader.ts';

/** Without a notification: how often each watched organisation's head is looked at. */
const pollMs = 2_000;
/** While a transaction elsewhere holds the horizon back, the head is looked at this soon again, then ever slower. */
const firstRecheckMs = 25;
const slowestRecheckMs = 1_000;

/** One organisation's head of the feed, looked at for all its watchers in this process together. */
export type WatchedHead = {
  readonly wakes: Set<() => void>;
  /** Looks now, or once more after the look under way. */
  readonly look: () => void;
  readonly stop: () => void;
};

/** Wakes its watchers whenever more of the feed may be told than before. */
export const watchHead = (inOrganisation: InOrganisation, organisationId: string): WatchedHead => {
  const wakes = new Set<() => void>();
  let visible: string | undefined;
  let looking = false;
  let lookAgain = false;
  let stopped = false;
  let recheckMs = firstRecheckMs;
  let timer: NodeJS.Timeout | undefined;

  /** Milliseconds until the next look is worth it. */
  const lookOnce = async (): Promise<number> => {
    const head = await inOrganisation(organisationId, readFeedHead);
    // The first look wakes too: what was told before it may have been read before it.
    if (head.visible !== visible) wakes.forEach((wake) => wake());
    visible = head.visible;
    if (head.visible === head.latest) {
      recheckMs = firstRecheckMs;
      return pollMs;
    }
    const pauseMs = recheckMs;
    recheckMs = Math.min(recheckMs * 2, slowestRecheckMs);
    return pauseMs;
  };

  const look = (): void => {
    if (stopped) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    looking = true;
    lookAgain = false;
    clearTimeout(timer);
    lookOnce()
      // The database is away: watchers are woken by the next look that succeeds.
      .catch(() => pollMs)
      .then((nextMs) => {
        looking = false;
        if (stopped) return;
        timer = setTimeout(look, lookAgain ? 0 : nextMs);
        timer.unref();
      })
      .catch(() => undefined);
  };

  return {
    wakes,
    look,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
};
