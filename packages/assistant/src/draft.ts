import { formatAmount, type Amount, type RefundReason } from '@holdfast/operation';
import type { Answer, DraftContent } from './answer.ts';
import type { KnownOrder } from './catalogue.ts';
import { findOrder, type Scope } from './find-order.ts';
import { nothing, question, type Findings } from './findings.ts';
import { negations, openWords, refundPhrases, saysDutchOr, wholePhrases } from './phrases.ts';
import { moneyOf, shareOf, takeBareNumbers, takeShares, type SaidAmount } from './read-amount.ts';
import { readLines, type Mention } from './read-lines.ts';
import { takeReasons } from './read-reasons.ts';
import { referenceTo } from './reference.ts';
import { unreadWords, type RequestText } from './request-text.ts';

type Asked = Scope & {
  readonly request: string;
  readonly reading: RequestText;
  readonly amounts: readonly SaidAmount[];
  readonly isReturnMissing: boolean;
  readonly found: Findings;
};

type Step<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly answer: Answer };
const on = <Value>(value: Value): Step<Value> => ({ ok: true, value });
const stop = (answer: Answer): { readonly ok: false; readonly answer: Answer } => ({ ok: false, answer });

type ChosenLine = { readonly line: KnownOrder['lines'][number]; readonly quantity: number };

const chooseLine = (found: Findings, { lines, quantity, said }: Mention): Step<ChosenLine> => {
  const [line, another] = lines;
  if (line === undefined || another !== undefined) {
    return stop(question(found, 'which-line', lines.map(referenceTo.line)));
  }
  const count =
    quantity === 'all' || line.quantity === 1
      ? typeof quantity === 'number'
        ? quantity
        : line.quantity
      : quantity;
  if (count === undefined) return stop(question(found, 'how-many', [referenceTo.line(line)]));
  if (count > line.quantity) {
    found.missing.push({ what: 'line', said: `${String(count)} ${said}` });
    return stop(nothing(found, 'more-than-ordered'));
  }
  if (count < 1 || (line.amount.minor * count) % line.quantity !== 0) {
    return stop(question(found, 'how-much', [referenceTo.line(line)]));
  }
  return on({ line, quantity: count });
};

const chooseLines = (found: Findings, mentions: readonly Mention[]): Step<readonly ChosenLine[]> => {
  const chosen: ChosenLine[] = [];
  for (const mention of mentions) {
    const step = chooseLine(found, mention);
    if (!step.ok) return step;
    const again = chosen.find(({ line }) => line.sku === step.value.line.sku);
    if (again === undefined) chosen.push(step.value);
    else if (again.quantity !== step.value.quantity)
      return stop(question(found, 'how-many', [referenceTo.line(again.line)]));
  }
  found.read.push(...chosen.map(({ line }) => referenceTo.line(line)));
  return on(chosen);
};

const priceOf = (lines: readonly ChosenLine[]): number =>
  lines.reduce((sum, { line, quantity }) => sum + (line.amount.minor * quantity) / line.quantity, 0);

type Sum = {
  readonly order: KnownOrder;
  readonly lines: readonly ChosenLine[];
  readonly said: readonly SaidAmount[];
  readonly shares: readonly number[];
  readonly decimalMark: '.' | ',';
};

/** How much: what was said, else what the goods that were named cost, else all of the order. */
const amountOf = (found: Findings, { order, lines, said, shares, decimalMark }: Sum): Step<Amount> => {
  const { currency } = order.captured;
  const price = lines.length > 0 ? priceOf(lines) : order.captured.minor;
  if (said.length + shares.length > 1) return stop(question(found, 'how-much'));
  const [only] = said;
  if (only !== undefined) {
    const money = moneyOf(only, currency, decimalMark);
    if (!money.ok) {
      found.missing.push({ what: 'amount', said: only.said });
      return stop(
        money.problem === 'unclear' ? question(found, 'how-much') : nothing(found, 'other-currency'),
      );
    }
    const isMoreThanGoods = lines.length > 0 && money.amount.minor > price;
    return isMoreThanGoods ? stop(question(found, 'how-much')) : on(money.amount);
  }
  const [percent] = shares;
  const minor = percent === undefined ? price : shareOf(price, percent);
  if (minor === undefined) return stop(question(found, 'how-much'));
  // All of an order of which some is refunded already: the rest, or a mistake? A person says which.
  const isPartlyGone = lines.length === 0 && percent === undefined && order.refundable.minor < minor;
  if (isPartlyGone && order.refundable.minor > 0) return stop(question(found, 'how-much'));
  return on({ minor, currency });
};

/** The return a refund is about, if it says that it is about one. */
const returnOf = (
  found: Findings,
  order: KnownOrder,
  {
    isReturned,
    isReturnMissing,
    ids,
  }: { isReturned: boolean; isReturnMissing: boolean; ids: readonly string[] },
): Step<string | undefined> => {
  const named = order.returns.filter(({ id }) => ids.includes(id));
  if (!isReturned && !isReturnMissing && named.length === 0) return on(undefined);
  const meant = named.length > 0 ? named : order.returns;
  const received = meant.filter(({ status }) => status === 'received');
  found.read.push(...meant.map(referenceTo.returned));
  if (received.length === 0 || isReturnMissing) {
    if (meant.length === 0) found.missing.push({ what: 'return', said: order.id });
    return stop(nothing(found, 'return-not-received'));
  }
  const [one, another] = received;
  if (another !== undefined) return stop(question(found, 'which-return', received.map(referenceTo.returned)));
  return on(one?.id);
};

/** What stops a refund whatever it says of goods and money: words that turn it over, or leave it open. */
const judgeWords = (asked: Asked, isAsked: boolean): Answer | undefined => {
  const { reading, found } = asked;
  if (!isAsked) {
    found.missing.push({ what: 'request', said: asked.request.trim().slice(0, 200) });
    return nothing(found, 'no-request');
  }
  if (reading.take(negations, '§w').length > 0) return nothing(found, 'asked-not-to');
  const open = reading.take(openWords, '§w');
  if (open.length === 0 && !saysDutchOr(reading.text())) return undefined;
  found.missing.push(...open.map(([said]) => ({ what: 'words' as const, said })));
  return question(found, 'what-is-meant');
};

type Goods = {
  readonly mentions: readonly Mention[];
  readonly said: readonly SaidAmount[];
  readonly isWhole: boolean;
};

/** Words that nobody understood beside what is refunded may change what it is. */
const judgeUnread = ({ reading, found }: Asked, { mentions, said, isWhole }: Goods): Answer | undefined => {
  const { within, beside } = unreadWords(reading.text());
  const unread = (list: readonly string[]) =>
    found.missing.push(...(list.length === 0 ? [] : [{ what: 'words' as const, said: list.join(' ') }]));
  if (within.length > 0 && mentions.length === 0 && said.length === 0 && !isWhole) {
    found.missing.push({ what: 'line', said: within.join(' ') });
    return nothing(found, 'not-found');
  }
  unread([...within, ...beside]);
  return within.length > 0 ? question(found, 'what-else') : undefined;
};

/** A refund that is asked for, as a draft to look over; or why there is none. */
export const draftOf = (asked: Asked): Answer => {
  const { reading, found, named, beside } = asked;
  const reasons = takeReasons(reading);
  const isAsked = reading.take(refundPhrases, '§v').length > 0;
  const shares = takeShares(reading);
  const isWhole = reading.take(wholePhrases, '§w').length > 0;
  const stopped = judgeWords(asked, isAsked || (named.orders.length > 0 && asked.amounts.length > 0));
  if (stopped !== undefined) return stopped;
  const order = findOrder(asked, reading.text(), found);
  if (order.kind === 'answer') return order.answer;
  found.read.unshift(referenceTo.order(order.order));
  const { mentions, text } = readLines(reading.text(), order.order.lines);
  reading.put(text);
  const said = [...asked.amounts, ...takeBareNumbers(reading)];
  const unread = judgeUnread(asked, { mentions, said, isWhole });
  if (unread !== undefined) return unread;
  const lines = chooseLines(found, mentions);
  if (!lines.ok) return lines.answer;
  // All of an order, with one of its things told of: the thing is why, the whole is what.
  const refunded = isWhole && said.length === 0 && shares.length === 0 ? [] : lines.value;
  const amount = amountOf(found, {
    order: order.order,
    lines: refunded,
    said,
    shares,
    decimalMark: beside.decimalMark ?? '.',
  });
  if (!amount.ok) return amount.answer;
  if (amount.value.minor > order.order.refundable.minor) {
    found.missing.push({ what: 'amount', said: formatAmount(amount.value) });
    return nothing(found, 'exceeds-refundable');
  }
  return withReason(asked, order.order, { amount: amount.value, lines: refunded, reasons });
};

type Content = {
  readonly amount: Amount;
  readonly lines: readonly ChosenLine[];
  readonly reasons: readonly RefundReason[];
};

const withReason = (asked: Asked, order: KnownOrder, { amount, lines, reasons }: Content): Answer => {
  const { found, named, beside } = asked;
  const other = reasons.filter((one) => one !== 'returned');
  const isReturned = reasons.includes('returned') || named.returnIds.length > 0;
  const returned = returnOf(found, order, {
    isReturned,
    isReturnMissing: asked.isReturnMissing,
    ids: named.returnIds,
  });
  if (!returned.ok) return returned.answer;
  const all: readonly RefundReason[] = isReturned && other.length === 0 ? ['returned'] : other;
  const reason = all.length === 1 ? all[0] : undefined;
  if (reason === undefined) found.missing.push({ what: 'reason', said: all.join(', ') });
  const ticketId = named.tickets[0]?.id ?? beside.ticketId;
  const draft: DraftContent = {
    orderId: order.id,
    amount,
    lines: lines.map(({ line, quantity }) => ({ sku: line.sku, quantity })),
    ...(reason === undefined ? {} : { reason }),
    ...(returned.value === undefined ? {} : { returnId: returned.value }),
    ...(ticketId === undefined ? {} : { ticketId }),
    // A reason other than a return asks for a note; the request's own words are the only ones there are.
    ...(reason === undefined || reason === 'returned' ? {} : { note: asked.request.trim().slice(0, 2_000) }),
  };
  return { kind: 'draft', draft, ...found };
};
