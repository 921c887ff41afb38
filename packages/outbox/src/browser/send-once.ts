import { createCanceller, pause } from '../ports.ts';
import type { Cancellation } from '../ports.ts';
import { historyOf, isUnfinishedEntry } from '../queue/entry-history.ts';
import { returnDelayMs } from '../send/return-spread.ts';
import { browserChance, browserClock, browserTimer } from './browser-world.ts';
import type { BrowserOutboxOptions } from './browser-outbox-options.ts';
import { createBrowserParts, settingsOf, type BrowserParts } from './browser-parts.ts';

/** The browsers of all devices around wake their workers in the same second: how long ours were waiting says our share. */
const waitOurShare = async (
  { store }: BrowserParts,
  cancellation: Cancellation,
  giveWay: AbortSignal | null,
): Promise<void> => {
  const waiting = createCanceller();
  cancellation.onRequested(() => waiting.cancel());
  giveWay?.addEventListener('abort', () => waiting.cancel(), { once: true });
  if (giveWay?.aborted === true) waiting.cancel();
  const { records } = await store.readOpen();
  const nowMs = browserClock.nowMs();
  const oldestMs = Math.min(nowMs, ...records.map(({ entry }) => entry.queuedAtMs));
  await pause(browserTimer, returnDelayMs(nowMs - oldestMs, browserChance()), waiting);
};

/** Browsers end a worker that takes longer than some minutes, in the middle of whatever it does. */
const longestTurnMs = 120_000;

/**
 * One round of sending, for a service worker's `sync` event. It uses the same queue, lease and bytes as the pages,
 * so it may run beside them. It gives up in time, with what came of its request stored and the lease given back.
 * @param turnMs how long it may take, in milliseconds
 * @param giveWay aborted by who wants to replace the worker: it then begins no send, and one under way is finished
 * @returns how many items of the signed-in subject still wait, a sign-out included; a `sync` event should reject
 *   while it is not 0, so that the browser wakes the worker again
 */
export const sendOnce = async (
  options: BrowserOutboxOptions = {},
  turnMs = longestTurnMs,
  giveWay: AbortSignal | null = null,
): Promise<{ readonly waiting: number }> => {
  const turn = createCanceller();
  const stopTimer = browserTimer(turnMs, () => turn.cancel());
  const parts = createBrowserParts(settingsOf(options));
  try {
    // Rejects where an older worker meets what a newer app stored: that one's worker sends it.
    await parts.database.openQueue();
    await waitOurShare(parts, turn, giveWay);
    if (giveWay?.aborted !== true) {
      await parts.sender.runRound({ urgency: 'connection-may-be-back', cancellation: turn });
    }
    const { records, session } = await parts.store.readOpen();
    const waiting = records.filter(
      (record) => record.entry.subject === session.subject && isUnfinishedEntry(historyOf(record)),
    );
    // A sign-out that the server has not heard of waits as well.
    return { waiting: waiting.length + (session.signOutOwed ? 1 : 0) };
  } finally {
    stopTimer();
    parts.database.close();
    parts.cacheDatabase.close();
  }
};
