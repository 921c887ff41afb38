import type { BrowserOutboxOptions } from './browser-outbox-options.ts';
import { createBrowserParts, settingsOf } from './browser-parts.ts';
import { longestTurnMs, sendTurn } from './send-turn.ts';

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
  const parts = createBrowserParts(settingsOf(options));
  try {
    return await sendTurn(parts, { turnMs, giveWay });
  } finally {
    parts.cacheDatabase.close();
  }
};
