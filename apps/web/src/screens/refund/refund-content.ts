import type { DraftContent, DraftValue } from '@holdfast/outbox';
import {
  conversationSchema,
  parseTypedAmount,
  refundReasons,
  type Amount,
  type Conversation,
  type DecimalMark,
  type Order,
  type Proposal,
  type RefundReason,
  type TypedAmount,
} from '@holdfast/operation';
import { figuresText } from '../../parts/money.ts';

/** What the refund form holds, as typed. It is kept as the draft's content, so a reload or second tab shows it. */
export type RefundContent = {
  readonly lines: readonly { readonly sku: string; readonly quantity: number }[];
  readonly amountText: string;
  readonly reason: RefundReason | null;
  readonly returnId: string | null;
  readonly ticketId: string | null;
  readonly note: string;
  /** Said by the person: this is not the refund that is already there. */
  readonly different: boolean;
  readonly why: string;
  readonly replaces: string | null;
  /** What the assistant was asked before, where it filled this in: it goes with the proposal. */
  readonly conversation: Conversation | null;
};

const textOr = <Fallback>(value: DraftValue | undefined, fallback: Fallback): string | Fallback =>
  typeof value === 'string' ? value : fallback;

const isContent = (value: DraftValue): value is DraftContent =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A new form starts with what the order itself says: a return that was received, and the one open ticket. */
export const freshContent = (
  order: Order,
  openTicketId: string | null,
  replaces: string | null,
): RefundContent => {
  const received = order.returns.filter(({ status }) => status === 'received');
  const [only] = received;
  return {
    lines: [],
    amountText: '',
    reason: only === undefined ? null : 'returned',
    returnId: received.length === 1 && only !== undefined ? only.id : null,
    ticketId: openTicketId,
    note: '',
    different: false,
    why: '',
    replaces,
    conversation: null,
  };
};

export const hasContent = (content: DraftContent): boolean => Object.keys(content).length > 0;

/** A proposal that is being changed lies in the draft as it was proposed: its amount as figures, not as text. */
const figuresOf = (amount: DraftValue | undefined): string => {
  if (amount === undefined || !isContent(amount)) return '';
  const { minor, currency } = amount;
  return typeof minor === 'number' && typeof currency === 'string' ? figuresText({ minor, currency }) : '';
};

/** Reads a stored draft; a field that an older version did not know is simply empty. */
export const readContent = (content: DraftContent): RefundContent => {
  const lines = content['lines'];
  return {
    lines: (Array.isArray(lines) ? (lines as readonly DraftValue[]) : [])
      .filter(isContent)
      .flatMap((line) => {
        const { sku, quantity } = line;
        return typeof sku === 'string' && typeof quantity === 'number' ? [{ sku, quantity }] : [];
      }),
    amountText: textOr(content['amountText'], figuresOf(content['amount'])),
    reason: refundReasons.find((reason) => reason === content['reason']) ?? null,
    returnId: textOr(content['returnId'], null),
    ticketId: textOr(content['ticketId'], null),
    note: textOr(content['note'], ''),
    different: content['different'] === true,
    why: textOr(content['why'], ''),
    replaces: textOr(content['replaces'], null),
    conversation: conversationSchema.safeParse(content['conversation']).data ?? null,
  };
};

export const storedContent = (content: RefundContent): DraftContent => ({
  ...content,
  lines: content.lines.map(({ sku, quantity }) => ({ sku, quantity })),
  // As JSON has it: a member that is not there is none.
  conversation: JSON.parse(JSON.stringify(content.conversation)) as DraftValue,
});

/** What a proposal that was queued before looks like in the form, for changing it under a new ID. */
export const contentOfProposal = (proposal: Proposal, amountText: string): RefundContent => ({
  lines: proposal.lines ?? [],
  amountText,
  reason: proposal.reason,
  returnId: proposal.returnId ?? null,
  ticketId: proposal.ticketId ?? null,
  note: proposal.note ?? '',
  different: false,
  why: '',
  replaces: proposal.replaces ?? null,
  conversation: proposal.conversation ?? null,
});

/**
 * What the ticked lines cost. A line's amount is for its whole quantity; a part of it is rounded down, so that
 * several parts never add up to more than the line.
 */
export const amountOfLines = (order: Order, lines: RefundContent['lines']): Amount => {
  const minor = lines.reduce((sum, { sku, quantity }) => {
    const line = order.lines.find((candidate) => candidate.sku === sku);
    return line === undefined ? sum : sum + Math.floor((line.amount.minor * quantity) / line.quantity);
  }, 0);
  return { minor, currency: order.captured.currency };
};

export const typedAmount = (content: RefundContent, order: Order, mark: DecimalMark): TypedAmount =>
  parseTypedAmount(content.amountText, order.captured.currency, mark);

type ProposalOptions = {
  readonly amount: Amount;
  readonly reason: RefundReason;
  readonly differentFrom: readonly string[];
  /** How "why it is different" is written into the note for the approver. */
  readonly whyInNote: (why: string) => string;
};

export const proposalOf = (content: RefundContent, order: Order, options: ProposalOptions): Proposal => {
  const why = content.different && content.why.trim() !== '' ? options.whyInNote(content.why.trim()) : '';
  const note = [content.note.trim(), why].filter((part) => part !== '').join('\n');
  return {
    kind: 'refund',
    orderId: order.id,
    amount: options.amount,
    reason: options.reason,
    ...(content.lines.length > 0 ? { lines: [...content.lines] } : {}),
    ...(content.returnId !== null && options.reason === 'returned' ? { returnId: content.returnId } : {}),
    ...(note !== '' ? { note } : {}),
    ...(content.ticketId !== null ? { ticketId: content.ticketId } : {}),
    ...(content.replaces !== null ? { replaces: content.replaces } : {}),
    ...(content.conversation !== null ? { conversation: content.conversation } : {}),
    ...(content.different && options.differentFrom.length > 0
      ? { differentFrom: [...options.differentFrom] }
      : {}),
  };
};
