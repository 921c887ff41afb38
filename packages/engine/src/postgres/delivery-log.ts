import type { AnnouncementType } from '../announce/announcement.ts';
import type { DeliveryOutcome } from '../announce/judge-announcing.ts';
import type { OrganisationTransaction } from './connection.ts';
import { auditEndpoint, readEndpoint } from './endpoint-store.ts';
import { codecOf } from './row-codec.ts';
import { announcementAttempts, announcements } from './schema.ts';

const announcementCodec = codecOf(announcements);
const attemptCodec = codecOf(announcementAttempts);

export type LoggedAttempt = {
  readonly number: number;
  readonly at: Date;
  readonly durationMs: number;
  readonly status: number | null;
  readonly outcome: DeliveryOutcome;
};

/** One event to one endpoint, and every attempt at it, newest first. */
export type LoggedDelivery = {
  readonly eventId: string;
  readonly type: AnnouncementType;
  readonly operationId: string | null;
  readonly madeAt: Date;
  /** `null`: not yet. */
  readonly deliveredAt: Date | null;
  readonly dueAt: Date;
  readonly attempts: readonly LoggedAttempt[];
};

/** Newest first. `before`: only what was made before this. `undefined`: there is no such endpoint. */
export const readDeliveries = async (
  tx: OrganisationTransaction,
  endpointId: string,
  filter: { readonly undelivered: boolean; readonly before: Date | null; readonly limit: number },
): Promise<readonly LoggedDelivery[] | undefined> => {
  if ((await readEndpoint(tx, endpointId)) === undefined) return undefined;
  const rows = await tx.rows(
    announcementCodec,
    `where t.org_id = $1 and t.endpoint_id = $2 and (not $3::boolean or t.delivered_at is null)
      and t.made_at < coalesce($4::timestamptz, 'infinity') order by t.made_at desc, t.event_id desc limit $5`,
    [
      ...[tx.organisationId, endpointId, filter.undelivered],
      ...[filter.before?.toISOString() ?? null, filter.limit],
    ],
  );
  const attempts = await tx.rows(
    attemptCodec,
    `where t.org_id = $1 and t.endpoint_id = $2 and t.event_id = any($3::text[]) order by t.number desc`,
    [tx.organisationId, endpointId, rows.map(({ eventId }) => eventId)],
  );
  return rows.map(({ eventId, type, operationId, madeAt, deliveredAt, dueAt }) => ({
    ...{ eventId, type, operationId, madeAt, deliveredAt, dueAt },
    attempts: attempts
      .filter((attempt) => attempt.eventId === eventId)
      .map(({ number, at, durationMs, status, outcome }) => ({ number, at, durationMs, status, outcome })),
  }));
};

/** One event, whether it was delivered or not; or everything since then that was not. */
export type Redelivery = { readonly eventId: string } | { readonly failedSince: Date };

/** Makes it due now, under the same IDs. @returns how many; `undefined`: there is no such endpoint */
export const redeliver = async (
  tx: OrganisationTransaction,
  endpointId: string,
  what: Redelivery,
  by: string,
): Promise<number | undefined> => {
  if ((await readEndpoint(tx, endpointId, 'for update')) === undefined) return undefined;
  const now = tx.now.toISOString();
  const due =
    'eventId' in what
      ? await tx.ask(
          `update announcements set due_at = $4::timestamptz, delivered_at = null
            where org_id = $1 and endpoint_id = $2 and event_id = $3 returning event_id`,
          [tx.organisationId, endpointId, what.eventId, now],
        )
      : await tx.ask(
          `update announcements set due_at = $4::timestamptz
            where org_id = $1 and endpoint_id = $2 and made_at >= $3::timestamptz and delivered_at is null
            returning event_id`,
          [tx.organisationId, endpointId, what.failedSince.toISOString(), now],
        );
  if (due.length === 0) return 0;
  await tx.ask(`update announcement_endpoints set next_try_at = null where org_id = $1 and id = $2`, [
    tx.organisationId,
    endpointId,
  ]);
  await auditEndpoint(tx, 'endpoint-redelivered', endpointId, by, { events: due.length });
  return due.length;
};
