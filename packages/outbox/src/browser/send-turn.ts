import { createCanceller, pause } from '../ports.ts';
import type { Cancellation } from '../ports.ts';
import { historyOf, isUnfinishedEntry } from '../queue/entry-history.ts';
import { returnDelayMs } from '../send/return-spread.ts';
import { browserChance, browserClock, browserTimer } from './browser-world.ts';
import type { QueueParts } from './queue-parts.ts';

/** The browsers of all devices around wake their workers in the same second: how long ours were waiting says our share. */
const waitOurShare = async (
  { store }: Pick<QueueParts, 'store'>,
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

/** Rejects when the turn is over or somebody wants to replace the worker: storage held by a tab is not waited for longer. */
const turnOver = (cancellation: Cancellation, giveWay: AbortSignal | null): Promise<never> =>
  new Promise((_, reject) => {
    const end = (): void => reject(new Error('the turn ended before storage could be opened'));
    cancellation.onRequested(end);
    giveWay?.addEventListener('abort', end, { once: true });
    if (giveWay?.aborted === true) end();
  });

/** Browsers end a worker that takes longer than some minutes, in the middle of whatever it does. */
export const longestTurnMs = 120_000;

export type Turn = {
  readonly turnMs: number;
  /** Aborted by who wants to replace the worker. */
  readonly giveWay: AbortSignal | null;
};

/** One round of sending by a service worker. */
export const sendTurn = async (
  parts: Pick<QueueParts, 'database' | 'store' | 'sender'>,
  { turnMs, giveWay }: Turn,
): Promise<{ readonly waiting: number }> => {
  const turn = createCanceller();
  const stopTimer = browserTimer(turnMs, () => turn.cancel());
  try {
    // Rejects where an older worker meets what a newer app stored: that one's worker sends it.
    await Promise.race([parts.database.openQueue(), turnOver(turn, giveWay)]);
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
  }
};
