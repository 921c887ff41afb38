import type { Feed } from '@holdfast/engine';
import { isDatabaseAway } from './failure.ts';
import {
  judgeEntry,
  limitsFor,
  outageOver,
  outageSeen,
  retryAfterSeconds,
  type Outage,
  type PlaceLimits,
} from './overload-decision.ts';
import { problemOf, Refusal } from './problem.ts';

/** Whose places a piece of work takes. `request-going-on`: of a request that was let in before; it goes first. */
export type Place = 'request' | 'request-going-on' | 'sign-in' | 'webhook' | 'feed';

/** Lets in only as much work as the database can carry; the rest is told when to come back. */
export type Overload = {
  /**
   * Does work that needs the database.
   * @throws Refusal (503, `Retry-After`) when there is no place, or when the database stops answering meanwhile; the
   *   work then goes on and keeps its place until it ends, so nothing is begun on top of it
   */
  readonly during: <Answer>(place: Place, work: () => Promise<Answer>) => Promise<Answer>;
  /** The value of `Retry-After` for an answer that asks to come back. */
  readonly retryAfter: () => string;
  /** Something found the database away. */
  readonly databaseAway: () => void;
};

export type OverloadParts = {
  /** Connections of the pool that the work shares. */
  readonly connections: number;
  readonly isDatabaseAnswering: () => Promise<boolean>;
  readonly nowMs: () => number;
  /** From 0 up to 1. */
  readonly chance: () => number;
  /** How long work may take before the database is asked whether it still answers. */
  readonly suspiciousAfterMs?: number;
};

type Lane = { readonly enter: (first: boolean) => Promise<(() => void) | undefined> };

/** Places, and those who wait for one, in order. */
const createLane = (limits: PlaceLimits): Lane => {
  const line: { begin: () => void }[] = [];
  let inWork = 0;

  const leave = (): void => {
    inWork -= 1;
    if (inWork < limits.inWork) line.shift()?.begin();
  };
  const begin = (): (() => void) => {
    inWork += 1;
    return leave;
  };
  const wait = (first: boolean): Promise<(() => void) | undefined> =>
    new Promise((resolve) => {
      const place = {
        begin: () => {
          clearTimeout(timer);
          resolve(begin());
        },
      };
      const giveUp = (): void => {
        line.splice(line.indexOf(place), 1);
        resolve(undefined);
      };
      const timer = Number.isFinite(limits.longestWaitMs)
        ? setTimeout(giveUp, limits.longestWaitMs)
        : undefined;
      if (first) line.unshift(place);
      else line.push(place);
    });

  return {
    enter: async (first) => {
      switch (judgeEntry({ inWork, waiting: line.length, first }, limits)) {
        case 'begin':
          return begin();
        case 'wait':
          return wait(first);
        case 'turn-away':
          return undefined;
      }
    },
  };
};

const suspiciousMs = 5_000;

/** Resolves only when the database is found not to answer; looks again for as long as the work takes. */
const untilSilent = (
  isAnswering: () => Promise<boolean>,
  everyMs: number,
): { readonly silent: Promise<void>; readonly stop: () => void } => {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const silent = new Promise<void>((resolve) => {
    const look = (): void => {
      timer = setTimeout(() => {
        isAnswering().then(
          (answers) => {
            if (!answers) resolve();
            else if (!stopped) look();
          },
          () => {
            resolve();
          },
        );
      }, everyMs);
    };
    look();
  });
  return {
    silent,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
};

export const createOverload = (parts: OverloadParts): Overload => {
  const limits = limitsFor(parts.connections);
  const requests = createLane(limits.request);
  const lanes: Record<Place, Lane> = {
    request: requests,
    'request-going-on': requests,
    'sign-in': createLane(limits['sign-in']),
    webhook: createLane(limits.webhook),
    feed: createLane(limits.feed),
  };
  let outage: Outage | null = null;
  let asking: Promise<boolean> | null = null;

  const databaseAway = (): void => {
    outage = outageSeen(outage, parts.nowMs());
  };
  const retryAfter = (): string => String(retryAfterSeconds(outage, parts.nowMs(), parts.chance()));
  const comeBack = (detail: string): Refusal =>
    new Refusal(problemOf('unavailable', detail), { 'retry-after': retryAfter() });
  const isAnswering = (): Promise<boolean> =>
    (asking ??= parts.isDatabaseAnswering().finally(() => {
      asking = null;
    }));

  const watched = async <Answer>(place: Place, work: Promise<Answer>): Promise<Answer> => {
    // A stream has all the time there is; its reader sees heart-beats meanwhile.
    if (place === 'feed') return work;
    const watch = untilSilent(isAnswering, parts.suspiciousAfterMs ?? suspiciousMs);
    const silence = watch.silent.then((): never => {
      databaseAway();
      throw comeBack(
        'The database does not answer at the moment. Send the same again: what did take effect is not done twice.',
      );
    });
    try {
      return await Promise.race([work, silence]);
    } finally {
      watch.stop();
    }
  };

  return {
    retryAfter,
    databaseAway,
    during: async (place, work) => {
      const leave = await lanes[place].enter(place === 'request-going-on');
      if (leave === undefined)
        throw comeBack('More is asked of this server than it can do at once. Send it again.');
      // Inside a promise, also what is thrown at once: else its place would never be given back.
      const done = Promise.resolve()
        .then(work)
        .then(
          (answer) => {
            outage = outageOver(outage, parts.nowMs());
            return answer;
          },
          (error: unknown) => {
            if (isDatabaseAway(error)) databaseAway();
            throw error;
          },
        );
      // Whoever asked may have been answered already; the place is free only once the work has ended.
      done.then(leave, leave);
      return watched(place, done);
    },
  };
};

/** A feed whose questions to the database take turns, however many streams there are. */
export const feedInTurns = (feed: Feed, { during }: Pick<Overload, 'during'>): Feed => ({
  ...feed,
  resume: (who, cursor) => during('feed', () => feed.resume(who, cursor)),
  changesAfter: (who, cursor, limit) => during('feed', () => feed.changesAfter(who, cursor, limit)),
  snapshot: async function* (who) {
    const pages = feed.snapshot(who)[Symbol.asyncIterator]();
    for (;;) {
      const page = await during('feed', () => pages.next());
      if (page.done === true) return;
      yield page.value;
    }
  },
});
