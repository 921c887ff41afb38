import type { StreamEvent } from './event-stream.ts';

export type EventBuffer = {
  /** Resolves once there is room for more, so that a fast stream fills no memory. */
  push(events: readonly StreamEvent[]): Promise<void>;
  /** No more will come. */
  end(): void;
  /** All that waits, at most so many; waits for some. `null`: it is at its end, and all was taken. */
  take(most: number): Promise<StreamEvent[] | null>;
};

/**
 * Between reading the network and writing the database: while one batch is stored the next ones gather, so that a
 * long catch-up takes few large transactions and an idle feed takes each event as it comes.
 */
export const createEventBuffer = (roomFor: number): EventBuffer => {
  let waiting: StreamEvent[] = [];
  let isEnded = false;
  let wakeTaker = (): void => undefined;
  let wakePusher = (): void => undefined;
  return {
    async push(events) {
      waiting.push(...events);
      wakeTaker();
      while (waiting.length > roomFor) {
        await new Promise<void>((resolve) => {
          wakePusher = resolve;
        });
      }
    },
    end() {
      isEnded = true;
      wakeTaker();
    },
    async take(most) {
      while (waiting.length === 0) {
        if (isEnded) return null;
        await new Promise<void>((resolve) => {
          wakeTaker = resolve;
        });
      }
      const taken = waiting.slice(0, most);
      waiting = waiting.slice(most);
      wakePusher();
      return taken;
    },
  };
};
