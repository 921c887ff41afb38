/** The live reads: which questions there are, and the shape of each answer. */
import type {
  CommandResult,
  Operation,
  OperationState,
  Order,
  Problem,
  Proposal,
  ShownState,
  Ticket,
} from '@holdfast/operation';
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
  /** Who this device works for now, whichever tab changed it. */
  | { readonly of: 'session' }
  | { readonly of: 'connectivity' }
  /** What this device did with the signed-in person's items, line by line, newest first. */
  | { readonly of: 'record'; readonly operationId?: string; readonly limit?: number }
  /** The device's record: the signed-in person's operations with their items, newest first, in pages. */
  | {
      readonly of: 'device-record';
      /** Default `all`. */
      readonly only?: RecordFilter;
      /** Part of an operation's ID, or the beginning of an order's. */
      readonly text?: string;
      /** How many operations. Default 30. */
      readonly limit?: number;
    }
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

/** `open`: something is still to be sent. `needs-you`: something is refused or parked. `done`: neither. */
export type RecordFilter = 'open' | 'needs-you' | 'done' | 'all';

/** The server's verdict, by this device's clock, with the operation's state and version as told then. */
export type Receipt = {
  readonly status: CommandResult['status'];
  readonly problem: Problem | null;
  readonly operationState: string | null;
  readonly operationVersion: number | null;
  readonly heardAtMs: number;
};

export type RecordItem = DeviceItem & {
  readonly receipt: Receipt | null;
  /** Its refusal was read. */
  readonly dismissed: boolean;
  /** It came here from another device's record. */
  readonly takenUp: boolean;
  /** The app that sent it last; `null` when it was never sent, or by an app that did not say. */
  readonly sentByApp: string | null;
};

export type RecordOperation = {
  readonly operationId: string;
  readonly orderId: string | null;
  /** Newest first. */
  readonly items: readonly RecordItem[];
};

export type DeviceRecord = {
  readonly operations: readonly RecordOperation[];
  /** How many there are with this filter and text. */
  readonly total: number;
  /** Items on this device that belong to other people. They are shown and exported under them only. */
  readonly itemsOfOthers: number;
  /** When this device's list began. What has ended is kept for 90 days. */
  readonly sinceMs: number | null;
};

export type DeviceSession = {
  /** Whose items are shown and sent; `null` when nobody is signed in here. */
  readonly subject: string | null;
  /** The server no longer knows this person's session. */
  readonly signInNeeded: boolean;
  /** Somebody signed out, and the server has not been heard to end their session. */
  readonly signOutOwed: boolean;
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
  /** The app's version that sent it, on `attempt-started`. */
  readonly appVersion: string | null;
  /** How many commands went in that request, on `attempt-started`. */
  readonly commandCount: number | null;
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
  session: DeviceSession;
  connectivity: Connectivity;
  record: readonly RecordLine[];
  'device-record': DeviceRecord;
  unreadable: readonly UnreadableRecord[];
  eviction: Eviction;
};

/** States in which an intent is over and a new draft of the same order is simply a new one. */
export const endedWithoutRefund: readonly OperationState[] = ['failed', 'denied', 'cancelled', 'expired'];
