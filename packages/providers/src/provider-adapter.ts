import type { Amount, AttemptFinding, LookUpFinding, ProviderRecord } from '@holdfast/operation';
import type { ProviderContract } from './provider-contract.ts';

/** One refund, as the core asks for it. Amounts in ISO minor units; the adapter alone converts. */
export type RefundRequest = {
  readonly organisationId: string;
  readonly operationId: string;
  /** The one key of this action, derived from organisation and operation ID: the same in every attempt. */
  readonly idempotencyKey: string;
  readonly paymentReference: string;
  readonly amount: Amount;
  readonly reason: string;
};

/** The request as bytes, stored at the first attempt and sent again unchanged, also by a newer version of us. */
export type EncodedRequest = {
  readonly method: 'POST';
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
  readonly idempotencyKey: string;
  readonly apiVersion: string;
};

export type EncodeResult =
  { readonly ok: true; readonly request: EncodedRequest } | { readonly ok: false; readonly because: string };

/** How one request on the wire ended, for the attempt's row. */
export type AttemptReport = {
  readonly finding: AttemptFinding;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly replayed: boolean;
  /** The provider's `Date` header, milliseconds since the epoch: the skew of our clock shows here. */
  readonly providerDateMs: number | null;
};

/** `chargeReference`: the provider's second name for the payment, for payments that are known here by it. */
export type MirroredRefund = ProviderRecord & { readonly chargeReference?: string | null };
export type MirroredDispute = {
  readonly reference: string;
  readonly paymentReference: string;
  readonly chargeReference?: string | null;
  readonly amount: Amount;
  readonly open: boolean;
  readonly statusText: string;
  readonly createdAtMs: number;
};

export type NoAnswer = {
  readonly kind: 'no-answer';
  readonly because: string;
  readonly ourKeyRefused: boolean;
  /** True where the provider has no such question at all: nothing was asked, and asking again never helps. */
  readonly notOffered?: boolean;
  /** Present where the provider takes no more questions for now, with its own word on how long, if it gave one. */
  readonly tooMany?: { readonly retryAfterMs: number | null };
  /** True where the provider says that it does not know this payment: no conclusion, but a person is needed. */
  readonly paymentNotFound?: boolean;
  /** Refunds of the payment read before the answer broke off: good for finding ours, never for anything's absence. */
  readonly refundsSeen?: readonly MirroredRefund[];
};

/** The provider's whole side of one payment, all pages read. */
export type PaymentAnswer =
  | {
      readonly kind: 'answer';
      /** What the provider says was captured; `null` where it did not say. */
      readonly captured: Amount | null;
      readonly refunds: readonly MirroredRefund[];
      readonly disputes: readonly MirroredDispute[];
      /** False where the provider has no such list (404): `disputes` is then empty without saying that there are none. */
      readonly disputesKnown?: boolean;
      readonly providerDateMs: number | null;
    }
  | NoAnswer;

/** Refunds and disputes made since a time, all pages read: what the mirror is fed with. Never evidence of absence. */
export type ListingAnswer =
  | {
      readonly kind: 'answer';
      readonly refunds: readonly MirroredRefund[];
      readonly disputes: readonly MirroredDispute[];
      readonly providerDateMs: number | null;
    }
  | NoAnswer;

export type RefundAnswer =
  { readonly kind: 'answer'; readonly record: MirroredRefund } | { readonly kind: 'not-found' } | NoAnswer;

/**
 * Why there is no account. `key-refused`: the provider does not take this key at all. `not-said-here`: it will be the
 * same tomorrow, since there is no such question here or this key may not ask it. `no-answer-now`: asking again may help.
 */
export type NoAccount = NoAnswer & { readonly reason: 'key-refused' | 'not-said-here' | 'no-answer-now' };
export type AccountAnswer =
  { readonly kind: 'answer'; readonly accountId: string; readonly liveMode: boolean } | NoAccount;

/** One page of the refunds made since a time, newest first. `next` asks for the following page; `null` after the last. */
export type RefundPageAnswer =
  | {
      readonly kind: 'answer';
      readonly refunds: readonly MirroredRefund[];
      readonly next: string | null;
      readonly providerDateMs: number | null;
    }
  | NoAnswer;

/** An event out of the provider's own list, with its text as it would have been delivered. */
export type FetchedEvent = { readonly event: VerifiedEvent; readonly raw: string };

/** One page of the events made since a time, newest first. `next` asks for the following page; `null` after the last. */
export type EventPageAnswer =
  | { readonly kind: 'answer'; readonly events: readonly FetchedEvent[]; readonly next: string | null }
  | NoAnswer;

/** A webhook whose signature and age are good. */
export type VerifiedEvent = {
  readonly eventId: string;
  readonly type: string;
  readonly createdAtMs: number;
  readonly liveMode: boolean;
  readonly accountId: string | null;
  readonly objectReference: string | null;
  readonly paymentReference: string | null;
  /** The event's own idempotency key: our key, where our request caused it. The best join there is. */
  readonly idempotencyKey: string | null;
  readonly metadataOrganisationId: string | null;
  readonly metadataOperationId: string | null;
  /** The refund as the event carries it, where it carries one. */
  readonly record: ProviderRecord | null;
  readonly dispute: MirroredDispute | null;
};

export type WebhookVerdict =
  | {
      readonly ok: true;
      readonly event: VerifiedEvent;
      readonly secretIndex: number;
      readonly skewMs: number;
    }
  | {
      readonly ok: false;
      readonly because: 'no-signature' | 'bad-signature' | 'too-old' | 'from-the-future' | 'unreadable';
    };

/**
 * One provider account's client. Every call carries an absolute deadline (connect to last byte), makes one request
 * a page and never retries by itself. Nothing here throws for trouble outside: trouble is a value.
 */
export type ProviderAdapter = {
  readonly contract: ProviderContract;
  readonly encodeRefund: (request: RefundRequest) => EncodeResult;
  readonly submit: (
    request: EncodedRequest,
    expected: RefundRequest,
    deadlineMs: number,
  ) => Promise<AttemptReport>;
  readonly askAboutPayment: (paymentReference: string, deadlineMs: number) => Promise<PaymentAnswer>;
  readonly askAboutRefund: (reference: string, deadlineMs: number) => Promise<RefundAnswer>;
  readonly listSince: (sinceMs: number, deadlineMs: number) => Promise<ListingAnswer>;
  /** The same list as `listSince` page by page, for windows that hold more than fits in memory. */
  readonly refundPage: (
    sinceMs: number,
    after: string | null,
    deadlineMs: number,
  ) => Promise<RefundPageAnswer>;
  /** Events of refunds and disputes that webhooks told or should have told. Absent where the provider keeps no list. */
  readonly eventPage?: (
    sinceMs: number,
    after: string | null,
    deadlineMs: number,
  ) => Promise<EventPageAnswer>;
  readonly askAccount: (deadlineMs: number) => Promise<AccountAnswer>;
  readonly verifyWebhook: (
    rawBody: Uint8Array,
    signatureHeader: string | undefined,
    secrets: readonly string[],
    nowMs: number,
  ) => WebhookVerdict;
};

/** Pure: what a payment's answer says about one operation of ours (amount and currency compared by settling). */
export type JudgeLookUp = (
  answer: PaymentAnswer,
  subject: {
    readonly organisationId: string;
    readonly operationId: string;
    readonly capturedMinor: number;
    /** Given where the provider's records name nobody: what a record must be like to be possibly ours. */
    readonly unnamed?: UnnamedSubject | undefined;
  },
) => LookUpFinding;

export type UnnamedSubject = {
  readonly amount: Amount;
  /** When a request of the operation may first have left, milliseconds since the epoch. */
  readonly sentFromMs: number;
  /** References that other operations hold: not ours for certain. */
  readonly heldReferences: readonly string[];
  /** Unresolved operations of the payment with this amount, this one among them. */
  readonly operations: readonly string[];
};
