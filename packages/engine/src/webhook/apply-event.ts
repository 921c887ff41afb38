import type { PaymentAnswer, RefundAnswer, VerifiedEvent } from '@holdfast/providers';
import type { ProviderAccount } from '../engine-interface.ts';
import type { SeenAtProvider } from '../mirror/seen-at-provider.ts';
import { eventDestination, eventJoins, type EventJoin } from './event-destination.ts';

export { pauseBeforeApplyingAgainMs } from './event-destination.ts';

export type StoredEvent = {
  readonly organisationId: string;
  readonly event: VerifiedEvent;
  /** Failed tries so far. */
  readonly failures: number;
};

export type EventUse = 'applied' | 'foreign-account' | 'foreign-mode' | 'unknown-operation' | 'not-for-us';

export type ApplyEventPorts = {
  readonly findOperation: (organisationId: string, joins: readonly EventJoin[]) => Promise<string | null>;
  readonly paymentIsKnown: (account: ProviderAccount, references: readonly string[]) => Promise<boolean>;
  /** Keeps the event's own record as evidence of the operation; the same event twice is one observation. */
  readonly addWebhookObservation: (
    organisationId: string,
    operationId: string,
    event: VerifiedEvent,
  ) => Promise<void>;
  /** Takes what the provider's side shows into the mirror and the payment's figures, and settles what it touches. */
  readonly absorb: (account: ProviderAccount, seen: SeenAtProvider) => Promise<void>;
  readonly settle: (account: ProviderAccount, operationId: string) => Promise<void>;
  readonly askAboutRefund: (account: ProviderAccount, reference: string) => Promise<RefundAnswer>;
  readonly askAboutPayment: (account: ProviderAccount, reference: string) => Promise<PaymentAnswer>;
};

export type ApplyEventResult =
  | { readonly kind: 'applied'; readonly as: EventUse; readonly operationId: string | null }
  /** The provider could not be asked; the event stays unapplied and is tried again. */
  | { readonly kind: 'again'; readonly because: string };

const applied = (as: EventUse, operationId: string | null): ApplyEventResult => ({
  kind: 'applied',
  as,
  operationId,
});

const namesOf = (named: { paymentReference: string; chargeReference?: string | null }): readonly string[] =>
  named.chargeReference == null ? [named.paymentReference] : [named.paymentReference, named.chargeReference];

/**
 * Works out what a stored event means. Its order of arrival is never trusted: the object is fetched again, and
 * settling merges old and new alike.
 */
export const applyEvent = async (
  ports: ApplyEventPorts,
  account: ProviderAccount,
  stored: StoredEvent,
): Promise<ApplyEventResult> => {
  const { event, organisationId } = stored;
  const destination = eventDestination(event, account);
  if (destination === 'other-mode') return applied('foreign-mode', null);
  if (destination === 'other-account') return applied('foreign-account', null);

  if (event.dispute !== null) {
    await ports.absorb(account, {
      refunds: [],
      disputes: [event.dispute],
      askedPayment: null,
      source: 'webhook',
    });
    const known = await ports.paymentIsKnown(account, namesOf(event.dispute));
    return applied(known ? 'applied' : 'not-for-us', null);
  }

  const operationId = await ports.findOperation(organisationId, eventJoins(event, organisationId));
  if (event.record !== null) {
    // The event's own record is a fact already, whether or not the provider can be asked right now.
    if (operationId !== null) await ports.addWebhookObservation(organisationId, operationId, event);
    await ports.absorb(account, {
      refunds: [event.record],
      disputes: [],
      askedPayment: null,
      source: 'webhook',
    });
    if (operationId !== null) await ports.settle(account, operationId);
    const again = await ports.askAboutRefund(account, event.record.reference);
    if (again.kind === 'answer') {
      await ports.absorb(account, {
        refunds: [again.record],
        disputes: [],
        askedPayment: null,
        source: 'look-up',
      });
    } else if (again.kind === 'no-answer' && again.notOffered !== true) {
      // Where there is no such question, the event is all that will ever be said.
      return { kind: 'again', because: again.because };
    }
  } else {
    const paymentReference = event.paymentReference;
    if (paymentReference === null) return applied('not-for-us', operationId);
    const known = await ports.paymentIsKnown(account, [paymentReference]);
    if (!known) return applied('not-for-us', operationId);
    const answer = await ports.askAboutPayment(account, paymentReference);
    if (answer.kind === 'no-answer') {
      if (answer.notOffered === true) return applied('not-for-us', operationId);
      return { kind: 'again', because: answer.because };
    }
    await ports.absorb(account, {
      refunds: answer.refunds,
      disputes: answer.disputes,
      askedPayment: paymentReference,
      source: 'look-up',
    });
    return applied('applied', operationId);
  }

  if (operationId !== null) return applied('applied', operationId);
  if (event.metadataOrganisationId === organisationId && event.metadataOperationId !== null) {
    return applied('unknown-operation', null);
  }
  const known = await ports.paymentIsKnown(account, namesOf(event.record));
  return applied(known ? 'applied' : 'not-for-us', null);
};
