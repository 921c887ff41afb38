import { isoMoney, type ProviderContract } from '@holdfast/providers';
import type { Chance } from '../world/chance.ts';

/** Its windows are short, so that a history can outlive them; some providers know no keys at all. */
export const pretendContract = (chance: Chance): ProviderContract => ({
  displayName: 'Stripe',
  money: isoMoney,
  keyWindowMs: chance.pick([0, 25_000, 60_000, 300_000, 300_000]) ?? 60_000,
  keyWindowMarginMs: 5_000,
  maximumKeyLength: 255,
  maximumTextBytes: 500,
  lookUp: 'by-payment',
  echoesReference: true,
  quietPeriodMs: 12_000,
  emptyReadsForAbsence: 2,
  emptyReadsApartMs: 1_000,
  finalAbsenceProves: 'a-person-decides',
  lateFailureWindowMs: 600_000,
  pendingUsuallyEndsWithinMs: 60_000,
  mirrorFreshForMs: 4_000,
  eventsKeptForMs: 3_600_000,
});
