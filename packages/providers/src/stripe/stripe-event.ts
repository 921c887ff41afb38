import type { VerifiedEvent } from '../provider-adapter.ts';
import { fieldsOf, readDispute, readRefund, referenceOf, secondsToMs, textOf } from './stripe-records.ts';

/**
 * An event as Stripe sends it; `undefined` when ID, type or time are missing. What it carries beside them is read
 * as far as it is whole: an event is worth keeping also when its object is of a kind that says nothing to us.
 */
export const readEvent = (value: unknown): VerifiedEvent | undefined => {
  const event = fieldsOf(value);
  const eventId = textOf(event?.['id']);
  const type = textOf(event?.['type']);
  const createdAtMs = secondsToMs(event?.['created']);
  if (!event || event['object'] !== 'event' || !eventId || !type || createdAtMs === undefined)
    return undefined;
  const object = fieldsOf(fieldsOf(event['data'])?.['object']);
  const record = readRefund(object) ?? null;
  const dispute = readDispute(object) ?? null;
  return {
    eventId,
    type,
    createdAtMs,
    liveMode: event['livemode'] === true,
    accountId: textOf(event['account']),
    objectReference: textOf(object?.['id']),
    paymentReference: record?.paymentReference ?? dispute?.paymentReference ?? paymentOf(object),
    idempotencyKey: textOf(fieldsOf(event['request'])?.['idempotency_key']),
    metadataOrganisationId: record?.organisationId ?? null,
    metadataOperationId: record?.operationId ?? null,
    record,
    dispute,
  };
};

const paymentOf = (object: Readonly<Record<string, unknown>> | undefined): string | null => {
  if (object?.['object'] === 'payment_intent') return textOf(object['id']);
  const related = referenceOf(object?.['payment_intent']);
  if (object?.['object'] === 'charge') return related ?? textOf(object['id']);
  return related ?? referenceOf(object?.['charge']);
};
