import type Stripe from 'stripe';
import type { DeliveryRecord, EventRecord } from '../ledger/records.ts';

/** The version whose shapes we speak; the type makes an upgrade of the client fail here first. */
export const apiVersion: Stripe.LatestApiVersion = '2026-10-28.endive';

export function toEvent(record: EventRecord, delivery: DeliveryRecord | undefined): Stripe.EventBase {
  const undelivered = delivery !== undefined && !['delivered', 'unaddressed'].includes(delivery.state);
  return {
    id: record.id,
    object: 'event',
    api_version: apiVersion,
    created: record.created,
    data: {
      object: record.object,
      ...(record.previousAttributes === null ? {} : { previous_attributes: record.previousAttributes }),
    },
    livemode: false,
    pending_webhooks: undelivered ? 1 : 0,
    request: record.request,
    type: record.type,
  };
}
