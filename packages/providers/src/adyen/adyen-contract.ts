import type { ProviderContract } from '../provider-contract.ts';
import { isoDigitsOf } from '../wire/decimal-money.ts';

const dayMs = 24 * 60 * 60_000;

/**
 * What Adyen promises about refunds of `Checkout` (v72), as data. "Documented" means Adyen's own pages and its published
 * specification; nothing of this was tried against Adyen itself.
 */
export const adyenContract: ProviderContract = {
  displayName: 'Adyen',
  money: {
    // Minor units as in ISO 4217. Adyen departs from it for some currencies; those not known for sure are left out.
    digits: isoDigitsOf('AUD BRL CAD CHF CZK DKK EUR GBP HKD JPY MXN NOK NZD PLN SEK SGD USD ZAR'.split(' ')),
    steps: {},
    largest: 999_999_999_999,
  },
  /** Documented ("API idempotency"): at least seven days, for the company account; not shared between regions. */
  keyWindowMs: 7 * dayMs,
  /** Ours: a wrong clock, a slow connection, a process that sleeps; and a week is long. */
  keyWindowMarginMs: dayMs,
  /** Documented: up to 64 characters. */
  maximumKeyLength: 64,
  /** Documented: `reference` of a refund has up to 80 characters. Both our IDs share it. */
  maximumTextBytes: 80,
  /** Specified: there is no GET for refunds. A replay says "received" again; how it ended comes by webhook. */
  lookUp: 'by-webhook',
  /** Documented: the webhook's `merchantReference` is the refund's own `reference`. */
  echoesReference: true,
  /** Nothing can be read, so no absence is ever concluded. */
  quietPeriodMs: 0,
  emptyReadsForAbsence: 0,
  emptyReadsApartMs: 0,
  finalAbsenceProves: 'a-person-decides',
  /** Nothing can be read again: REFUND_FAILED and REFUNDED_REVERSED come by webhook, whenever they come. */
  lateFailureWindowMs: 0,
  /** Ours: the acquirer's answer takes a day or two; then somebody should see whether webhooks arrive at all. */
  pendingUsuallyEndsWithinMs: 3 * dayMs,
  /** No listing: a first send stands on our own record, and on what webhooks brought. */
  mirrorFreshForMs: 0,
  eventsKeptForMs: 0,
};
