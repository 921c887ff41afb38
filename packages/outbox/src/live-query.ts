/** The live reads: which questions there are, and the shape of each answer. */
import type { Operation, OperationState, Order, Proposal, ShownState, Ticket } from '@holdfast/operation';
import type {
  Connectivity,
  DeviceItem,
  Draft,
  Eviction,
  KeptReason,
  StatusSummary,
  UnreadableRecord,
} from './outbox-interface.ts';

/** `missing`: not on this device. `synced` false: the first catch-up is not complete, so it may yet come. */
export type LiveRead<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: Value }
  | { readonly state: 'missing'; readonly synced: boolean }
  | { readonly state: 'failed'; readonly because: string };

export type LiveQuery =
  | { readonly of: 'draft'; readonly operationId: string }
  | { readonly of: 'drafts' }
  /** Items that are open or need you, oldest first; with `operationId` all of that operation, ended ones too. */
  | { readonly of: 'items'; readonly operationId?: string }
  | { readonly of: 'operation'; readonly operationId: string }
  /** Newest first, local proposals that the server has not told of yet included. */
  | {
      readonly of: 'operations';
      readonly states?: readonly ShownState[];
      readonly needsPerson?: boolean;
      readonly orderId?: string;
      readonly ticketId?: string;
      readonly paymentReference?: string;
      readonly text?: string;
      readonly limit?: number;
    }
  | { readonly of: 'order'; readonly orderId: string }
  | { readonly of: 'orders'; readonly text?: string; readonly customerId?: string; readonly limit?: number }
  | { readonly of: 'ticket'; readonly ticketId: string }
  | {
      readonly of: 'tickets';
      readonly text?: string;
      readonly orderId?: string;
      readonly customerId?: string;
      readonly limit?: number;
    }
  | { readonly of: 'status' }
  | { readonly of: 'connectivity' }
  /** The device's record, newest first. */
  | { readonly of: 'record'; readonly limit?: number }
  | { readonly of: 'unreadable' }
  /** `missing` when nothing was lost, or the notice was read. */
  | { readonly of: 'eviction' };

/** One operation: what the server last told beside what this device holds. Neither fills in for the other. */
export type SeenOperation = {
  readonly operationId: string;
  /** As the server last told it; `null` when it has told nothing. */
  readonly synced: Operation | null;
  /** What was proposed from this device, when it was. */
  readonly proposal: Proposal | null;
  /** This device's items of the operation, oldest first, ended ones included. */
  readonly items: readonly DeviceItem[];
  /** The server's state where it has told one, else this device's. */
  readonly shownState: ShownState;
  /** Ended on this device before it was ever sent. */
  readonly droppedHere: boolean;
};

export type RecordLine = {
  readonly atMs: number;
  readonly itemKey: string;
  readonly operationId: string;
  readonly subject: string;
  readonly type: string;
  readonly event:
    'queued' | 'attempt-started' | 'attempt-ended' | 'verdict' | 'dropped' | 'reopened' | 'dismissed';
  readonly result: 'verdict' | KeptReason | null;
  /** HTTP status of the answer, when there was one. */
  readonly status: number | null;
  readonly detail: string | null;
};

export type LiveValue<Query extends LiveQuery> = LiveValues[Query['of']];

export type LiveValues = {
  draft: Draft;
  drafts: readonly Draft[];
  items: readonly DeviceItem[];
  operation: SeenOperation;
  operations: readonly SeenOperation[];
  order: Order;
  orders: readonly Order[];
  ticket: Ticket;
  tickets: readonly Ticket[];
  status: StatusSummary;
  connectivity: Connectivity;
  record: readonly RecordLine[];
  unreadable: readonly UnreadableRecord[];
  eviction: Eviction;
};

/** States in which an intent is over and a new draft of the same order is simply a new one. */
export const endedWithoutRefund: readonly OperationState[] = ['failed', 'denied', 'cancelled', 'expired'];
