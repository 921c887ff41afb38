import type { SettlementTerms } from '@holdfast/operation';
import type { ProviderMoney } from './provider-money.ts';

/**
 * How an outcome that was lost is found out, beside what webhooks bring.
 * `by-payment`: its refunds of a payment can be listed. Nothing is sent again before a look.
 * `by-replay`: it has no list, and answers the same key with what became of it: the same bytes again are the look-up.
 * `by-webhook`: the same bytes again tell at most that it was taken; how it ended comes by webhook alone.
 * `none`: nothing can be found out. Without a key either, a request is sent once and then it is a person's.
 */
export type LookUpKind = 'by-payment' | 'by-replay' | 'by-webhook' | 'none';

/**
 * What a provider promises, as data. Every provider differs and nothing outside an adapter assumes Stripe.
 * All times in milliseconds; "unknown" is written as zero, never as a hopeful number.
 */
export type ProviderContract = SettlementTerms & {
  /** What people read: "Stripe". */
  readonly displayName: string;
  /** Its units of money. What they cannot say is refused when it is proposed, not when it is sent. */
  readonly money: ProviderMoney;
  /** How long the provider recognises a key it has seen, counted from its first receipt. 0: it does not, so a request is sent once. */
  readonly keyWindowMs: number;
  /** Taken off the window, so that clocks and slow connections can never carry a resubmission past it. */
  readonly keyWindowMarginMs: number;
  readonly maximumKeyLength: number;
  /**
   * Bytes of UTF-8 in the narrowest text field that carries our IDs. An ID that does not fit is refused, never cut; text
   * that people wrote is not sent to providers at all.
   */
  readonly maximumTextBytes: number;
  /** How an outcome that was lost is found out. */
  readonly lookUp: LookUpKind;
  /**
   * Whether its records carry the IDs that we send along. Where they do not, nothing tells two refunds of one amount
   * apart: then no second equal one of a payment is sent while one is unresolved, and no record is taken for ours.
   */
  readonly echoesReference: boolean;
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
