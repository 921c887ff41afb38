import type { ProviderContract } from '../provider-contract.ts';
import { isoDigitsOf } from '../wire/decimal-money.ts';

const dayMs = 24 * 60 * 60_000;

/**
 * A provider that takes a refund and nothing else: no key, no reference that comes back, no question. The shape of a
 * bank's gateway, and of no one company; every number is the careful one.
 */
export const singleShotContract: ProviderContract = {
  displayName: 'Gateway',
  money: { digits: isoDigitsOf(['CZK', 'EUR', 'GBP', 'USD']), steps: {}, largest: 999_999_999_999 },
  /** It knows no keys: the same bytes again are a second refund. */
  keyWindowMs: 0,
  keyWindowMarginMs: 0,
  maximumKeyLength: 255,
  maximumTextBytes: 255,
  lookUp: 'none',
  echoesReference: false,
  quietPeriodMs: 0,
  emptyReadsForAbsence: 0,
  emptyReadsApartMs: 0,
  finalAbsenceProves: 'a-person-decides',
  lateFailureWindowMs: 0,
  pendingUsuallyEndsWithinMs: dayMs,
  mirrorFreshForMs: 0,
  eventsKeptForMs: 0,
};

/**
 * The same, with a statement of each payment that names nobody: amounts and times. It can show that a refund was made
 * elsewhere and that something may be ours, and can prove neither that something is ours nor that nothing happened.
 */
export const statementContract: ProviderContract = {
  ...singleShotContract,
  lookUp: 'by-payment',
  quietPeriodMs: dayMs,
  emptyReadsForAbsence: 3,
  emptyReadsApartMs: 60 * 60_000,
  lateFailureWindowMs: 30 * dayMs,
  mirrorFreshForMs: 0,
};
