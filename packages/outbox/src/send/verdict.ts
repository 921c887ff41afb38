import { problemSchema, problemSlug } from '@holdfast/operation';
import type { CommandResult, Problem, ProblemSlug } from '@holdfast/operation';
import type { KeptReason } from '../outbox-interface.ts';

/** What came of one request, before anything is made of it. */
export type Delivery =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The answer came from another address than the one asked, or was a redirect. */
      readonly redirected: boolean;
      readonly contentType: string | null;
      readonly retryAfter: string | null;
      readonly text: string;
    }
  /** The network failed: no connection, or it broke anywhere in between. */
  | { readonly kind: 'threw'; readonly detail: string }
  | { readonly kind: 'timed-out' }
  /** We stopped it ourselves. */
  | { readonly kind: 'stopped' };

export type Kept = {
  readonly kind: 'kept';
  readonly reason: KeptReason;
  readonly status: number | null;
  readonly detail: string | null;
  readonly retryAfterMs: number | null;
};

/** Only a well-formed result that names the command is a verdict; everything else keeps the entry. */
export type Classified =
  { readonly kind: 'verdict'; readonly result: CommandResult; readonly status: number } | Kept;

export const kept = (
  reason: KeptReason,
  status: number | null = null,
  detail: string | null = null,
  retryAfterMs: number | null = null,
): Kept => ({ kind: 'kept', reason, status, detail, retryAfterMs });

export const longestRetryAfterMs = 3_600_000;
/** An answer that is not Holdfast's own may be a network's that the device leaves in a minute. */
export const longestStrangersWaitMs = 60_000;

/** `Retry-After` in seconds or as a date; `null` when absent or unreadable. At most an hour is honoured. */
export const retryAfterMs = (header: string | null, nowMs: number): number | null => {
  if (header === null) return null;
  const text = header.trim();
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isFinite(waitMs) ? Math.min(Math.max(0, waitMs), longestRetryAfterMs) : null;
};

const mediaType = (contentType: string | null): string =>
  (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

export const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** A problem is Holdfast's own only in its media type and its shape, and when it says the status that it came with. */
const ownProblem = (delivery: Extract<Delivery, { kind: 'answered' }>): Problem | undefined => {
  if (mediaType(delivery.contentType) !== 'application/problem+json') return undefined;
  const problem = problemSchema.safeParse(parsedJson(delivery.text));
  return problem.success && problem.data.status === delivery.status ? problem.data : undefined;
};

/** A problem with the whole request, or one that binds no command: why the entry is kept. `null`: it is a verdict. */
const keptFor: Record<ProblemSlug, KeptReason | null> = {
  unauthenticated: 'sign-in',
  forbidden: 'not-allowed',
  'wrong-subject': 'wrong-subject',
  'rate-limited': 'slow-down',
  unavailable: 'server-trouble',
  'unsupported-protocol': 'update-needed',
  'not-found': 'not-known-there',
  invalid: null,
  'too-large': null,
  'operation-mismatch': null,
  'not-eligible': null,
  'exceeds-refundable': null,
  'possible-duplicate': null,
  'stale-approval': null,
  'already-decided': null,
  stale: null,
  'too-late': null,
};

const reasonByStatus = (status: number): KeptReason => {
  if (status === 429) return 'slow-down';
  if (status === 413) return 'too-large';
  // 407 and 511 are a network's own words: it wants to be signed in to.
  if (status === 407 || status === 511) return 'network-sign-in';
  if (status === 408 || status >= 500) return 'server-trouble';
  return 'foreign-answer';
};

const classifyProblem = (delivery: Extract<Delivery, { kind: 'answered' }>, nowMs: number): Kept => {
  const waitMs = retryAfterMs(delivery.retryAfter, nowMs);
  const problem = ownProblem(delivery);
  if (problem === undefined) {
    const strangersMs = waitMs === null ? null : Math.min(waitMs, longestStrangersWaitMs);
    return kept(reasonByStatus(delivery.status), delivery.status, null, strangersMs);
  }
  const slug = problemSlug(problem);
  if (slug === undefined) return kept('not-understood', delivery.status, problem.type, waitMs);
  const reason = slug === 'too-large' ? 'too-large' : (keptFor[slug] ?? 'not-understood');
  return kept(reason, delivery.status, problem.detail, waitMs);
};

export const classifyResult = (result: CommandResult, status: number): Classified => {
  if (result.status !== 'rejected') return { kind: 'verdict', result, status };
  if (result.problem === undefined) return kept('not-understood', status, 'rejected without a problem');
  const slug = problemSlug(result.problem);
  if (slug === undefined) return kept('not-understood', status, result.problem.type);
  const reason = keptFor[slug];
  return reason === null ? { kind: 'verdict', result, status } : kept(reason, status, result.problem.detail);
};

/** `answered`: it has the looks of Holdfast's own answer, so its text may be read. */
export type RequestClassified =
  Kept | { readonly kind: 'answered'; readonly status: number; readonly text: string };

/** Whether what came back may be an answer of Holdfast's at all. Pure; the default is to keep. */
export const classifyRequest = (delivery: Delivery, nowMs: number): RequestClassified => {
  switch (delivery.kind) {
    case 'threw':
      return kept('unreachable', null, delivery.detail);
    case 'timed-out':
      return kept('timed-out');
    case 'stopped':
      return kept('interrupted');
    case 'answered':
      break;
  }
  if (delivery.redirected) return kept('network-sign-in', delivery.status);
  if (delivery.status !== 200) return classifyProblem(delivery, nowMs);
  const type = mediaType(delivery.contentType);
  if (type === 'text/html') return kept('network-sign-in', delivery.status);
  if (type !== 'application/json') return kept('foreign-answer', delivery.status, type);
  return { kind: 'answered', status: delivery.status, text: delivery.text };
};

/** Why an answer that names no command, of a look-up or the feed, brought nothing. */
export const reasonForNothing = (delivery: Delivery, nowMs: number): Kept => {
  const request = classifyRequest(delivery, nowMs);
  return request.kind === 'kept' ? request : kept('not-understood', request.status);
};
