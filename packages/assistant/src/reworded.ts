import type { RefundReason } from '@holdfast/operation';
import type { Answer } from './answer.ts';
import type { Circumstances } from './findings.ts';
import { takeAmounts } from './read-amount.ts';
import { requestText } from './request-text.ts';

/** What a model says that a request means. Nothing of it is believed: it is put into plain words and read by the grammar. */
export type ModelReading = {
  readonly intent: 'refund' | 'report' | 'none';
  readonly orderId?: string | undefined;
  readonly lines?: readonly { readonly sku: string; readonly quantity?: number | undefined }[] | undefined;
  /** Digits with a dot, as the request has them. */
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
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

/**
 * A reading in words of the grammar; `undefined` where it says what the request does not: an order that is neither
 * named nor open, or an amount that nobody wrote.
 */
export const rewordedRequest = (
  text: string,
  { intent, orderId, lines = [], amount, currency, reason }: ModelReading,
  beside: Circumstances,
): string | undefined => {
  if (intent === 'none' || orderId === undefined) return undefined;
  if (!isSaid(text, orderId) && beside.orderId !== orderId) return undefined;
  if (intent === 'report') return `What became of order ${orderId}?`;
  if (amount !== undefined && !amountsIn(text).includes(plain(amount))) return undefined;
  const counts = countsIn(text);
  const goods = lines.map(({ sku, quantity = 1 }) =>
    quantity === 1 || !counts.includes(String(quantity)) ? sku : `${String(quantity)} ${sku}`,
  );
  // Neither goods nor money: then it would be all of the order, which has to be said by a person.
  if (amount === undefined && goods.length === 0) return undefined;
  const money = amount === undefined ? '' : `${currency ?? ''} ${amount} for `;
  return `Refund ${money}${goods.join(' and ')} of order ${orderId}${reason === undefined ? '' : because[reason]}`;
};
