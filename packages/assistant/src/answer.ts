import type { Amount, RefundReason } from '@holdfast/operation';
import type { KnownOperation } from './catalogue.ts';

/** Something that was read, so that a person can look at it. */
export type Reference = {
  readonly what: 'order' | 'ticket' | 'customer' | 'line' | 'return' | 'operation';
  readonly id: string;
  /** Of a line its title, of a return its status, of a customer the name. */
  readonly title: string;
};

/** Somebody else's words. They are shown as such and have said nothing to the interpreter. */
export type Quotation = { readonly from: string; readonly text: string };

/** What the request names and what is not there, or what it leaves out. */
export type Missing = {
  readonly what:
    | 'order'
    | 'ticket'
    | 'customer'
    | 'line'
    | 'return'
    | 'operation'
    | 'reason'
    | 'amount'
    | 'words'
    | 'request';
  readonly said: string;
};

export const questionKinds = [
  'which-order',
  'which-line',
  'which-return',
  'which-operation',
  'how-much',
  'how-many',
  'order-and-customer-differ',
  'what-is-meant',
  'what-else',
] as const;
export type QuestionKind = (typeof questionKinds)[number];

export const obstacles = [
  'not-found',
  'no-request',
  'asked-not-to',
  'not-an-assistants-to-do',
  'other-currency',
  'exceeds-refundable',
  'more-than-ordered',
  'return-not-received',
] as const;
export type Obstacle = (typeof obstacles)[number];

/** A refund to look over. Whatever the request does not say is absent: nothing here was made up. */
export type DraftContent = {
  readonly orderId: string;
  readonly amount: Amount;
  readonly lines: readonly { readonly sku: string; readonly quantity: number }[];
  readonly reason?: RefundReason;
  readonly returnId?: string;
  readonly ticketId?: string;
  /** The request's own words, where the reason asks for a note. */
  readonly note?: string;
};

type Read = {
  readonly read: readonly Reference[];
  readonly missing: readonly Missing[];
  readonly quoted: readonly Quotation[];
};

export type Answer = Read &
  (
    | { readonly kind: 'draft'; readonly draft: DraftContent }
    | { readonly kind: 'question'; readonly question: QuestionKind; readonly choices: readonly Reference[] }
    | { readonly kind: 'nothing'; readonly because: Obstacle }
    | { readonly kind: 'report'; readonly operation: KnownOperation }
  );
