import { isoMoney, type ProviderContract } from '@holdfast/providers';

/** Its windows are short, so that a history can outlive them; some providers know no keys at all. */
export type ContractTerms = {
  readonly keyWindowMs: number;
  /** What is not shown for long enough has not happened, says the provider; what it says, it keeps. */
  readonly trustsAbsence: boolean;
};

/** Longer than a request is on its way, and than a list lags. */
const quietWhereTrustedMs = 30_000;

export const pretendContract = ({ keyWindowMs, trustsAbsence }: ContractTerms): ProviderContract => ({
  displayName: 'Stripe',
  money: isoMoney,
  keyWindowMs,
  keyWindowMarginMs: 5_000,
  maximumKeyLength: 255,
  maximumTextBytes: 500,
  lookUp: 'by-payment',
  echoesReference: true,
  quietPeriodMs: trustsAbsence ? quietWhereTrustedMs : 12_000,
  emptyReadsForAbsence: 2,
  emptyReadsApartMs: 1_000,
  finalAbsenceProves: trustsAbsence ? 'nothing-happened' : 'a-person-decides',
  lateFailureWindowMs: 600_000,
  pendingUsuallyEndsWithinMs: 60_000,
  mirrorFreshForMs: 4_000,
  eventsKeptForMs: 3_600_000,
});
