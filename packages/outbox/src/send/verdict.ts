import { commandResultsSchema, problemSchema, problemSlug } from '@holdfast/operation';
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

const kept = (
  reason: KeptReason,
  status: number | null = null,
  detail: string | null = null,
  retryAfterMs: number | null = null,
): Kept => ({ kind: 'kept', reason, status, detail, retryAfterMs });

export const longestRetryAfterMs = 3_600_000;

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

/** A problem is Holdfast's own only in its media type, its shape and with a type that we know. */
const ownProblem = (delivery: Extract<Delivery, { kind: 'answered' }>): Problem | undefined => {
  if (mediaType(delivery.contentType) !== 'application/problem+json') return undefined;
  const problem = problemSchema.safeParse(parsedJson(delivery.text));
  return problem.success ? problem.data : undefined;
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
  if (status === 408 || status >= 500) return 'server-trouble';
  return 'foreign-answer';
};

const classifyProblem = (delivery: Extract<Delivery, { kind: 'answered' }>, nowMs: number): Kept => {
  const waitMs = retryAfterMs(delivery.retryAfter, nowMs);
  const problem = ownProblem(delivery);
  if (problem === undefined) return kept(reasonByStatus(delivery.status), delivery.status, null, waitMs);
  const slug = problemSlug(problem);
  if (slug === undefined) return kept('not-understood', delivery.status, problem.type, waitMs);
  const reason = slug === 'too-large' ? 'too-large' : (keptFor[slug] ?? 'not-understood');
  return kept(reason, delivery.status, problem.detail, waitMs);
};

const classifyResult = (result: CommandResult, status: number): Classified => {
  if (result.status !== 'rejected') return { kind: 'verdict', result, status };
  if (result.problem === undefined) return kept('not-understood', status, 'rejected without a problem');
  const slug = problemSlug(result.problem);
  if (slug === undefined) return kept('not-understood', status, result.problem.type);
  const reason = keptFor[slug];
  return reason === null ? { kind: 'verdict', result, status } : kept(reason, status, result.problem.detail);
};

/** What to make of the answer to a request that carried one command. Pure; the default is to keep. */
export const classify = (
  delivery: Delivery,
  asked: { readonly commandId: string; readonly operationId: string },
  nowMs: number,
): Classified => {
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
  const body = commandResultsSchema.safeParse(parsedJson(delivery.text));
  if (!body.success) return kept('not-understood', delivery.status, 'not a list of results');
  const result = body.data.results.find(({ commandId }) => commandId === asked.commandId);
  if (result === undefined) return kept('not-understood', delivery.status, 'it does not name the command');
  if (result.operation !== undefined && result.operation.id !== asked.operationId) {
    return kept('not-understood', delivery.status, 'it is about another operation');
  }
  return classifyResult(result, delivery.status);
};
