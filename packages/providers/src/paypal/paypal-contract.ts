import type { ProviderContract } from '../provider-contract.ts';
import { isoDigitsOf } from '../wire/decimal-money.ts';

const dayMs = 24 * 60 * 60_000;

/** What PayPal promises about refunds of captures (Payments v2), as data. Nothing of this was tried against PayPal itself. */
export const paypalContract: ProviderContract = {
  displayName: 'PayPal',
  money: {
    // Decimal text. PayPal writes HUF and TWD without decimals, unlike ISO; those and what is not known for sure are left out.
    digits: isoDigitsOf(
      'AUD BRL CAD CHF CZK DKK EUR GBP HKD ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB USD'.split(' '),
    ),
    steps: {},
    largest: 999_999_999_999,
  },
  /** Specified ("Refund captured payment", PayPal-Request-Id): the server stores keys for 45 days. */
  keyWindowMs: 45 * dayMs,
  /** Ours. */
  keyWindowMarginMs: dayMs,
  /** Ours: the published lengths differ from page to page; the shortest seen for an older version is 78. */
  maximumKeyLength: 78,
  /** Ours: `custom_id` is a text without a published length on the refund; 127 is what it has elsewhere in the same API. */
  maximumTextBytes: 127,
  /** Documented: the same key is answered with the latest status of the earlier call. There is no list by capture. */
  lookUp: 'by-replay',
  /** Documented: `custom_id` comes back in the refund. */
  echoesReference: true,
  /** Nothing can be listed, so no absence is ever concluded. */
  quietPeriodMs: 0,
  emptyReadsForAbsence: 0,
  emptyReadsApartMs: 0,
  finalAbsenceProves: 'a-person-decides',
  /** Ours: no page says how late a completed refund can still fail. Longer is the careful side: it costs only looks. */
  lateFailureWindowMs: 30 * dayMs,
  /** Ours: a refund paid from a bank account waits for the transfer. */
  pendingUsuallyEndsWithinMs: 7 * dayMs,
  /** No listing: a first send stands on our own record. */
  mirrorFreshForMs: 0,
  eventsKeptForMs: 0,
};
