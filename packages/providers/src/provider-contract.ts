import type { SettlementTerms } from '@holdfast/operation';

/**
 * What a provider promises, as data. Every provider differs and nothing outside an adapter assumes Stripe.
 * All times in milliseconds; "unknown" is written as zero, never as a hopeful number.
 */
export type ProviderContract = SettlementTerms & {
  /** What people read: "Stripe". */
  readonly displayName: string;
  /** How long the provider recognises a key it has seen, counted from its first receipt. 0: it does not, so a request is sent once. */
  readonly keyWindowMs: number;
  /** Taken off the window, so that clocks and slow connections can never carry a resubmission past it. */
  readonly keyWindowMarginMs: number;
  readonly maximumKeyLength: number;
  /** Whether refunds of a payment can be listed, with our metadata on them. */
  readonly canListByPayment: boolean;
  /** After a send, how long an empty look-up proves nothing. */
  readonly quietPeriodMs: number;
  /** How many empty look-ups, this far apart, make an absence final (with every attempt's end recorded). */
  readonly emptyReadsForAbsence: number;
  readonly emptyReadsApartMs: number;
  /** How long after success a refund can still fail. */
  readonly lateFailureWindowMs: number;
  /** How long a `pending` may last before a person is told. */
  readonly pendingUsuallyEndsWithinMs: number;
  /** How old the mirror may be and still serve as the last check of a first send. */
  readonly mirrorFreshForMs: number;
  /** Events can be fetched again for this long. */
  readonly eventsKeptForMs: number;
};
