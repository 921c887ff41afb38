import { setImmediate } from 'node:timers';
import { carryOutWhatIsPutOff } from './put-off.ts';

/** Something that can die or stand still, and has a clock: a process, a tab. What it waits for then never comes. */
export type Mortal = {
  readonly name: string;
  alive: boolean;
  /** Stands still until then, like a process that its machine has frozen. */
  frozenUntilMs: number;
  /** By how much its clock is ahead of everybody's. */
  skewMs: number;
  /** What goes with it. */
  readonly atDeath: (() => void)[];
};

export const createMortal = (name: string): Mortal => ({
  ...{ name, alive: true, frozenUntilMs: 0, skewMs: 0, atDeath: [] },
});

/** One clock and one order of events for a whole history. Nothing goes on but by an event of it. */
export type Scheduler = {
  readonly nowMs: () => number;
  /** Resolves after so long; never, once its owner has died. */
  readonly pause: (ms: number, owner: Mortal | null) => Promise<void>;
  readonly later: (ms: number, owner: Mortal | null, fire: () => void) => () => void;
  /** Lets events happen in their order until none is left before that time. Ends early where `stop` says so. */
  readonly runUntil: (untilMs: number, stop?: () => boolean) => Promise<void>;
  readonly steps: () => number;
};

type Event = {
  readonly atMs: number;
  readonly order: number;
  readonly owner: Mortal | null;
  fire: (() => void) | null;
};

const isBefore = (one: Event, other: Event): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);

const createHeap = () => {
  const items: Event[] = [];
  const swap = (one: number, other: number): void => {
    const held = items[one] as Event;
    items[one] = items[other] as Event;
    items[other] = held;
  };
  return {
    first: (): Event | undefined => items[0],
    push: (event: Event): void => {
      items.push(event);
      for (let at = items.length - 1; at > 0;) {
        const parent = (at - 1) >> 1;
        if (!isBefore(items[at] as Event, items[parent] as Event)) return;
        swap(at, parent);
        at = parent;
      }
    },
    pop: (): Event | undefined => {
      const first = items[0];
      const last = items.pop();
      if (first === undefined || last === undefined || items.length === 0) return first;
      items[0] = last;
      for (let at = 0; ;) {
        let least = at;
        for (const child of [2 * at + 1, 2 * at + 2]) {
          if (child < items.length && isBefore(items[child] as Event, items[least] as Event)) least = child;
        }
        if (least === at) return first;
        swap(at, least);
        at = least;
      }
    },
  };
};

/** Everything that waits for a promise which is settled goes on before this does. */
const everyPromise = (): Promise<void> =>
  new Promise((resolve) => {
    process.nextTick(resolve);
  });

const everyPromiseAndWhatIsPutOff = async (): Promise<void> => {
  do await everyPromise();
  while (carryOutWhatIsPutOff());
};

/** And whatever Node itself has to do: tell of rejections that nobody heard of, read from the network. */
const everythingElse = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** Going round Node's loop costs more than most steps do. */
const stepsBetweenRounds = 50;

/**
 * @param beginMs when the history begins, milliseconds since the epoch
 * @param quiet resolves once nothing is under way outside of it, `null` where nothing is; `null`: nothing ever is
 */
export const createScheduler = (beginMs: number, quiet: (() => Promise<void> | null) | null): Scheduler => {
  const settleOutside = async (busyNow: () => Promise<void> | null): Promise<void> => {
    await everythingElse();
    for (let busy = busyNow(); busy !== null; busy = busyNow()) {
      await busy;
      await everythingElse();
    }
  };
  const settle = async (): Promise<void> => {
    if (quiet !== null) return settleOutside(quiet);
    if (steps % stepsBetweenRounds === 0) await everythingElse();
    return everyPromiseAndWhatIsPutOff();
  };
  const heap = createHeap();
  let nowMs = beginMs;
  let order = 0;
  let steps = 0;
  const later: Scheduler['later'] = (ms, owner, fire) => {
    order += 1;
    const event: Event = { atMs: nowMs + Math.max(0, ms), order, owner, fire };
    heap.push(event);
    return () => {
      event.fire = null;
    };
  };
  return {
    nowMs: () => nowMs,
    later,
    pause: (ms, owner) =>
      new Promise((resolve) => {
        later(ms, owner, resolve);
      }),
    steps: () => steps,
    runUntil: async (untilMs, stop) => {
      await settle();
      for (;;) {
        if (stop?.() === true) return everythingElse();
        const event = heap.first();
        if (event === undefined || event.atMs > untilMs) {
          if (Number.isFinite(untilMs)) nowMs = Math.max(nowMs, untilMs);
          return everythingElse();
        }
        heap.pop();
        nowMs = Math.max(nowMs, event.atMs);
        const { fire, owner } = event;
        if (fire === null || owner?.alive === false) continue;
        if (owner !== null && owner.frozenUntilMs > nowMs) {
          later(owner.frozenUntilMs - nowMs, owner, fire);
          continue;
        }
        steps += 1;
        fire();
        await settle();
      }
    },
  };
};
