import { protocolHeader, protocolVersion, subjectHeader } from '@holdfast/operation';
import type { FeedConnection, OpenedFeed } from '../feed/feed-reader.ts';
import { reasonForNothing } from '../send/verdict.ts';
import { refundWire } from '../send/refund-wire.ts';
import type { Delivery, Kept } from '../send/verdict.ts';
import { signalOf } from './browser-world.ts';

const keptOf = (delivery: Delivery): Kept => reasonForNothing(refundWire, delivery, Date.now());

const isEventStream = (response: Response): boolean =>
  response.ok && (response.headers.get('content-type') ?? '').startsWith('text/event-stream');

async function* decoded(body: ReadableStream<Uint8Array>, release: () => void): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    release();
    // Leaving the loop early (a reset) has to end the request as well; one that is broken already says so again.
    await reader.cancel().catch(() => undefined);
  }
}

/** The feed by `fetch`, as a stream or as an answer that ends: unlike EventSource it shows a refusal's status and obeys our own watchdog. */
export const createFetchFeed = (baseUrl: string, subject: () => string | null): FeedConnection => ({
  async open(cursor, by, cancellation): Promise<OpenedFeed> {
    const { controller, release } = signalOf(cancellation);
    const reader = subject();
    try {
      const response = await fetch(`${baseUrl}/v1/feed${by === 'poll' ? '?until=caught-up' : ''}`, {
        headers: {
          Accept: 'text/event-stream',
          [protocolHeader]: String(protocolVersion),
          ...(cursor !== null && { 'Last-Event-ID': cursor }),
          // What is told goes into this person's caches: a session that is for another must not fill them.
          ...(reader !== null && { [subjectHeader]: reader }),
        },
        credentials: 'same-origin',
        redirect: 'manual',
        cache: 'no-store',
        signal: controller.signal,
      });
      if (isEventStream(response) && response.body) {
        return { kind: 'open', pieces: decoded(response.body, release) };
      }
      const delivery: Delivery = {
        kind: 'answered',
        status: response.status,
        redirected: response.type === 'opaqueredirect' || response.redirected,
        contentType: response.headers.get('content-type'),
        retryAfter: response.headers.get('retry-after'),
        text: await response.text(),
      };
      release();
      return keptOf(delivery);
    } catch (error) {
      release();
      return keptOf({ kind: 'threw', detail: String(error) });
    }
  },
});
