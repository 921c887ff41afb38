import { get } from 'node:http';
import { eventsOf } from './event-text.ts';

/** One reader of the feed, as an integration has one: it hears of every change and tells whoever waits for an end. */
export type FeedFollower = {
  /** Resolves with the state in which the operation ended. Ask before the command that can end it. */
  readonly untilEnd: (operationId: string) => Promise<string>;
  /** The cursor of the last event: where another reader may begin. */
  readonly cursor: () => string;
  readonly close: () => void;
};

const ends: readonly string[] = ['confirmed', 'failed', 'reversed', 'denied', 'cancelled', 'expired'];

type Operation = { readonly id: string; readonly state: string };

/** Resolves once the stream is live. Without a cursor the server tells everything there is first. */
export const followFeed = (origin: string, key: string, cursor?: string): Promise<FeedFollower> =>
  new Promise((resolve, reject) => {
    const waiting = new Map<string, { resolve: (state: string) => void; reject: (error: Error) => void }>();
    let lastCursor = cursor ?? '';
    let closed = false;
    const fail = (error: Error): void => {
      if (closed) return;
      reject(error);
      for (const waiter of waiting.values()) waiter.reject(error);
      waiting.clear();
    };
    const follower: FeedFollower = {
      untilEnd: (operationId) =>
        new Promise((resolveEnd, rejectEnd) => {
          waiting.set(operationId, { resolve: resolveEnd, reject: rejectEnd });
        }),
      cursor: () => lastCursor,
      close: () => {
        closed = true;
        outgoing.destroy();
      },
    };
    const hear = (event: string, data: string, id: string | undefined): void => {
      if (id !== undefined) lastCursor = id;
      if (event === 'live') resolve(follower);
      if (event !== 'operation' || waiting.size === 0) return;
      const operation = JSON.parse(data) as Operation;
      if (!ends.includes(operation.state)) return;
      waiting.get(operation.id)?.resolve(operation.state);
      waiting.delete(operation.id);
    };
    const headers = {
      authorization: `Bearer ${key}`,
      ...(cursor === undefined ? {} : { 'last-event-id': cursor }),
    };
    const outgoing = get(`${origin}/v1/feed`, { agent: false, headers }, (response) => {
      if (response.statusCode !== 200) {
        fail(new Error(`the feed answered ${String(response.statusCode)}`));
        return;
      }
      // A reader that resumes gets no `live`: it is live from the first byte on.
      if (cursor !== undefined) resolve(follower);
      const read = eventsOf(hear);
      response.setEncoding('utf8');
      response.on('data', read);
      response.on('close', () => {
        fail(new Error('the feed ended'));
      });
    });
    outgoing.on('error', fail);
  });
