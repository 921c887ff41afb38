import type { ProviderContract } from '../provider-contract.ts';
import { isoDigitsOf } from '../wire/decimal-money.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** What Square promises about refunds (v2), as data. Nothing of this was tried against Square itself. */
export const squareContract: ProviderContract = {
  displayName: 'Square',
  money: {
    digits: isoDigitsOf(['AUD', 'CAD', 'EUR', 'GBP', 'JPY', 'USD']),
    steps: {},
    largest: 999_999_999_999,
  },
  /** It takes keys and does not publish for how long it knows them. Unknown is zero: a request is sent once. */
  keyWindowMs: 0,
  keyWindowMarginMs: 0,
  /** Specified: up to 45 characters. */
  maximumKeyLength: 45,
  /** Ours: `reason` has room for 192 characters. It is the only text of ours that a refund gives back. */
  maximumTextBytes: 192,
  /** Specified: refunds are listed by time; each names its payment. */
  lookUp: 'by-payment',
  echoesReference: true,
  /** Specified: lists are "eventually consistent", several seconds behind. Ours: minutes, for a bad day. */
  quietPeriodMs: 10 * minuteMs,
  emptyReadsForAbsence: 3,
  emptyReadsApartMs: 2 * minuteMs,
  finalAbsenceProves: 'a-person-decides',
  /** Ours: no page says how late a completed refund can still fail. Longer is the careful side: it costs only looks. */
  lateFailureWindowMs: 30 * dayMs,
  /** Ours. */
  pendingUsuallyEndsWithinMs: 14 * dayMs,
  mirrorFreshForMs: 15_000,
  eventsKeptForMs: 0,
};
