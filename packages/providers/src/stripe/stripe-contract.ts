import type { ProviderContract } from '../provider-contract.ts';
import { stripeUnits } from './stripe-units.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** What Stripe promises about `/v1/refunds`, as data. "Documented" means Stripe's own pages at docs.stripe.com. */
export const stripeContract: ProviderContract = {
  displayName: 'Stripe',
  money: stripeUnits,
  /**
   * Documented ("Idempotent requests", "Advanced error handling"): v1 keys may be removed once they are at least
   * 24 hours old, counted from when Stripe first receives the key; a key used again after that is a NEW request.
   * The 30 days of API v2 do not apply: refunds are a v1 resource.
   */
  keyWindowMs: 24 * hourMs,
  /**
   * Ours: one hour covers a clock that is wrong on either side, a slow connection and a process that sleeps
   * between its last check and its first byte.
   */
  keyWindowMarginMs: hourMs,
  /** Documented ("Idempotent requests"): up to 255 characters. */
  maximumKeyLength: 255,
  /** Documented ("Metadata"): values of up to 500 characters. Counted in bytes, which are never fewer. */
  maximumTextBytes: 500,
  /** Documented ("List all refunds"): by payment intent or charge, our metadata on each. */
  lookUp: 'by-payment',
  echoesReference: true,
  /**
   * Ours: the list is not a search index (only Search is documented as lagging), but no page promises that a
   * refund is listed at once, and a request whose answer was lost may still be executing.
   */
  quietPeriodMs: 5 * minuteMs,
  /** Ours: three reads a minute apart, so that one stale replica or one bad minute cannot decide. */
  emptyReadsForAbsence: 3,
  emptyReadsApartMs: minuteMs,
  /**
   * Documented ("Advanced error handling"): the result of a 500 is indeterminate, and Stripe may roll it forward
   * later. So even a final absence is not proof here: a person decides.
   */
  finalAbsenceProves: 'a-person-decides',
  /** Documented ("Refunds", failed refunds): a bank may return a refund up to 30 days from its post date. */
  lateFailureWindowMs: 30 * dayMs,
  /**
   * Ours: most refunds succeed at once; one that waits is waiting for balance or for a bank. Five days let a bank
   * holiday pass and still tell somebody that the balance needs topping up.
   */
  pendingUsuallyEndsWithinMs: 5 * dayMs,
  /** Ours: long enough for a mirror that is read every few seconds, too short for a person to refund by hand unseen. */
  mirrorFreshForMs: 15 * secondMs,
  /** Documented ("List all events"): events of the last 30 days. */
  eventsKeptForMs: 30 * dayMs,
};
