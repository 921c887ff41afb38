import { createCanceller } from '../ports.ts';
import type { Canceller, Timer } from '../ports.ts';
import type { CacheStore } from './cache-store.ts';
import { createEventBuffer } from './event-buffer.ts';
import { createEventStreamParser } from './event-stream.ts';
import { batchOf } from './feed-batch.ts';
import type { FeedBatch } from './feed-batch.ts';

/** The most events of one transaction: enough to be quick in bulk, few enough to leave the screen its turns. */
const mostInOneBatch = 500;
const readAhead = 2 * mostInOneBatch;

export type IntakePorts = {
  readonly cache: CacheStore;
  readonly timer: Timer;
  /** Called before the caches are dropped: the queue has to know first, or a crash in between loses it. */
  readonly beforeReset: (reason: string) => Promise<void>;
  /** Any sign of life. */
  readonly word: () => void;
  /** The start is complete, or a poll was told everything. */
  readonly live: () => void;
};

export type Intake = {
  readonly pieces: AsyncIterable<string>;
  /** Where it was asked to go on; a batch that was cut carries it still. */
  readonly cursor: string | null;
  readonly epoch: number;
  /** Ends the request; the watchdog uses it, too. */
  readonly current: Canceller;
  readonly silenceMs: number;
};

/** `reset`: the caches were dropped, begin anew. `saidLive` may come with either end. */
export type IntakeEnd = {
  readonly kind: 'ended' | 'silent' | 'reset' | 'not-stored';
  readonly saidLive: boolean;
  readonly advanced: boolean;
};

const store = async (batch: FeedBatch, epoch: number, ports: IntakePorts): Promise<'stored' | 'reset'> => {
  // What stands before a reset in the same piece is old history: it is dropped with the rest.
  if (batch.reset === null) {
    const applied = await ports.cache.applyBatch(batch, epoch);
    if (applied.kind === 'dropped-meanwhile') return 'reset';
    if (applied.kind === 'applied') return 'stored';
  }
  await ports.beforeReset(batch.reset?.reason ?? 'history-restored');
  await ports.cache.reset();
  return 'reset';
};

/** Stores what an answer tells, batch by batch, until it ends, breaks, falls silent, or tells of another history. */
export const takeIn = async (intake: Intake, ports: IntakePorts): Promise<IntakeEnd> => {
  const { pieces, cursor, epoch, current, silenceMs } = intake;
  const buffer = createEventBuffer(readAhead);
  const silence = createCanceller();
  const read = async (): Promise<void> => {
    const parser = createEventStreamParser();
    // Only waiting for the network is silence; waiting for our own storage is not.
    const watch = () =>
      ports.timer(silenceMs, () => {
        silence.cancel();
        current.cancel();
      });
    let quiet = watch();
    try {
      for await (const piece of pieces) {
        quiet();
        ports.word();
        await buffer.push(parser.push(piece));
        quiet = watch();
      }
    } finally {
      quiet();
      buffer.end();
    }
  };
  const reading = read().catch(() => undefined);
  let saidLive = false;
  let advanced = false;
  const ended = (kind: IntakeEnd['kind']): IntakeEnd => ({ kind, saidLive, advanced });
  try {
    for (let events = await buffer.take(mostInOneBatch); events; events = await buffer.take(mostInOneBatch)) {
      const batch = batchOf(events);
      if ((await store(batch, epoch, ports)) === 'reset') return ended('reset');
      advanced ||= batch.cursor !== null && batch.cursor !== cursor;
      if (batch.live !== null) {
        saidLive = true;
        ports.live();
      }
    }
  } catch {
    return ended('not-stored');
  } finally {
    current.cancel();
    // A reader that waits for room has to be let go; what it still brings belongs to the next beginning.
    while ((await buffer.take(readAhead)) !== null);
    await reading;
  }
  return ended(silence.requested ? 'silent' : 'ended');
};
