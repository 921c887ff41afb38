import type { ProviderHouse } from './provider-house.ts';

/** An event as the provider sends it. */
export type ProviderEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
};

/** The events that the provider has recorded about a payment, delivered or not, oldest first. */
export const eventsOf = async (
  { provider }: ProviderHouse,
  payment: string,
): Promise<readonly ProviderEvent[]> => {
  const response = await fetch(`http://127.0.0.1:${provider.port}/fake/webhooks`);
  const { webhooks } = (await response.json()) as { webhooks: { event: ProviderEvent }[] };
  return webhooks.map(({ event }) => event).filter(({ data }) => data.object['payment_intent'] === payment);
};

/** An event as it is stored here. */
export type StoredEvent = {
  readonly event_id: string;
  readonly type: string;
  readonly deliveries: number;
  readonly failures: number;
  readonly applied_as: string | null;
  readonly operation_id: string | null;
  readonly object_reference: string | null;
};

const columns = `event_id, type, delivery_count as deliveries, apply_failures as failures, applied_as, operation_id,
  object_reference`;

export const storedEvents = async (
  { sql }: ProviderHouse,
  payment: string,
): Promise<readonly StoredEvent[]> => sql<StoredEvent[]>`
  select ${sql.unsafe(columns)} from provider_events where payment_reference = ${payment} order by received_at`;

export const storedEvent = async (
  { sql }: ProviderHouse,
  eventId: string,
): Promise<StoredEvent | undefined> => {
  const [event] = await sql<StoredEvent[]>`
    select ${sql.unsafe(columns)} from provider_events where event_id = ${eventId}`;
  return event;
};
