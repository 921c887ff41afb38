import type { NoAnswer } from '../provider-adapter.ts';
import { dateIn } from '../wire/headers.ts';
import { noAnswer } from '../wire/no-answer.ts';
import { retryAfterMs } from './classify-stripe-outcome.ts';
import { callStripe, type StripeAccess } from './stripe-call.ts';
import type { WireTrace } from './one-request-client.ts';
import { fieldsOf, textOf, type Fields } from './stripe-records.ts';

export { noAnswer };

export type Asked =
  | { readonly kind: 'answer'; readonly body: Fields; readonly providerDateMs: number | null }
  /** Any 404. `missingObject`: Stripe itself says that the object does not exist; else the path may be unknown there. */
  | { readonly kind: 'not-found'; readonly missingObject: boolean }
  /** `refusedBy`: Stripe's own word that this key is unknown to it (401), or may not ask this (403). */
  | (NoAnswer & { readonly refusedBy?: 401 | 403 });

/** The answer's `Date` header as milliseconds since the epoch. */
export const providerDateMs = (trace: WireTrace): number | null =>
  'headers' in trace ? dateIn(trace.headers) : null;

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
  if (fromStripe && (trace.status === 401 || trace.status === 403)) {
    return { ...noAnswer(`answer ${trace.status}`, true), refusedBy: trace.status };
  }
  const tooMany = trace.status === 429 ? { retryAfterMs: retryAfterMs(trace) } : undefined;
  return noAnswer(`answer ${trace.status}`, false, tooMany);
};

export type WholeList<Item> =
  | { readonly kind: 'whole'; readonly items: readonly Item[]; readonly providerDateMs: number | null }
  | { readonly kind: 'not-found'; readonly missingObject: boolean; readonly seen: readonly Item[] }
  | (NoAnswer & { readonly seen: readonly Item[] });

export type ListPage<Item> =
  | {
      readonly kind: 'page';
      readonly items: readonly { readonly reference: string; readonly item: Item }[];
      readonly more: boolean;
      readonly providerDateMs: number | null;
    }
  | Exclude<Asked, { readonly kind: 'answer' }>;

const pageSize = 100;
/** Guard against a list without an end: 20,000 refunds of one question are past anything that is true. */
const mostPages = 200;

/** One page of a Stripe list, after `after` (empty: the first). A page with an unreadable entry is no answer. */
export const askForPage = async <Item>(
  access: StripeAccess,
  path: string,
  query: string,
  after: string,
  readItem: (value: unknown) => Item | undefined,
  deadlineMs: number,
): Promise<ListPage<Item>> => {
  const cursor = after === '' ? '' : `&starting_after=${encodeURIComponent(after)}`;
  const separator = query === '' ? '' : '&';
  const asked = await askStripe(access, `${path}?${query}${separator}limit=${pageSize}${cursor}`, deadlineMs);
  if (asked.kind !== 'answer') return asked;
  const { data, has_more: more } = asked.body;
  if (!Array.isArray(data) || typeof more !== 'boolean') return noAnswer('list that could not be read');
  const items: { reference: string; item: Item }[] = [];
  for (const value of data as readonly unknown[]) {
    const item = readItem(value);
    const reference = textOf(fieldsOf(value)?.['id']);
    if (item === undefined || reference === null) return noAnswer('list with an unreadable entry');
    items.push({ reference, item });
  }
  if (more && items.length === 0) return noAnswer('list that promises more and shows nothing');
  return { kind: 'page', items, more, providerDateMs: asked.providerDateMs };
};

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
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await askForPage(access, path, query, after, readItem, deadlineMs);
    if (page.kind !== 'page') return { ...page, seen };
    for (const { reference, item } of page.items) {
      if (cursors.has(reference)) return { ...noAnswer('list that runs in a circle'), seen };
      cursors.add(reference);
      seen.push(item);
      after = reference;
    }
    if (!page.more) return { kind: 'whole', items: seen, providerDateMs: page.providerDateMs };
  }
  return { ...noAnswer('list without an end'), seen };
};
