import type { SeenOperation } from '@holdfast/outbox';
import {
  attentionReasons,
  isCase,
  waitsForSecondWord,
  type AttentionReason,
  type Operation,
} from '@holdfast/operation';

export const attentionOrders = ['oldest', 'largest'] as const;
export type AttentionOrder = (typeof attentionOrders)[number];
export const takenFilters = ['nobody', 'me', 'others'] as const;
export type TakenFilter = (typeof takenFilters)[number];
/**
 * Why it stands here; `second-word`: one operator has said how it ended, and a second has to; `checking`: its outcome is
 * unknown and no person is needed yet; `person`: whatever a person is needed for.
 */
export const reasonFilters = ['person', ...attentionReasons, 'second-word', 'checking'] as const;
export type ReasonFilter = (typeof reasonFilters)[number];

/** What the queue shows. It stands in the address, so that a link shows the same list to a colleague. */
export type AttentionFilters = {
  readonly text: string;
  readonly reason: ReasonFilter | null;
  readonly taken: TakenFilter | null;
  readonly order: AttentionOrder;
};

export const readAttentionFilters = (search: URLSearchParams): AttentionFilters => ({
  text: search.get('q') ?? '',
  reason: reasonFilters.find((reason) => reason === search.get('reason')) ?? null,
  taken: takenFilters.find((taken) => taken === search.get('taken')) ?? null,
  order: attentionOrders.find((order) => order === search.get('order')) ?? 'oldest',
});

/** Only what differs from the whole queue, so that addresses stay short. */
export const writeAttentionFilters = ({ text, reason, taken, order }: AttentionFilters): string => {
  const search = new URLSearchParams();
  if (text.trim() !== '') search.set('q', text);
  if (reason !== null) search.set('reason', reason);
  if (taken !== null) search.set('taken', taken);
  if (order !== 'oldest') search.set('order', order);
  return search.toString();
};

export type AttentionRow = {
  readonly seen: SeenOperation;
  readonly operation: Operation;
  readonly reasons: readonly AttentionReason[];
  /** Whose word waits for a second operator's, and what it is; `null` where none does. */
  readonly firstWord: { readonly name: string; readonly outcome: 'confirmed' | 'failed' } | null;
  /** Since when it stands in this queue. */
  readonly sinceMs: number;
  /** Until when the same request may go out again under its key; `null` where none may, or none ever left. */
  readonly keyUntilMs: number | null;
};

const rowOf = (seen: SeenOperation): AttentionRow | null => {
  const operation = seen.synced;
  if (operation === null || !isCase(operation)) return null;
  const since = [
    operation.unknownSince,
    operation.pendingSince ?? null,
    ...operation.attention.map((one) => one.since),
  ]
    .filter((at) => at !== null)
    .map((at) => Date.parse(at));
  const mayBeSent = operation.state === 'outcome_unknown' && operation.replayDeadline !== null;
  return {
    seen,
    operation,
    reasons: operation.attention.map(({ reason }) => reason),
    firstWord:
      operation.resolution !== null && waitsForSecondWord(operation)
        ? { name: operation.resolution.by.name, outcome: operation.resolution.outcome }
        : null,
    sinceMs: since.length === 0 ? Date.parse(operation.updatedAt) : Math.min(...since),
    keyUntilMs: mayBeSent ? Date.parse(operation.replayDeadline ?? '') : null,
  };
};

type Asked = {
  readonly list: readonly SeenOperation[];
  readonly filters: AttentionFilters;
  readonly me: string | null;
  readonly customerOf: (orderId: string | null) => string | null;
};

/** Whether a person is needed: for a reason of its own, or to say the same as a first operator. */
export const needsSomebody = ({ reasons, firstWord }: AttentionRow): boolean =>
  reasons.length > 0 || firstWord !== null;

const fitsReason = (row: AttentionRow, reason: ReasonFilter | null): boolean => {
  if (reason === null) return true;
  if (reason === 'person') return needsSomebody(row);
  if (reason === 'second-word') return row.firstWord !== null;
  return reason === 'checking' ? !needsSomebody(row) : row.reasons.includes(reason);
};

const fits = (row: AttentionRow, { filters, me, customerOf }: Asked): boolean => {
  const { operation } = row;
  const { reason, taken, text } = filters;
  const holder = operation.taken?.by.id ?? null;
  if (!fitsReason(row, reason)) return false;
  if (taken === 'nobody' && holder !== null) return false;
  if (taken === 'me' && holder !== me) return false;
  if (taken === 'others' && (holder === null || holder === me)) return false;
  const asked = text.trim().toLowerCase();
  if (asked === '') return true;
  const { orderId, ticketId, paymentReference, id } = operation;
  const where = [customerOf(orderId), orderId, ticketId, paymentReference, id, operation.taken?.by.name];
  return where.some((part) => part?.toLowerCase().includes(asked) === true);
};

/** Amounts of different currencies are never compared: they are grouped by currency first. */
const byAmount = (one: AttentionRow, other: AttentionRow): number => {
  const [a, b] = [one.operation.amount, other.operation.amount];
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a.currency === b.currency ? b.minor - a.minor : a.currency.localeCompare(b.currency);
};

const minuteMs = 60_000;
/** What came within one minute is as old as another: then the larger one comes first. */
const byAge = (one: AttentionRow, other: AttentionRow): number =>
  Math.floor(one.sinceMs / minuteMs) - Math.floor(other.sinceMs / minuteMs);

/** Everything that is uncertain, each once: first what needs a person, then what is still being checked by itself. */
export const attentionQueue = (asked: Asked): readonly AttentionRow[] => {
  const rows = new Map<string, AttentionRow>();
  for (const seen of asked.list) {
    const row = rowOf(seen);
    if (row !== null && fits(row, asked)) rows.set(seen.operationId, row);
  }
  const [first, second] = asked.filters.order === 'largest' ? [byAmount, byAge] : [byAge, byAmount];
  return [...rows.values()].toSorted(
    (one, other) =>
      Number(needsSomebody(other)) - Number(needsSomebody(one)) ||
      first(one, other) ||
      second(one, other) ||
      one.seen.operationId.localeCompare(other.seen.operationId),
  );
};
