import type { Amount } from './amount.ts';

/** Why a provider certainly did nothing and will not. Each class has its own plain reason and next step. */
export const declineClasses = [
  'not-enough-balance',
  'disputed',
  'too-old',
  'card-closed',
  'limit',
  'already-refunded',
  'exceeds-unrefunded',
  'not-refundable',
  'not-settled-yet',
  'repeated-too-soon',
  'invalid-request',
  'other',
] as const;
export type DeclineClass = (typeof declineClasses)[number];

/**
 * These refusals may speak of our own refund (an answer we lost, a restore), so alone they prove nothing:
 * the payment has to be looked up first.
 */
export const declinesThatMayBeOurs: readonly DeclineClass[] = ['already-refunded', 'exceeds-unrefunded'];

/** What the provider's record of one refund said when we saw it. Amounts are in ISO minor units (adapter converts). */
export type ProviderRecord = {
  readonly reference: string;
  readonly status: 'pending' | 'succeeded' | 'failed';
  /** The provider's own word for the status ("requires_action", "canceled"). */
  readonly statusText: string;
  readonly amount: Amount;
  readonly paymentReference: string;
  readonly failureReason: string | null;
  /** When the provider made the refund, milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** From the provider's metadata: whose it is. `null` for a refund made by hand. */
  readonly organisationId: string | null;
  readonly operationId: string | null;
};

export type ForeignRefund = { readonly reference: string; readonly amount: Amount; readonly atMs: number };

/** How one request on the wire ended. The classifier is total; what it cannot prove is `unknown`. */
export type AttemptFinding =
  | { readonly kind: 'not-sent'; readonly because: string }
  | {
      readonly kind: 'deferred';
      readonly because: 'rate-limited' | 'key-refused' | 'locked';
      readonly retryAfterMs: number | null;
    }
  /** `notBeforeMs`: from when on the provider would take such a refund, milliseconds since the epoch, where it says so. */
  | {
      readonly kind: 'rejected';
      readonly decline: DeclineClass;
      readonly code: string | null;
      readonly notBeforeMs?: number | null;
    }
  | { readonly kind: 'in-flight-elsewhere' }
  /** `requestLeft: false` where not even that is certain; left out, a request certainly left. */
  | { readonly kind: 'unknown'; readonly because: string; readonly requestLeft?: boolean }
  | { readonly kind: 'accepted'; readonly record: ProviderRecord };

/** What asking the provider about the payment (all pages) showed. */
export type LookUpFinding =
  | { readonly kind: 'found'; readonly record: ProviderRecord }
  /** Nothing of ours seen. Never by itself a proof that nothing happened. */
  | { readonly kind: 'absent-yet' }
  /** Nothing of ours, and the contract's conditions for a final absence are met (quiet period, spaced reads, every attempt's end recorded). */
  | { readonly kind: 'absent-final' }
  /** Nothing of ours, and refunds made elsewhere alone exhaust what was captured. */
  | { readonly kind: 'exhausted-elsewhere'; readonly refunds: readonly ForeignRefund[] }
  /**
   * The provider's records name nobody, and these could each be ours: of this amount, made since we may have sent it.
   * `operations`: all of the payment that this is so for, this one among them.
   */
  | {
      readonly kind: 'unattributed';
      readonly refunds: readonly ForeignRefund[];
      readonly operations: readonly string[];
    }
  /** The provider could not be asked (timeout, 5xx, 401, 404): no conclusion. */
  | { readonly kind: 'no-answer'; readonly because: string };

export type OperatorFinding = {
  readonly kind: 'operator-settled';
  readonly outcome: 'confirmed' | 'failed';
  readonly by: string;
  readonly secondBy: string | null;
  /** What `by` wrote. Where two settled it before both notes were kept, it is the second one's. */
  readonly note: string;
  /** What `secondBy` wrote. */
  readonly secondNote?: string;
  /** Where the outcome is `confirmed`: the provider's record the operators name, as the provider showed it. */
  readonly record: ProviderRecord | null;
};

/** One piece of evidence about the outside world. Never dropped, also when late or from a worker that lost its claim. */
export type Observation = {
  readonly id: string;
  readonly atMs: number;
} & (
  | {
      readonly source: 'response';
      readonly attemptNumber: number;
      readonly finding: AttemptFinding;
      readonly replayed: boolean;
    }
  | { readonly source: 'look-up' | 'listing'; readonly finding: LookUpFinding }
  | {
      readonly source: 'webhook';
      readonly eventId: string;
      readonly finding: { readonly kind: 'found'; readonly record: ProviderRecord };
    }
  | { readonly source: 'operator'; readonly finding: OperatorFinding }
);

/** One network request at the provider. Its row exists before the first byte leaves; `ended` once its end is recorded. */
export type AttemptFact = { readonly number: number; readonly ended: boolean };
