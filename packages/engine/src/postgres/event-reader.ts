import type { ProviderEvent } from '@holdfast/operation';
import { redactedEvent } from '../query/event-view.ts';
import type { OrganisationTransaction } from './connection.ts';
import { codecOf } from './row-codec.ts';
import { providerEvents } from './schema.ts';

const eventCodec = codecOf(providerEvents);
/** More than any operation gets; of more, the newest. */
const mostEvents = 50;

/** The webhooks that were about an operation, for operators: oldest first, what is personal hidden. */
export const readEventsForPeople = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<readonly ProviderEvent[]> => {
  const rows = await tx.rows(
    eventCodec,
    `where t.org_id = $1 and t.operation_id = $2
      order by t.received_at desc, t.event_id limit ${String(mostEvents)}`,
    [tx.organisationId, operationId],
  );
  return rows.toReversed().map((row) => ({
    id: row.eventId,
    type: row.type,
    createdAt: row.providerCreatedAt.toISOString(),
    receivedAt: row.receivedAt.toISOString(),
    deliveries: row.deliveryCount,
    applied: row.appliedAs,
    raw: redactedEvent(row.raw),
  }));
};
