import type { Cancellation } from '../ports.ts';
import type { Words } from '../queue/words.ts';
import type { Delivery } from './verdict.ts';

/** A request to the server. `body` is sent as it is, byte for byte. Never rejects: what came of it is the answer. */
export type ServerRequest = {
  /** From the server's address on. */
  readonly path: string;
  readonly body: string;
  readonly protocol: number;
  /** For whom this is asked, where the answer is for them alone: a server that takes us for another refuses it. */
  readonly subject?: string | null;
  /** Absolute, from the connection to the last byte. */
  readonly timeoutMs: number;
};

export type Transport = { send(request: ServerRequest, cancellation: Cancellation): Promise<Delivery> };

/** Where what the server says of operations goes. `epoch` is the cache's at the time the question was asked. */
export type ServerTold<W extends Words = Words> = {
  epoch(): Promise<number>;
  applyOperations(operations: readonly W['told'][], epoch: number): Promise<void>;
};

/**
 * The browser's lock for one round. `task` learns how the lock stood, and always runs. When the round is cancelled
 * the lock is given back at once, before the task is over: a page that is about to be frozen may never get that far.
 */
export type SenderLock = {
  during<Answer>(
    task: (lock: 'held' | 'busy' | 'unavailable') => Promise<Answer>,
    cancellation: Cancellation,
  ): Promise<Answer>;
  /** Whether the tab or worker of this name, which had locks, is in no round any more. `false` where nobody can say. */
  isGone(holder: string): Promise<boolean>;
};
