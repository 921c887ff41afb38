import type {
  Actor,
  CaseAct,
  FollowUpAct,
  Command,
  CommandResult,
  Figure,
  HoldLift,
  HoldStanding,
  PendingTimes,
  LookupResponse,
  Numbers,
  Operation,
  OperationDetail,
  OperationState,
  Order,
  OrderInput,
  Problem,
  ProviderLedger,
  Ticket,
  TicketInput,
} from '@holdfast/operation';
import type { ProviderAdapter } from '@holdfast/providers';
import type { CameFrom } from './audit/came-from.ts';
import type { PolicyDesk } from './policy/policy-desk.ts';

/** Who asks, and for which organisation. The server has authenticated both. */
export type Principal = {
  readonly organisationId: string;
  readonly actor: Actor;
  /** Under whose name a device keeps their commands; the actor's ID where it is absent. */
  readonly subject?: string;
  /** How their word came, where it was not sent by them: kept in the audit. */
  readonly through?: 'device-record';
  /** The session and kind of device, or the key, that the word came from: kept in the audit. */
  readonly from?: CameFrom;
};

/** An organisation's account at a provider, with the client that speaks to it. */
export type ProviderAccount = {
  readonly organisationId: string;
  readonly accountId: string;
  readonly liveMode: boolean;
  /** True for the bundled fake provider: a database first used with it executes nowhere else unaided. */
  readonly fake: boolean;
  readonly adapter: ProviderAdapter;
  readonly webhookSecrets: readonly string[];
};

/** Accounts known to this process. `undefined`: the organisation has none, so its approved operations wait. */
export type ProviderDirectory = {
  readonly accountOf: (organisationId: string) => ProviderAccount | undefined;
  readonly accounts: () => readonly ProviderAccount[];
};

/** A command that is well formed, or the problem that says why it is not: one malformed command spoils no other's. */
export type SubmittedCommand =
  | { readonly ok: true; readonly command: Command }
  | { readonly ok: false; readonly commandId: string; readonly problem: Problem };

export type OperationFilter = {
  readonly states?: readonly OperationState[];
  readonly needsPerson?: boolean;
  readonly orderId?: string;
  readonly ticketId?: string;
  /** Free text over order, customer, ticket, payment and operation ID. */
  readonly text?: string;
  readonly updatedAfter?: string;
  /** Only the operations behind a figure. */
  readonly behind?: BehindFigure;
  /** ISO 8601: made from it on, and before it. */
  readonly from?: string;
  readonly to?: string;
  readonly cursor?: string;
  readonly limit?: number;
};

/** A figure, or a part of it: where it was counted, with what result, in what time, of what age. */
export type BehindFigure = {
  readonly figure: Figure;
  /** Of `absorbed` the place, of `attempts` the result. */
  readonly label?: string;
  readonly from?: string;
  readonly until?: string;
  /** Of `unknown`: for at least, and for less than so many seconds. */
  readonly oldestFromSeconds?: number;
  readonly oldestBelowSeconds?: number;
};

/** Which days figures are asked for: so many, up to today, of this time zone. */
export type NumbersAsked = { readonly days: number; readonly zone: string };

export type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor: string | null };

export type PutAnswer<Item> =
  | { readonly ok: true; readonly item: Item; readonly created: boolean; readonly changed: boolean }
  | { readonly ok: false; readonly problem: Problem };

export type CheckAnswer =
  | { readonly kind: 'scheduled'; readonly operation: Operation }
  | { readonly kind: 'too-soon'; readonly retryAfterMs: number }
  | { readonly kind: 'not-found' };

export type CaseAnswer =
  | { readonly kind: 'done' | 'replayed'; readonly operation: Operation }
  | { readonly kind: 'refused'; readonly problem: Problem };

/** How somebody asks for the provider's side of a payment. */
export type LedgerAsking = {
  /** Goes around each piece of work at the database; while the provider is waited for, nothing is held. */
  readonly inPlace: <Answer>(work: () => Promise<Answer>) => Promise<Answer>;
  /** Whether what is shown may have the worker look for itself: whoever may only read changes nothing. */
  readonly mayWake: boolean;
};

/** Who sees to what is uncertain. Nothing here settles anything. */
export type CaseDesk = {
  readonly act: (who: Principal, id: string, act: CaseAct) => Promise<CaseAnswer>;
  /** What a refund that did not last leaves to do. */
  readonly followUp: (who: Principal, id: string, act: FollowUpAct) => Promise<CaseAnswer>;
  /** Whom a case can be handed to, by name. */
  readonly takers: (who: Principal) => Promise<readonly { readonly id: string; readonly name: string }[]>;
};

export type FeedChange =
  | { readonly event: 'operation'; readonly data: Operation }
  | { readonly event: 'order'; readonly data: Order }
  | { readonly event: 'ticket'; readonly data: Ticket };

/** A position in one organisation's feed. Opaque to clients, signed, and tied to a generation of history. */
export type FeedCursor = string;

export type FeedBatch = { readonly changes: readonly FeedChange[]; readonly cursor: FeedCursor };

export type Feed = {
  /** Judges a client's cursor. `reset` says that it must drop what it knows of the server and start over. */
  readonly resume: (
    who: Principal,
    cursor: string,
  ) => Promise<
    | { readonly kind: 'resume'; readonly cursor: FeedCursor }
    | { readonly kind: 'reset'; readonly reason: 'cursor-too-old' | 'history-restored' | 'cursor-unreadable' }
  >;
  /** Everything the caller may see now, in pages, ending with the cursor from which changes go on without a gap. */
  readonly snapshot: (
    who: Principal,
  ) => AsyncIterable<{ readonly changes: readonly FeedChange[]; readonly cursor: FeedCursor | null }>;
  /** Changes after a cursor, at most `limit`; state, not deltas: each changed thing once per batch. */
  readonly changesAfter: (who: Principal, cursor: FeedCursor, limit: number) => Promise<FeedBatch>;
  /** Calls `wake` when something may have changed for the organisation (NOTIFY, with a poll as fallback). Returns the unsubscriber. */
  readonly watch: (organisationId: string, wake: () => void) => () => void;
  readonly generation: (organisationId: string) => Promise<string>;
};

export type WebhookAnswer =
  | { readonly kind: 'stored' }
  | { readonly kind: 'known' }
  | { readonly kind: 'refused'; readonly because: string };

export type MetricSample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};
/** Metrics of one organisation: the names of the outside contract, zeros included. Histograms as cumulative buckets. */
export type MetricsSnapshot = {
  readonly samples: readonly MetricSample[];
  readonly reconciliationSeconds: readonly {
    readonly how: string;
    readonly buckets: readonly { readonly le: number; readonly count: number }[];
    readonly sum: number;
    readonly count: number;
  }[];
};

export type HoldState = {
  readonly on: boolean;
  readonly since: string | null;
  readonly by: string | null;
  readonly reason: string | null;
};

/** The engine as the server sees it: no HTTP, no clock of its own, one PostgreSQL behind it. */
export type Engine = {
  /** Applies each command once, in order. Never throws for a bad command: its verdict says so. */
  readonly apply: (
    who: Principal,
    commands: readonly SubmittedCommand[],
  ) => Promise<readonly CommandResult[]>;
  readonly getOperation: (who: Principal, id: string) => Promise<OperationDetail | null>;
  readonly listOperations: (who: Principal, filter: OperationFilter) => Promise<Page<Operation>>;
  readonly lookUp: (who: Principal, ids: readonly string[]) => Promise<LookupResponse>;
  /** Asks the provider about it at the next tick. Never submits. */
  readonly check: (who: Principal, id: string) => Promise<CheckAnswer>;
  readonly cases: CaseDesk;
  /** Erases what an assistant was asked before it was proposed; `false`: there is nothing of it. */
  readonly eraseConversation: (who: Principal, id: string) => Promise<boolean>;
  /**
   * The provider's refunds of the operation's payment, asked within the account's budget; `null`: not known here. Of one
   * that was asked about a moment ago and has not changed since, the answer of then, with its time.
   */
  readonly providerLedger: (
    who: Principal,
    id: string,
    asking: LedgerAsking,
  ) => Promise<ProviderLedger | null>;
  readonly getOrder: (
    who: Principal,
    id: string,
  ) => Promise<(Order & { operations: readonly Operation[] }) | null>;
  readonly searchOrders: (
    who: Principal,
    text: string,
    cursor?: string,
    limit?: number,
  ) => Promise<Page<Order>>;
  readonly putOrder: (who: Principal, id: string, input: OrderInput) => Promise<PutAnswer<Order>>;
  readonly getTicket: (who: Principal, id: string) => Promise<Ticket | null>;
  readonly searchTickets: (
    who: Principal,
    text: string,
    cursor?: string,
    limit?: number,
  ) => Promise<Page<Ticket>>;
  readonly putTicket: (who: Principal, id: string, input: TicketInput) => Promise<PutAnswer<Ticket>>;
  readonly feed: Feed;
  readonly receiveWebhook: (
    rawBody: Uint8Array,
    signatureHeader: string | undefined,
  ) => Promise<WebhookAnswer>;
  readonly metrics: (organisationId: string) => Promise<MetricsSnapshot>;
  /** The same figures for people, with those of the last days; `null`: the database knows no such time zone. */
  readonly numbers: (organisationId: string, asked: NumbersAsked) => Promise<Numbers | null>;
  /** How long the organisation's provider usually takes over what it has accepted. */
  readonly pendingTimes: (organisationId: string) => Promise<PendingTimes>;
  readonly hold: {
    readonly get: (organisationId: string) => Promise<HoldState>;
    /** The same for people, with what waits for it. */
    readonly standing: (organisationId: string) => Promise<HoldStanding>;
    readonly set: (
      organisationId: string,
      on: boolean,
      by: string,
      reason: string | null,
    ) => Promise<HoldState>;
    /**
     * Lets submitting go on for a person, who has to answer for it after a restore. `missing`: the field that has to be
     * said, with how the hold stands; nothing was changed.
     */
    readonly lift: (organisationId: string, by: string, lift: HoldLift) => Promise<HoldLifted>;
  };
  readonly policy: PolicyDesk;
  readonly createOrganisation: (name: string) => Promise<{ readonly id: string }>;
};

export type HoldLifted = {
  readonly missing: 'restoreStepsDone' | 'note' | null;
  readonly standing: HoldStanding;
};

/** Settings of the worker, as the environment gives them. Milliseconds. */
export type WorkerSettings = {
  readonly providerTimeoutMs: number;
  readonly leaseMs: number;
  readonly checkBackoffMs: readonly number[];
  readonly needsPersonAfterMs: number;
  readonly undoMs: number;
};

/** What one pass did; `nextWakeMs` says how long nothing is due (null: nothing at all). */
export type TickReport = {
  readonly claimed: number;
  readonly submitted: number;
  readonly checked: number;
  readonly expired: number;
  readonly nextWakeMs: number | null;
};

/** Structurally an `AbortSignal`, which does not exist where decisions are compiled. */
export type StopSignal = {
  readonly aborted: boolean;
  readonly addEventListener: (type: 'abort', listener: () => void) => void;
};

export type Worker = {
  /** One pass over everything that is due; awaits all it started. */
  readonly runOnce: () => Promise<TickReport>;
  /** Passes until stopped; resolves once everything under way has its end recorded. */
  readonly run: (stop: StopSignal) => Promise<void>;
};
