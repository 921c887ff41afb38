import type { Catalogue, DraftContent } from '@holdfast/assistant';
import type { LiveQuery, LiveRead, LiveValue, Outbox, SeenOperation } from '@holdfast/outbox';
import type { Conversation, Order, Ticket } from '@holdfast/operation';
import { figuresText } from '../parts/money.ts';
import type { RefundContent } from '../screens/refund/refund-content.ts';

/** What the screen beside which the assistant is asked shows. */
export type Beside = {
  readonly orders: readonly Order[];
  readonly tickets: readonly Ticket[];
  readonly refunds: readonly SeenOperation[];
};

/** One answer of this device; `null` where it has none. */
const once = <Query extends LiveQuery>(outbox: Outbox, query: Query): Promise<LiveValue<Query> | null> =>
  new Promise((resolve) => {
    const watching: { stop: (() => void) | null; done: boolean } = { stop: null, done: false };
    watching.stop = outbox.watch(query, (read: LiveRead<LiveValue<Query>>) => {
      if (read.state === 'loading' || watching.done) return;
      watching.done = true;
      watching.stop?.();
      resolve(read.state === 'ready' ? read.value : null);
    });
    if (watching.done) watching.stop();
  });

/** A request names a handful of things by number. */
const mostNumbers = 8;

/** Orders that a request names by number and that this device knows. */
export const ordersNamedIn = async (outbox: Outbox, text: string): Promise<readonly Order[]> => {
  const numbers = [...new Set(text.match(/[\p{L}\p{N}_-]*\d[\p{L}\p{N}_-]*/gu) ?? [])].slice(0, mostNumbers);
  const found = await Promise.all(numbers.map((orderId) => once(outbox, { of: 'order' as const, orderId })));
  return found.filter((order) => order !== null);
};

/** What of a device's own copy the interpreter reads. Only what Holdfast has told of counts as an outcome. */
export const catalogueOf = ({ orders, tickets, refunds }: Beside, named: readonly Order[]): Catalogue => ({
  orders: [...new Map([...orders, ...named].map((order) => [order.id, order])).values()],
  tickets,
  operations: refunds.flatMap(({ synced }) => (synced === null ? [] : [synced])),
});

/** A draft of the assistant's as the form holds it, with how it came about. What it did not read stays empty. */
export const contentOfDraft = (
  draft: DraftContent,
  conversation: Conversation | null = null,
): RefundContent => ({
  lines: draft.lines,
  amountText: figuresText(draft.amount),
  reason: draft.reason ?? null,
  returnId: draft.returnId ?? null,
  ticketId: draft.ticketId ?? null,
  note: draft.note ?? '',
  different: false,
  why: '',
  replaces: null,
  conversation,
});
