import type {
  AccountAnswer,
  ListingAnswer,
  MirroredDispute,
  MirroredRefund,
  NoAnswer,
  PaymentAnswer,
  RefundAnswer,
  RefundPageAnswer,
} from '../provider-adapter.ts';
import { askJson } from '../wire/ask-json.ts';
import type { JsonAccess } from '../wire/call-json.ts';
import { fieldsOf, textOf, type Fields } from '../wire/fields.ts';
import { noAnswer } from '../wire/no-answer.ts';
import { amountIn, isMollies, readMollieChargeback, readMollieRefund } from './mollie-records.ts';

type Page<Item> = {
  readonly kind: 'page';
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly providerDateMs: number | null;
};
type Missing = { readonly kind: 'not-found' };
type List<Item> = {
  readonly path: string;
  readonly name: string;
  readonly read: (value: unknown) => Item | undefined;
};

const pageSize = 250;
/** Guard against a list without an end. */
const mostPages = 100;

/** The next page by the link that the page itself gives; only its cursor is taken from it, never its host. */
const nextIn = (body: Fields): string | null | undefined => {
  const next = fieldsOf(body['_links'])?.['next'];
  if (next === null || next === undefined) return null;
  const href = textOf(fieldsOf(next)?.['href']);
  if (href === null || !URL.canParse(href)) return undefined;
  return new URL(href).searchParams.get('from') ?? undefined;
};

const askPage = async <Item>(
  access: JsonAccess,
  { path, name, read }: List<Item>,
  from: string | null,
  deadlineMs: number,
  limit = pageSize,
): Promise<Page<Item> | Missing | NoAnswer> => {
  const cursor = from === null ? '' : `&from=${encodeURIComponent(from)}`;
  const asked = await askJson(access, `${path}?limit=${String(limit)}${cursor}`, deadlineMs, isMollies);
  if (asked.kind !== 'answer') return asked;
  const values = fieldsOf(asked.body['_embedded'])?.[name];
  const next = nextIn(asked.body);
  if (!Array.isArray(values) || next === undefined) return noAnswer(`${name}: a list that could not be read`);
  const items: Item[] = [];
  for (const value of values as readonly unknown[]) {
    const item = read(value);
    if (item === undefined) return noAnswer(`${name}: a list with an unreadable entry`);
    items.push(item);
  }
  return { kind: 'page', items, next, providerDateMs: asked.providerDateMs };
};

/** All pages or no answer; what was read before it broke off goes along as `seen`. */
const askList = async <Item extends { readonly createdAtMs: number }>(
  access: JsonAccess,
  list: List<Item>,
  deadlineMs: number,
  sinceMs = 0,
): Promise<
  (Page<Item> & { readonly next: null }) | ((Missing | NoAnswer) & { readonly seen: readonly Item[] })
> => {
  const seen: Item[] = [];
  const cursors = new Set<string>();
  let from: string | null = null;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page: Page<Item> | Missing | NoAnswer = await askPage(access, list, from, deadlineMs);
    if (page.kind !== 'page') return { ...page, seen };
    seen.push(...page.items);
    // Newest first: what follows is older than what is asked for.
    const isPast = page.items.some(({ createdAtMs }) => createdAtMs < sinceMs);
    if (page.next === null || isPast) {
      return {
        ...{ kind: 'page', next: null, providerDateMs: page.providerDateMs },
        items: seen.filter(({ createdAtMs }) => createdAtMs >= sinceMs),
      };
    }
    if (cursors.has(page.next)) return { ...noAnswer(`${list.name}: a list that runs in a circle`), seen };
    cursors.add(page.next);
    from = page.next;
  }
  return { ...noAnswer(`${list.name}: a list without an end`), seen };
};

const refundsAt = (path: string): List<MirroredRefund> => ({ path, name: 'refunds', read: readMollieRefund });
const chargebacksAt = (path: string): List<MirroredDispute> => ({
  ...{ path, name: 'chargebacks', read: readMollieChargeback },
});

/** Mollie's whole side of one payment, or no answer. A list behind its time shows too little: never evidence of absence. */
export const askAboutPayment = async (
  access: JsonAccess,
  paymentReference: string,
  deadlineMs: number,
): Promise<PaymentAnswer> => {
  const base = `/v2/payments/${encodeURIComponent(paymentReference)}`;
  const [refunds, chargebacks, payment] = await Promise.all([
    askList(access, refundsAt(`${base}/refunds`), deadlineMs),
    askList(access, chargebacksAt(`${base}/chargebacks`), deadlineMs),
    askJson(access, base, deadlineMs, isMollies),
  ]);
  const notFound = { ...noAnswer('Mollie does not know this payment.'), paymentNotFound: true };
  if (refunds.kind === 'not-found') return notFound;
  if (refunds.kind === 'no-answer') {
    const { seen, ...nothing } = refunds;
    return { ...nothing, refundsSeen: seen };
  }
  const refundsSeen = refunds.items;
  if (payment.kind === 'not-found') return { ...notFound, refundsSeen };
  if (payment.kind === 'no-answer') return { ...payment, refundsSeen };
  if (chargebacks.kind !== 'page') return { ...noAnswer('chargebacks: no answer'), refundsSeen };
  return {
    ...{ kind: 'answer', refunds: refundsSeen, disputes: chargebacks.items },
    captured: amountIn(payment.body['amount']) ?? null,
    providerDateMs: refunds.providerDateMs,
  };
};

/** By its own ID: the list of all refunds, begun at this one, has it first. */
export const askAboutRefund = async (
  access: JsonAccess,
  reference: string,
  deadlineMs: number,
): Promise<RefundAnswer> => {
  const page = await askPage(access, refundsAt('/v2/refunds'), reference, deadlineMs, 1);
  if (page.kind !== 'page') return page;
  const [record] = page.items;
  return record?.reference === reference ? { kind: 'answer', record } : noAnswer('another refund was shown');
};

export const listSince = async (
  access: JsonAccess,
  sinceMs: number,
  deadlineMs: number,
): Promise<ListingAnswer> => {
  const [refunds, chargebacks] = await Promise.all([
    askList(access, refundsAt('/v2/refunds'), deadlineMs, sinceMs),
    askList(access, chargebacksAt('/v2/chargebacks'), deadlineMs, sinceMs),
  ]);
  if (refunds.kind === 'no-answer') return refunds;
  if (chargebacks.kind === 'no-answer') return chargebacks;
  if (refunds.kind === 'not-found' || chargebacks.kind === 'not-found') return noAnswer('answer 404');
  const { providerDateMs } = refunds;
  return { kind: 'answer', refunds: refunds.items, disputes: chargebacks.items, providerDateMs };
};

export const refundPage = async (
  access: JsonAccess,
  sinceMs: number,
  after: string | null,
  deadlineMs: number,
): Promise<RefundPageAnswer> => {
  const page = await askPage(access, refundsAt('/v2/refunds'), after, deadlineMs);
  if (page.kind === 'not-found') return noAnswer('answer 404');
  if (page.kind === 'no-answer') return page;
  if (page.next !== null && page.next === after) return noAnswer('refunds: a list that runs in a circle');
  const refunds = page.items.filter(({ createdAtMs }) => createdAtMs >= sinceMs);
  const isPast = refunds.length < page.items.length;
  return { kind: 'answer', refunds, next: isPast ? null : page.next, providerDateMs: page.providerDateMs };
};

export const askAccount = async (access: JsonAccess, deadlineMs: number): Promise<AccountAnswer> => {
  const asked = await askJson(access, '/v2/profiles/me', deadlineMs, isMollies);
  if (asked.kind === 'not-found') return { ...noAnswer('answer 404'), reason: 'not-said-here' };
  if (asked.kind === 'no-answer') {
    return { ...asked, reason: asked.ourKeyRefused ? 'key-refused' : 'no-answer-now' };
  }
  const [accountId, mode] = [textOf(asked.body['id']), textOf(asked.body['mode'])];
  return accountId !== null && (mode === 'live' || mode === 'test')
    ? { kind: 'answer', accountId, liveMode: mode === 'live' }
    : { ...noAnswer('account: no answer'), reason: 'not-said-here' };
};
