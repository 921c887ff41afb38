import { describe, expect, it } from 'vitest';
import { createMint, sampleOperation, sampleProblem } from '../../test/samples.ts';
import { classify as classifyIn } from './batch-verdict.ts';
import type { Asked } from './batch-verdict.ts';
import { refundWire } from './refund-wire.ts';
import { retryAfterMs } from './verdict.ts';
import type { Delivery } from './verdict.ts';

const classify = (delivery: Delivery, asked: Asked, nowMs: number) =>
  classifyIn(refundWire, delivery, asked, nowMs);

const operationId = createMint()();
const asked = { commandId: operationId, operationId };

const nowMs = Date.parse('2026-11-29T12:00:00Z');

const answered = (change: Partial<Extract<Delivery, { kind: 'answered' }>>): Delivery => ({
  kind: 'answered',
  status: 200,
  redirected: false,
  contentType: 'application/json',
  retryAfter: null,
  text: '',
  ...change,
});

const resultsOf = (...results: object[]): Delivery => answered({ text: JSON.stringify({ results }) });
const problemOf = (slug: string, status: number, retryAfter: string | null = null): Delivery =>
  answered({
    status,
    retryAfter,
    contentType: 'application/problem+json',
    text: JSON.stringify(sampleProblem(slug, status)),
  });

describe('only a well-formed result that names the command is a verdict', () => {
  const applied = { commandId: operationId, status: 'applied', operation: sampleOperation(operationId) };

  it.each(['applied', 'replayed'])('%s with the operation', (status) => {
    expect(classify(resultsOf({ ...applied, status }), asked, nowMs)).toMatchObject({
      kind: 'verdict',
      result: { status },
    });
  });

  it.each([
    'invalid',
    'operation-mismatch',
    'not-eligible',
    'exceeds-refundable',
    'possible-duplicate',
    'stale-approval',
    'already-decided',
    'stale',
    'too-late',
    'too-large',
  ])('a refusal for %s', (slug) => {
    const refused = { commandId: operationId, status: 'rejected', problem: sampleProblem(slug, 409, false) };
    expect(classify(resultsOf(refused), asked, nowMs)).toMatchObject({ kind: 'verdict' });
  });

  it('found among the results of others', () => {
    const other = { commandId: createMint(7)(), status: 'rejected', problem: sampleProblem('stale', 409) };
    expect(classify(resultsOf(other, applied), asked, nowMs)).toMatchObject({
      kind: 'verdict',
      result: { status: 'applied' },
    });
  });
});

// Red when: any row's case is answered with a verdict, or with another reason.
describe('everything else keeps the entry, and says why', () => {
  const html = '<html>please sign in, error 422 401</html>';
  const rejected = (slug: string): Delivery =>
    resultsOf({ commandId: operationId, status: 'rejected', problem: sampleProblem(slug, 403) });

  it.each<[string, Delivery, string]>([
    ['no connection (TypeError)', { kind: 'threw', detail: 'TypeError: Failed to fetch' }, 'unreachable'],
    ['no connection, in words that hold a status', { kind: 'threw', detail: '422 final' }, 'unreachable'],
    ['our own deadline', { kind: 'timed-out' }, 'timed-out'],
    ['an abort', { kind: 'stopped' }, 'interrupted'],
    ['a redirect', answered({ status: 0, redirected: true }), 'network-sign-in'],
    [
      'a redirect that was followed',
      answered({ redirected: true, text: '{"results":[]}' }),
      'network-sign-in',
    ],
    [
      '200 with a web page',
      answered({ contentType: 'text/html; charset=utf-8', text: html }),
      'network-sign-in',
    ],
    ['200 without a content type', answered({ contentType: null, text: '{}' }), 'foreign-answer'],
    ['200 with text', answered({ contentType: 'text/plain', text: 'ok' }), 'foreign-answer'],
    ['200 with foreign JSON', answered({ text: '{"ok":true}' }), 'not-understood'],
    ['200 with half a body', answered({ text: '{"results":[{"comm' }), 'not-understood'],
    ['200 with nothing', answered({ text: '' }), 'not-understood'],
    [
      '200 without a result for it',
      resultsOf({ commandId: createMint(9)(), status: 'applied' }),
      'not-understood',
    ],
    [
      'a result about another operation',
      resultsOf({ commandId: operationId, status: 'applied', operation: sampleOperation(createMint(8)()) }),
      'not-understood',
    ],
    [
      'a result with a status of its own',
      resultsOf({ commandId: operationId, status: 'maybe' }),
      'not-understood',
    ],
    [
      'a refusal without a problem',
      resultsOf({ commandId: operationId, status: 'rejected' }),
      'not-understood',
    ],
    ['a refusal of an unknown type', rejected('brand-new'), 'not-understood'],
    ['a role that was taken away', rejected('forbidden'), 'not-allowed'],
    ['a result for another person', rejected('wrong-subject'), 'wrong-subject'],
    ['an operation that the server does not know', rejected('not-found'), 'not-known-there'],
    ['a rate limit inside a result', rejected('rate-limited'), 'slow-down'],
    ['our 401', problemOf('unauthenticated', 401), 'sign-in'],
    [
      'a 401 that is not ours',
      answered({ status: 401, contentType: 'text/html', text: html }),
      'foreign-answer',
    ],
    ['our 403', problemOf('forbidden', 403), 'not-allowed'],
    ['our 403 for another person', problemOf('wrong-subject', 403), 'wrong-subject'],
    [
      'a 403 that is not ours',
      answered({ status: 403, contentType: 'text/html', text: html }),
      'foreign-answer',
    ],
    ['404', answered({ status: 404, contentType: 'text/html' }), 'foreign-answer'],
    ['408', answered({ status: 408, contentType: 'text/plain' }), 'server-trouble'],
    ['413 of a proxy', answered({ status: 413, contentType: 'text/html' }), 'too-large'],
    ['our 413', problemOf('too-large', 413), 'too-large'],
    ['422 for the whole request', problemOf('invalid', 422), 'not-understood'],
    ['426', problemOf('unsupported-protocol', 426), 'update-needed'],
    ['429 of a proxy', answered({ status: 429, contentType: 'text/html' }), 'slow-down'],
    ['our 429', problemOf('rate-limited', 429), 'slow-down'],
    ['500', answered({ status: 500, contentType: 'text/plain' }), 'server-trouble'],
    ['502 HTML', answered({ status: 502, contentType: 'text/html', text: html }), 'server-trouble'],
    ['our 503', problemOf('unavailable', 503), 'server-trouble'],
    ['a problem of an unknown type', problemOf('brand-new', 409), 'not-understood'],
    ['201 with a result', answered({ status: 201, text: '{"results":[]}' }), 'foreign-answer'],
  ])('%s', (_name, delivery, reason) => {
    expect(classify(delivery, asked, nowMs)).toMatchObject({ kind: 'kept', reason });
  });
});

describe('Retry-After', () => {
  it.each([
    ['30', 30_000],
    ['Sun, 29 Nov 2026 12:00:45 GMT', 45_000],
    ['Sun, 29 Nov 2026 11:00:00 GMT', 0],
    ['soon', null],
    ['-5', 0],
    ['99999999', 3_600_000],
    [null, null],
  ])('%s is %s ms', (header, ms) => {
    expect(retryAfterMs(header, nowMs)).toBe(ms);
  });

  it('is kept with the reason', () => {
    const busy = problemOf('unavailable', 503, '30');
    expect(classify(busy, asked, nowMs)).toMatchObject({ kind: 'kept', retryAfterMs: 30_000 });
  });
});
