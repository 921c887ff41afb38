import type { ProviderContract } from '../provider-contract.ts';
import { isoDigitsOf } from '../wire/decimal-money.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** What Mollie promises about refunds (v2), as data. Nothing of this was tried against Mollie itself. */
export const mollieContract: ProviderContract = {
  displayName: 'Mollie',
  money: {
    // Decimal text. Currencies whose digits are not known for sure are left out.
    digits: isoDigitsOf(
      'AUD BRL CAD CHF CZK DKK EUR GBP HKD ILS JPY MXN MYR NOK NZD PHP PLN RON SEK SGD THB USD ZAR'.split(
        ' ',
      ),
    ),
    steps: {},
    largest: 999_999_999_999,
  },
  /** A third party's account only: one hour. */
  keyWindowMs: hourMs,
  /** Ours: half of it, since nobody but a third party says how long it is. */
  keyWindowMarginMs: hourMs / 2,
  /** Ours: not published; what we send has 45. */
  maximumKeyLength: 64,
  /** Documented: metadata of about one kilobyte. Counted for both our IDs together, with room for their names. */
  maximumTextBytes: 500,
  /** Documented: after a call that failed, list the refunds of the payment. */
  lookUp: 'by-payment',
  echoesReference: true,
  /**
   * Ours. Square, whose lists serve the same purpose, says of its own that they are "eventually consistent", several
   * seconds behind; Mollie says nothing. Minutes cover a bad day of either.
   */
  quietPeriodMs: 10 * minuteMs,
  emptyReadsForAbsence: 3,
  emptyReadsApartMs: 2 * minuteMs,
  finalAbsenceProves: 'a-person-decides',
  /** Ours: no page says how late a refund can still fail. Longer is the careful side: it costs only looks. */
  lateFailureWindowMs: 30 * dayMs,
  /** Ours: refunds are queued and leave in batches, over weekends too. */
  pendingUsuallyEndsWithinMs: 7 * dayMs,
  /** Ours. */
  mirrorFreshForMs: 15_000,
  eventsKeptForMs: 0,
};
