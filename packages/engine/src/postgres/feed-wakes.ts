import type { Connection, InOrganisation } from './connection.ts';
import { readFeedHead } from './feed-reader.ts';

const channel = 'holdfast_feed';
/** Commits within this long are told with one NOTIFY: inside busy transactions it would serialise every commit. */
const tickMs = 20;
/** Without a notification: how often each watched organisation's head is looked at. */
const pollMs = 2_000;
/** While a transaction elsewhere holds the horizon back, the head is looked at this soon again, then ever slower. */
const firstRecheckMs = 25;
const slowestRecheckMs = 1_000;
const everyone = '*';

type Watched = {
  readonly wakes: Set<() => void>;
  visible: string | undefined;
  looking: boolean;
  lookAgain: boolean;
  recheckMs: number;
  timer: NodeJS.Timeout | undefined;
};

export type FeedWakes = {
  /** To be called after a commit that wrote feed rows. */
  readonly written: (organisationId: string) => void;
  readonly watch: (organisationId: string, wake: () => void) => () => void;
  /** Calls `wake` when anything was written anywhere: what waits in the database may be due now. */
  readonly watchWork: (wake: () => void) => () => void;
  readonly close: () => Promise<void>;
};

/** Wakes the feed's readers in this process and, by NOTIFY, in all others. One LISTEN connection a process. */
export const createFeedWakes = (connection: Connection, inOrganisation: InOrganisation): FeedWakes => {
  const watched = new Map<string, Watched>();
  const workers = new Set<() => void>();
  const unsaid = new Set<string>();
  let flushTimer: NodeJS.Timeout | undefined;
  let closed = false;
  let listening: Promise<{ unlisten: () => Promise<void> }> | undefined;

  const look = async (organisationId: string, one: Watched): Promise<void> => {
    if (one.looking) {
      one.lookAgain = true;
      return;
    }
    one.looking = true;
    one.lookAgain = false;
    clearTimeout(one.timer);
    let nextMs = pollMs;
    try {
      const head = await inOrganisation(organisationId, readFeedHead);
      // The first look wakes too: what was told before it may have been read before it.
      if (head.visible !== one.visible) one.wakes.forEach((wake) => wake());
      one.visible = head.visible;
      if (head.visible === head.latest) one.recheckMs = firstRecheckMs;
      else {
        nextMs = one.recheckMs;
        one.recheckMs = Math.min(one.recheckMs * 2, slowestRecheckMs);
      }
    } catch {
      // The database is away: readers are woken by the next look that succeeds.
    } finally {
      one.looking = false;
    }
    if (closed || watched.get(organisationId) !== one) return;
    one.timer = setTimeout(() => void look(organisationId, one), one.lookAgain ? 0 : nextMs);
    one.timer.unref();
  };

  const lookAt = (organisationId: string): void => {
    for (const wake of workers) wake();
    for (const [id, one] of watched) {
      if (organisationId === everyone || organisationId === id) void look(id, one);
    }
  };

  const listen = (): void => {
    listening ??= connection.driver.listen(
      channel,
      (payload) => payload.split(' ').forEach(lookAt),
      // After a lost connection something may have been said that nobody heard.
      () => lookAt(everyone),
    );
    listening.catch(() => {
      // Polling goes on without it; the next watcher tries again.
      listening = undefined;
    });
  };

  const flush = (): void => {
    flushTimer = undefined;
    const payload = unsaid.size > 100 ? everyone : [...unsaid].join(' ');
    unsaid.clear();
    connection.driver.notify(channel, payload).catch(() => undefined);
  };

  return {
    written: (organisationId) => {
      lookAt(organisationId);
      unsaid.add(organisationId);
      if (!closed) flushTimer ??= setTimeout(flush, tickMs);
    },
    watch: (organisationId, wake) => {
      listen();
      const one: Watched = watched.get(organisationId) ?? {
        wakes: new Set(),
        visible: undefined,
        looking: false,
        lookAgain: false,
        recheckMs: firstRecheckMs,
        timer: undefined,
      };
      watched.set(organisationId, one);
      // A wrapper of its own: the same function given twice is two watchers.
      const own = (): void => wake();
      one.wakes.add(own);
      if (one.wakes.size === 1) void look(organisationId, one);
      return () => {
        one.wakes.delete(own);
        if (one.wakes.size > 0 || watched.get(organisationId) !== one) return;
        clearTimeout(one.timer);
        watched.delete(organisationId);
      };
    },
    watchWork: (wake) => {
      listen();
      const own = (): void => wake();
      workers.add(own);
      return () => workers.delete(own);
    },
    close: async () => {
      closed = true;
      workers.clear();
      for (const one of watched.values()) clearTimeout(one.timer);
      watched.clear();
      clearTimeout(flushTimer);
      if (unsaid.size > 0)
        await connection.driver.notify(channel, [...unsaid].join(' ')).catch(() => undefined);
      await listening?.then(({ unlisten }) => unlisten()).catch(() => undefined);
    },
  };
};
