import type { AttemptFinding } from '@holdfast/operation';
import type { AttemptReport, EncodedRequest, RefundRequest } from '../provider-adapter.ts';
import { callJson, type JsonAccess, type JsonAnswered } from './call-json.ts';
import { textOf } from './fields.ts';
import { dateIn, retryAfterIn } from './headers.ts';

export const unknown = (because: string): AttemptFinding => ({ kind: 'unknown', because });

export const rateLimited = ({ headers }: JsonAnswered): AttemptFinding => ({
  kind: 'deferred',
  because: 'rate-limited',
  retryAfterMs: retryAfterIn(headers),
});

export const keyRefused: AttemptFinding = { kind: 'deferred', because: 'key-refused', retryAfterMs: null };

export type JsonSubmission = {
  readonly request: EncodedRequest;
  readonly expected: RefundRequest;
  readonly deadlineMs: number;
  /** Where the provider takes the key; none where it knows of no keys. */
  readonly headers: Readonly<Record<string, string>>;
  /** Total: what it does not know is unknown. */
  readonly classify: (answer: JsonAnswered) => AttemptFinding;
  readonly requestIdHeader?: string;
};

/** One POST of a refund. What happened beneath HTTP is the same with every provider, so only here is it judged. */
export const submitJson = async (
  access: JsonAccess,
  { request, expected, deadlineMs, headers, classify, requestIdHeader }: JsonSubmission,
): Promise<AttemptReport> => {
  const nothingSaid = { status: null, requestId: null, replayed: false, providerDateMs: null };
  if (request.idempotencyKey !== expected.idempotencyKey) {
    return {
      ...nothingSaid,
      finding: { kind: 'not-sent', because: 'The stored request is not this operation’s.' },
    };
  }
  const { method, path, contentType, body: text } = request;
  const answer = await callJson(access, { method, path, headers, body: { contentType, text }, deadlineMs });
  switch (answer.kind) {
    case 'not-sent':
      return { ...nothingSaid, finding: { kind: 'not-sent', because: answer.because } };
    case 'lost': {
      const { because, requestLeft, status } = answer;
      const providerDateMs = dateIn(answer.headers);
      return { ...nothingSaid, status, providerDateMs, finding: { kind: 'unknown', because, requestLeft } };
    }
    case 'answered':
      return {
        finding: classify(answer),
        status: answer.status,
        requestId: requestIdHeader === undefined ? null : textOf(answer.headers[requestIdHeader]),
        replayed: false,
        providerDateMs: dateIn(answer.headers),
      };
  }
};
