import type { Connection, InOrganisation } from './connection.ts';
import { watchHead, type WatchedHead } from './feed-heads.ts';

const channel = 'holdfast_feed';
/** Commits within this long are told with one NOTIFY: inside busy transactions it would serialise every commit. */
const tickMs = 20;
/** Said instead of a list of organisations that would not fit into one notification. */
const everyone = '*';

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
  const heads = new Map<string, WatchedHead>();
  const workers = new Set<() => void>();
  const written = (organisationId: string): void => {
    for (const wake of workers) wake();
    for (const [id, head] of heads) if (organisationId === everyone || organisationId === id) head.look();
  };
  const ear = createEar(connection, written);
  const mouth = createMouth(connection);
  return {
    written: (organisationId) => {
      written(organisationId);
      mouth.say(organisationId);
    },
    watch: (organisationId, wake) => {
      ear.open();
      const head = heads.get(organisationId) ?? watchHead(inOrganisation, organisationId);
      heads.set(organisationId, head);
      // A wrapper of its own: the same function given twice is two watchers.
      const own = (): void => wake();
      head.wakes.add(own);
      if (head.wakes.size === 1) head.look();
      return () => {
        head.wakes.delete(own);
        if (head.wakes.size > 0 || heads.get(organisationId) !== head) return;
        head.stop();
        heads.delete(organisationId);
      };
    },
    watchWork: (wake) => {
      ear.open();
      const own = (): void => wake();
      workers.add(own);
      return () => {
        workers.delete(own);
      };
    },
    close: async () => {
      workers.clear();
      for (const head of heads.values()) head.stop();
      heads.clear();
      await mouth.close();
      await ear.close();
    },
  };
};

/** Hears what other processes (and this one) say. Opened when somebody first watches. */
const createEar = (connection: Connection, hear: (organisationId: string) => void) => {
  let listening: Promise<{ unlisten: () => Promise<void> }> | undefined;
  return {
    open: (): void => {
      if (listening !== undefined) return;
      listening = connection.driver.listen(
        channel,
        (payload) => payload.split(' ').forEach(hear),
        // After a lost connection something may have been said that nobody heard.
        () => hear(everyone),
      );
      listening.catch(() => {
        // Polling goes on without it; the next watcher tries again.
        listening = undefined;
      });
    },
    close: async (): Promise<void> => {
      await listening?.then(({ unlisten }) => unlisten()).catch(() => undefined);
    },
  };
};

/** Says which organisations were written to, once a tick. */
const createMouth = (connection: Connection) => {
  const unsaid = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (unsaid.size === 0) return;
    const payload = unsaid.size > 100 ? everyone : [...unsaid].join(' ');
    unsaid.clear();
    // Not heard is not lost: every process also polls.
    await connection.driver.notify(channel, payload).catch(() => undefined);
  };
  return {
    say: (organisationId: string): void => {
      if (closed) return;
      unsaid.add(organisationId);
      timer ??= setTimeout(() => void flush(), tickMs);
    },
    close: async (): Promise<void> => {
      closed = true;
      await flush();
    },
  };
};
