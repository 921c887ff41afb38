import type { RefundReason } from '@holdfast/operation';
import type { Answer } from './answer.ts';
import type { KnownOrder } from './catalogue.ts';
import type { Circumstances } from './findings.ts';
import { foldRequest } from './folded.ts';
import { chargePhrases, decisionPhrases, negations, openWords } from './phrases.ts';
import { takeAmounts, takeShares } from './read-amount.ts';
import { readLines } from './read-lines.ts';
import { takeReasons } from './read-reasons.ts';
import { ownWords, requestText, type RequestText } from './request-text.ts';

/** What a model says that a request means. Nothing of it is believed: it is put into plain words and read by the grammar. */
export type ModelReading = {
  readonly intent: 'refund' | 'report' | 'none';
  readonly orderId?: string | undefined;
  readonly lines?: readonly { readonly sku: string; readonly quantity?: number | undefined }[] | undefined;
  /** Digits with a dot, as the request has them. */
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
  /** It is not followed: a reason is what the person's own words say, or is asked of them. */
  readonly reason?: RefundReason | undefined;
};

/**
 * Whether somebody else may put a request into plainer words: only where words of it were not understood. Where more
 * than one thing may be meant, or the request says not to, there is nothing to put plainer.
 */
export const mayBeReworded = (answer: Answer): boolean =>
  (answer.kind === 'question' && answer.question === 'what-else') ||
  (answer.kind === 'nothing' && (answer.because === 'no-request' || answer.because === 'not-found'));

const because: Readonly<Record<RefundReason, string>> = {
  returned: ', it was returned',
  damaged: ', it arrived damaged',
  not_received: ', it was not received',
  wrong_item: ', wrong item',
  duplicate_charge: ', it was charged twice',
  goodwill: ', as goodwill',
  requested_by_customer: ', the customer changed his mind',
  other: '',
  fraudulent: '',
};

const plain = (number: string): string => number.replace(',', '.').replace(/\.0+$/, '');

/** Amounts that the request says to be ones, with their currency. A number that is an order's or a count is none. */
const amountsIn = (text: string): readonly string[] =>
  takeAmounts(requestText(text)).map(({ number }) => plain(number));

const countsIn = (text: string): readonly string[] => text.match(/(?<![\w.,-])\d{1,3}(?![\w.,-])/g) ?? [];

const isSaid = (text: string, word: string): boolean => ` ${text} `.split(/[^\p{L}\p{N}_-]+/u).includes(word);

type Goods = NonNullable<ModelReading['lines']>;

/** Goods that the request names by their name, as far as one alone can be meant. */
const mentionedIn = (text: string, order: KnownOrder | undefined): readonly string[] =>
  readLines(foldRequest(text), order?.lines ?? []).mentions.flatMap(({ lines }) =>
    lines.length === 1 ? lines.map(({ sku }) => sku) : [],
  );

/** The goods are those that the request names: each of them, and where no sum is said, no fewer either. */
const areGoodsSaid = (
  text: string,
  goods: Goods,
  order: KnownOrder | undefined,
  isSumSaid: boolean,
): boolean => {
  const mentioned = mentionedIn(text, order);
  const given = goods.map(({ sku }) => sku);
  return (
    given.every((sku) => isSaid(text, sku) || mentioned.includes(sku)) &&
    (isSumSaid || mentioned.every((sku) => given.includes(sku)))
  );
};

/** The sum is the one that the request says, or none where it says none; a share is nobody's but the grammar's. */
const isSumSaid = (text: string, amount: string | undefined): boolean => {
  const said = new Set(amountsIn(text));
  if (takeShares(requestText(text)).length > 0) return false;
  return amount === undefined ? said.size === 0 : said.size === 1 && said.has(plain(amount));
};

/** Words that turn a request over, leave it open, or are nobody's to say through an assistant. */
const isTurnedOver = (reading: RequestText): boolean =>
  reading.take(negations, '§w').length > 0 ||
  reading.take(openWords, '§w').length > 0 ||
  reading.take(chargePhrases, '§w').length > 0 ||
  reading.take(decisionPhrases, '§v').length > 0;

/**
 * A reading in words of the grammar; `undefined` where it says what the person did not: an order that is neither named
 * nor open, another sum than the one that is written, goods that are not named, or a refund where the
 * request says not to, or asks for money. What
 * others wrote and the request quotes is none of the person's words.
 */
export const rewordedRequest = (
  request: string,
  { intent, orderId, lines = [], amount, currency }: ModelReading,
  beside: Circumstances,
  orders: readonly KnownOrder[],
): string | undefined => {
  if (intent === 'none' || orderId === undefined) return undefined;
  const said = ownWords(request, orders);
  if (!isSaid(said, orderId) && beside.orderId !== orderId) return undefined;
  if (intent === 'report') return `What became of order ${orderId}?`;
  const reading = requestText(said);
  const reasons = takeReasons(reading);
  if (isTurnedOver(reading)) return undefined;
  if (!isSumSaid(said, amount)) return undefined;
  const order = orders.find(({ id }) => id === orderId);
  if (!areGoodsSaid(said, lines, order, amount !== undefined)) return undefined;
  const counts = countsIn(said);
  const goods = lines.map(({ sku, quantity = 1 }) =>
    quantity === 1 || !counts.includes(String(quantity)) ? sku : `${String(quantity)} ${sku}`,
  );
  // Neither goods nor money: then it would be all of the order, which has to be said by a person.
  if (amount === undefined && goods.length === 0) return undefined;
  const money = amount === undefined ? '' : `${currency ?? ''} ${amount} for `;
  const why = reasons.map((reason) => because[reason]).join('');
  return `Refund ${money}${goods.join(' and ')} of order ${orderId}${why}`;
};
