import type { ProviderContract } from '../provider-contract.ts';

/**
 * What the provider promises, as data. Every number here is the careful one: a provider about which nothing is known.
 * Raise one only with its source beside it, and never because the provider is expected to behave.
 */
export const templateContract: ProviderContract = {
  /** What people read. In lower case it is also the name under which payments are filed. */
  displayName: 'Template',
  /** By ISO code, digits after the mark as the provider writes them. A currency that is not named is refused at intake. */
  money: { digits: {}, steps: {}, largest: 0 },
  /** How long a repeated key is known for what it is. 0: it is not, so nothing is ever sent twice. */
  keyWindowMs: 0,
  keyWindowMarginMs: 0,
  maximumKeyLength: 0,
  maximumTextBytes: 0,
  /** `by-payment`, `by-replay`, `by-webhook` or `none`: what a lost answer can be found out by. */
  lookUp: 'none',
  /** Whether its records carry back the IDs that are sent along. */
  echoesReference: false,
  quietPeriodMs: 0,
  emptyReadsForAbsence: 0,
  emptyReadsApartMs: 0,
  /** `nothing-happened` only where the provider promises that what it does not show did not happen, and cannot. */
  finalAbsenceProves: 'a-person-decides',
  lateFailureWindowMs: 0,
  pendingUsuallyEndsWithinMs: 0,
  mirrorFreshForMs: 0,
  eventsKeptForMs: 0,
};
