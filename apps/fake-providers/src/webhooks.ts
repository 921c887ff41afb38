import { setTimeout as pause } from 'node:timers/promises';
import type { Books, Refund } from './books.ts';
import type { Shape } from './shapes/shape.ts';

export interface Webhooks {
  /** Tells every endpoint of the refund's provider about it, or keeps the news until they are released. */
  tell: (shape: Shape, refund: Refund, event: 'settled' | 'reversed', held?: boolean) => void;
  release: () => void;
  stop: () => void;
}

const tries = 40;
const pauseMs = 250;

/** Deliveries with retries until they are taken. What is being delivered when the program ends is lost with it. */
export const startWebhooks = (books: Books): Webhooks => {
  const stopping = new AbortController();
  const kept: (() => void)[] = [];

  const deliver = async (url: string, body: unknown): Promise<void> => {
    for (let tried = 0; tried < tries && !stopping.signal.aborted; tried += 1) {
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
          signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(5_000)]),
        });
        await response.arrayBuffer();
        if (response.ok) return;
      } catch {
        // Nobody listens, yet: tried again like any answer but a 2xx.
      }
      await pause(pauseMs);
    }
  };

  const tell: Webhooks['tell'] = (shape, refund, event, held = false) => {
    const { webhook } = shape;
    if (webhook === null) return;
    const send = (): void => {
      for (const { provider, url, secret } of books.endpoints) {
        if (provider === shape.name) void deliver(url, webhook(refund, event, secret));
      }
    };
    if (held) kept.push(send);
    else send();
  };

  return {
    tell,
    release: () => {
      for (const send of kept.splice(0)) send();
    },
    stop: () => {
      stopping.abort();
    },
  };
};
