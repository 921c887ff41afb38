import type { KeptReason } from '../outbox-interface.ts';
import type { Words } from '../queue/words.ts';
import type { CommandVerdict, WireLanguage } from './wire-language.ts';

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
export type Classified<W extends Words = Words> =
  { readonly kind: 'verdict'; readonly result: CommandVerdict<W>; readonly status: number } | Kept;

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

/** A problem is the server's own only in its media type and its shape, and when it says the status that it came with. */
const ownProblem = <W extends Words>(
  wire: WireLanguage<W>,
  delivery: Extract<Delivery, { kind: 'answered' }>,
): W['problem'] | undefined => {
  if (mediaType(delivery.contentType) !== 'application/problem+json') return undefined;
  const problem = wire.readProblem(parsedJson(delivery.text));
  return problem.ok && problem.value.status === delivery.status ? problem.value : undefined;
};

const reasonByStatus = (status: number): KeptReason => {
  if (status === 429) return 'slow-down';
  if (status === 413) return 'too-large';
  // 407 and 511 are a network's own words: it wants to be signed in to.
  if (status === 407 || status === 511) return 'network-sign-in';
  if (status === 408 || status >= 500) return 'server-trouble';
  return 'foreign-answer';
};

const classifyProblem = <W extends Words>(
  wire: WireLanguage<W>,
  delivery: Extract<Delivery, { kind: 'answered' }>,
  nowMs: number,
): Kept => {
  const waitMs = retryAfterMs(delivery.retryAfter, nowMs);
  const problem = ownProblem(wire, delivery);
  if (problem === undefined) {
    const strangersMs = waitMs === null ? null : Math.min(waitMs, longestStrangersWaitMs);
    return kept(reasonByStatus(delivery.status), delivery.status, null, strangersMs);
  }
  const { reason, detail } = wire.ofRequest(problem);
  return kept(reason, delivery.status, detail, waitMs);
};

export const classifyResult = <W extends Words>(
  wire: WireLanguage<W>,
  result: CommandVerdict<W>,
  status: number,
): Classified<W> => {
  if (result.status !== 'rejected') return { kind: 'verdict', result, status };
  if (result.problem === undefined) return kept('not-understood', status, 'rejected without a problem');
  const why = wire.ofCommand(result.problem);
  return why === null ? { kind: 'verdict', result, status } : kept(why.reason, status, why.detail);
};

/** `answered`: it has the looks of the server's own answer, so its text may be read. */
export type RequestClassified =
  Kept | { readonly kind: 'answered'; readonly status: number; readonly text: string };

/** Whether what came back may be an answer of the server's at all. Pure; the default is to keep. */
export const classifyRequest = <W extends Words>(
  wire: WireLanguage<W>,
  delivery: Delivery,
  nowMs: number,
): RequestClassified => {
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
  if (delivery.status !== 200) return classifyProblem(wire, delivery, nowMs);
  const type = mediaType(delivery.contentType);
  if (type === 'text/html') return kept('network-sign-in', delivery.status);
  if (type !== 'application/json') return kept('foreign-answer', delivery.status, type);
  return { kind: 'answered', status: delivery.status, text: delivery.text };
};

/** Why an answer that names no command, of a look-up or the feed, brought nothing. */
export const reasonForNothing = <W extends Words>(
  wire: WireLanguage<W>,
  delivery: Delivery,
  nowMs: number,
): Kept => {
  const request = classifyRequest(wire, delivery, nowMs);
  return request.kind === 'kept' ? request : kept('not-understood', request.status);
};
