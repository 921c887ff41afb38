import type { NoAnswer } from '../provider-adapter.ts';
import { callStripe, type StripeAccess } from './stripe-call.ts';
import type { WireTrace } from './one-request-client.ts';
import { fieldsOf, textOf, type Fields } from './stripe-records.ts';

export type Asked =
  | { readonly kind: 'answer'; readonly body: Fields; readonly providerDateMs: number | null }
  /** Any 404. `missingObject`: Stripe itself says that the object does not exist; else the path may be unknown there. */
  | { readonly kind: 'not-found'; readonly missingObject: boolean }
  | NoAnswer;

/** The answer's `Date` header as milliseconds since the epoch. */
export const providerDateMs = (trace: WireTrace): number | null => {
  const atMs = 'headers' in trace ? Date.parse(trace.headers['date'] ?? '') : Number.NaN;
  return Number.isFinite(atMs) ? atMs : null;
};

export const noAnswer = (because: string, ourKeyRefused = false): NoAnswer => ({
  kind: 'no-answer',
  because,
  ourKeyRefused,
});

/** One GET. Only a readable 200 is an answer; of a 401 or 403 in Stripe's own form it is said that our key is refused. */
export const askStripe = async (access: StripeAccess, path: string, deadlineMs: number): Promise<Asked> => {
  const outcome = await callStripe(access, { method: 'GET', path, deadlineMs });
  const { trace } = outcome;
  if (trace.kind === 'never-called') return noAnswer('The question could not be put.');
  if (trace.kind !== 'answered') return noAnswer(trace.because);
  if (outcome.kind === 'returned' && trace.status === 200) {
    const body = fieldsOf(outcome.body);
    return body === undefined
      ? noAnswer('answer 200 that could not be read')
      : { kind: 'answer', body, providerDateMs: providerDateMs(trace) };
  }
  const error = outcome.kind === 'raised' ? fieldsOf(outcome.error) : undefined;
  const fromStripe = error !== undefined && textOf(error['rawType']) !== null;
  if (trace.status === 404) {
    return { kind: 'not-found', missingObject: fromStripe && error['code'] === 'resource_missing' };
  }
  return noAnswer(`answer ${trace.status}`, fromStripe && (trace.status === 401 || trace.status === 403));
};

export type WholeList<Item> =
  | { readonly kind: 'whole'; readonly items: readonly Item[]; readonly providerDateMs: number | null }
  | { readonly kind: 'not-found'; readonly missingObject: boolean; readonly seen: readonly Item[] }
  | (NoAnswer & { readonly seen: readonly Item[] });

const pageSize = 100;
/** Guard against a list without an end: 20,000 refunds of one question are past anything that is true. */
const mostPages = 200;

/**
 * A Stripe list, all pages or no answer: a list that breaks off, loops, or holds something unreadable says nothing
 * about what it does not show. `query`: already encoded, without page size and cursor.
 */
export const askForList = async <Item>(
  access: StripeAccess,
  path: string,
  query: string,
  readItem: (value: unknown) => Item | undefined,
  deadlineMs: number,
): Promise<WholeList<Item>> => {
  const seen: Item[] = [];
  const cursors = new Set<string>();
  let after = '';
  for (let page = 0; page < mostPages; page += 1) {
    const cursor = after === '' ? '' : `&starting_after=${encodeURIComponent(after)}`;
    const separator = query === '' ? '' : '&';
    const asked = await askStripe(
      access,
      `${path}?${query}${separator}limit=${pageSize}${cursor}`,
      deadlineMs,
    );
    if (asked.kind !== 'answer') return { ...asked, seen };
    const { data, has_more: hasMore } = asked.body;
    if (!Array.isArray(data) || typeof hasMore !== 'boolean')
      return { ...noAnswer('list that could not be read'), seen };
    for (const value of data as readonly unknown[]) {
      const item = readItem(value);
      const reference = textOf(fieldsOf(value)?.['id']);
      if (item === undefined || reference === null)
        return { ...noAnswer('list with an unreadable entry'), seen };
      if (cursors.has(reference)) return { ...noAnswer('list that runs in a circle'), seen };
      cursors.add(reference);
      seen.push(item);
      after = reference;
    }
    if (!hasMore) return { kind: 'whole', items: seen, providerDateMs: asked.providerDateMs };
    if (data.length === 0) return { ...noAnswer('list that promises more and shows nothing'), seen };
  }
  return { ...noAnswer('list without an end'), seen };
};
