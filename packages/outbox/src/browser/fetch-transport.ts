import { subjectHeader } from '@holdfast/operation';
import type { Cancellation } from '../ports.ts';
import type { ServerRequest, Transport } from '../send/transport.ts';
import type { Delivery } from '../send/verdict.ts';
import { signalOf } from './browser-world.ts';

const detailOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

const answered = async (response: Response): Promise<Delivery> => ({
  kind: 'answered',
  status: response.status,
  // Redirects are not followed: a network's sign-in page must not be taken for Holdfast.
  redirected: response.type === 'opaqueredirect' || response.redirected,
  contentType: response.headers.get('content-type'),
  retryAfter: response.headers.get('retry-after'),
  text: await response.text(),
});

/**
 * Requests by `fetch`, with the session's cookie attached by the browser at the time of sending.
 * @param protocolHeader names the version of the wire that the bytes were written in
 */
export const createFetchTransport = (baseUrl: string, protocolHeader: string): Transport => ({
  async send(request: ServerRequest, cancellation: Cancellation): Promise<Delivery> {
    if (cancellation.requested) return { kind: 'stopped' };
    const { controller, release } = signalOf(cancellation);
    let isTimedOut = false;
    const deadline = setTimeout(() => {
      isTimedOut = true;
      controller.abort();
    }, request.timeoutMs);
    try {
      const response = await fetch(`${baseUrl}${request.path}`, {
        method: 'POST',
        body: request.body,
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, application/problem+json',
          [protocolHeader]: String(request.protocol),
          ...(request.subject != null && { [subjectHeader]: request.subject }),
        },
        credentials: 'same-origin',
        redirect: 'manual',
        cache: 'no-store',
        signal: controller.signal,
      });
      // The body is inside the deadline, too: half an answer that drips is no answer.
      return await answered(response);
    } catch (error) {
      if (isTimedOut) return { kind: 'timed-out' };
      if (cancellation.requested) return { kind: 'stopped' };
      return { kind: 'threw', detail: detailOf(error) };
    } finally {
      clearTimeout(deadline);
      release();
    }
  },
});
