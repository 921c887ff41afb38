import type { Amount } from './amount.ts';
import type { AttentionReason } from './attention.ts';
import type { DeclineClass, ForeignRefund, ProviderRecord } from './observation.ts';

/** Why an operation definitely did not happen. */
export type FailureCause =
  /** `notBeforeMs`: from when on the provider would take such a refund, where it said so. */
  | {
      readonly kind: 'declined';
      readonly decline: DeclineClass;
      readonly code: string | null;
      readonly notBeforeMs?: number | null;
    }
  | { readonly kind: 'refunded-elsewhere'; readonly refunds: readonly ForeignRefund[] }
  | { readonly kind: 'provider-failed'; readonly reference: string; readonly reason: string | null }
  | { readonly kind: 'never-arrived' }
  | {
      readonly kind: 'settled-by-people';
      readonly by: string;
      readonly secondBy: string | null;
      /** What `by` wrote. Where two settled it before both notes were kept, it is the second one's. */
      readonly note: string;
      readonly secondNote?: string;
    };

/** What all the evidence together says, whatever its order of arrival. `attention` is what the evidence itself proves. */
export type Settlement = { readonly attention: readonly AttentionReason[] } & (
  | { readonly kind: 'no-evidence' }
  /** Every attempt is proved not sent or deferred: it may be submitted again. */
  | { readonly kind: 'unsent'; readonly deferredUntilMs: number | null }
  /**
   * `certainlySubmitted`: a request certainly left; false where even that is not sure. `unattributed`: so many refunds
   * that name nobody for so many operations of the payment, each of which could be any of them.
   */
  | {
      readonly kind: 'unknown';
      readonly certainlySubmitted: boolean;
      readonly unattributed?: { readonly refunds: number; readonly operations: number };
    }
  | { readonly kind: 'pending'; readonly record: ProviderRecord }
  /** `record` is `null` only where two operators settled it and the provider cannot be asked. */
  | {
      readonly kind: 'confirmed';
      readonly record: ProviderRecord | null;
      readonly booked: Amount;
      readonly settledBy: { readonly by: string; readonly secondBy: string | null } | null;
    }
  | { readonly kind: 'failed'; readonly cause: FailureCause }
  | { readonly kind: 'reversed'; readonly record: ProviderRecord }
);

/** The part of a provider's contract that settling needs. `@holdfast/providers` extends it. */
export type SettlementTerms = {
  /** What a final absence proves with this provider: that nothing happened, or only that a person must decide. */
  readonly finalAbsenceProves: 'nothing-happened' | 'a-person-decides';
};

/** What `settle` needs to know of the operation itself. */
export type SettlementSubject = {
  readonly organisationId: string;
  readonly operationId: string;
  readonly amount: Amount;
  readonly paymentReference: string;
};
