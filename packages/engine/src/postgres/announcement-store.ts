import type { AnnouncementType } from '../announce/announcement.ts';
import {
  judgeEndpoint,
  pauseAfterMs,
  type Attempted,
  type DeliveryOutcome,
} from '../announce/judge-announcing.ts';
import type { Connection, OrganisationTransaction } from './connection.ts';
import { auditEndpoint, readEndpoint, type EndpointRow } from './endpoint-store.ts';

/** Organisations that have something to deliver now. */
export const organisationsWithAnnouncements = async ({
  driver,
}: Pick<Connection, 'driver'>): Promise<readonly string[]> =>
  (await driver<{ org_id: string }[]>`select org_id from organisations_with_announcements()`).map(
    ({ org_id }) => org_id,
  );

export type ClaimedAnnouncement = {
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: AnnouncementType;
  readonly operationId: string | null;
  readonly generation: string;
  readonly payload: string;
  readonly tries: number;
  readonly endpoint: Pick<EndpointRow, 'url' | 'secret' | 'previousSecret' | 'previousUntil'>;
};

/** Longer than any attempt takes: what is not answered for by then belonged to a process that is no more. */
const claimSeconds = 120;

/** So many to one endpoint at once; while it fails, one. */
const atOnce = 8;

// Of one operation nothing leaves while something older of it was never tried or is under way: in order, as long as
// the other side answers. What failed once waits by itself, and `version` says what is newer.
const claimText = `with taken as materialized (
    select d.event_id from announcements d
    where d.org_id = $1 and d.endpoint_id = $2 and d.delivered_at is null and d.due_at <= $3::timestamptz
      and (d.claimed_until is null or d.claimed_until <= $3::timestamptz)
      and not exists (select from announcements e where e.org_id = d.org_id and e.endpoint_id = d.endpoint_id
        and e.operation_id = d.operation_id and e.version < d.version and e.generation = d.generation
        and e.delivered_at is null and (e.tries = 0 or e.claimed_until > $3::timestamptz))
    order by d.due_at, d.made_at, d.event_id limit $4 for update skip locked)
  update announcements a set tries = a.tries + 1,
    claimed_until = $3::timestamptz + make_interval(secs => ${String(claimSeconds)})
  from taken where a.org_id = $1 and a.endpoint_id = $2 and a.event_id = taken.event_id
  returning a.endpoint_id as "endpointId", a.event_id as "eventId", a.type, a.operation_id as "operationId",
    a.generation, a.payload, a.tries`;

const claimOf = async (
  tx: OrganisationTransaction,
  endpoint: EndpointRow,
): Promise<readonly ClaimedAnnouncement[]> => {
  const now = tx.now.toISOString();
  const [held] = await tx.ask<{ underWay: number }>(
    `select count(*)::float8 as "underWay" from announcements
      where org_id = $1 and endpoint_id = $2 and delivered_at is null and claimed_until > $3::timestamptz`,
    [tx.organisationId, endpoint.id, now],
  );
  const free = (endpoint.failures > 0 ? 1 : atOnce) - (held?.underWay ?? 0);
  if (free <= 0) return [];
  const rows = await tx.ask<Omit<ClaimedAnnouncement, 'endpoint'>>(claimText, [
    tx.organisationId,
    endpoint.id,
    now,
    free,
  ]);
  return rows.map((row) => ({ ...row, endpoint }));
};

/** Takes what is due, by row: what another process has taken is passed by, and taken again if that one died. */
export const claimAnnouncements = async (
  tx: OrganisationTransaction,
): Promise<readonly ClaimedAnnouncement[]> => {
  const due = await tx.ask<{ id: string }>(
    `select id from announcement_endpoints where org_id = $1 and is_on and removed_at is null
      and (next_try_at is null or next_try_at <= $2::timestamptz) order by id for update skip locked`,
    [tx.organisationId, tx.now.toISOString()],
  );
  const claimed: ClaimedAnnouncement[] = [];
  for (const { id } of due) {
    const endpoint = await readEndpoint(tx, id);
    if (endpoint !== undefined) claimed.push(...(await claimOf(tx, endpoint)));
  }
  return claimed;
};

const keepHealth = async (
  tx: OrganisationTransaction,
  endpoint: EndpointRow,
  outcome: DeliveryOutcome,
  chance: number,
): Promise<void> => {
  const verdict = judgeEndpoint(
    {
      failures: endpoint.failures,
      failingSinceMs: endpoint.failingSince?.getTime() ?? null,
      markedFailingAtMs: endpoint.markedFailingAt?.getTime() ?? null,
    },
    outcome,
    tx.now.getTime(),
    chance,
  );
  const at = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  await tx.ask(
    `update announcement_endpoints set failures = $3::integer, failing_since = $4::timestamptz,
        next_try_at = $5::timestamptz, marked_failing_at = $6::timestamptz,
        last_success_at = coalesce($7::timestamptz, last_success_at)
      where org_id = $1 and id = $2`,
    [
      ...[tx.organisationId, endpoint.id, verdict.failures, at(verdict.failingSinceMs)],
      ...[at(verdict.nextTryMs), at(verdict.markedFailingAtMs)],
      outcome === 'delivered' ? tx.now.toISOString() : null,
    ],
  );
  if (verdict.turned === 'failing') await auditEndpoint(tx, 'endpoint-failing', endpoint.id, null);
  if (verdict.turned === 'well') await auditEndpoint(tx, 'endpoint-well', endpoint.id, null);
};

/**
 * Writes down what came of an attempt. What was delivered stays delivered, also when the word comes late; a failure
 * counts only while the claim is still this one.
 */
export const recordAnnounced = async (
  tx: OrganisationTransaction,
  claimed: Pick<ClaimedAnnouncement, 'endpointId' | 'eventId' | 'tries'>,
  attempted: Attempted,
  chance: number,
): Promise<void> => {
  const { outcome, status, durationMs } = attempted;
  const endpoint = await readEndpoint(tx, claimed.endpointId, 'for update');
  const now = tx.now.toISOString();
  const key = [tx.organisationId, claimed.endpointId, claimed.eventId] as const;
  await tx.ask(
    `insert into announcement_attempts (org_id, endpoint_id, event_id, number, at, duration_ms, status, outcome)
      values ($1, $2, $3, $4, $5::timestamptz, $6::integer, $7::integer, $8) on conflict do nothing`,
    [...key, claimed.tries, now, Math.round(durationMs), status, outcome],
  );
  if (outcome === 'delivered') {
    await tx.ask(
      `update announcements set delivered_at = coalesce(delivered_at, $4::timestamptz), claimed_until = null
        where org_id = $1 and endpoint_id = $2 and event_id = $3`,
      [...key, now],
    );
  } else {
    const due = new Date(tx.now.getTime() + pauseAfterMs(claimed.tries, chance)).toISOString();
    await tx.ask(
      `update announcements set due_at = $5::timestamptz, claimed_until = null
        where org_id = $1 and endpoint_id = $2 and event_id = $3 and tries = $4 and delivered_at is null`,
      [...key, claimed.tries, due],
    );
  }
  if (endpoint !== undefined) await keepHealth(tx, endpoint, outcome, chance);
};

/** What was delivered this long ago is needed by nobody; what was not stays. */
export const forgetDelivered = async (tx: OrganisationTransaction): Promise<void> => {
  await tx.ask(
    `with gone as (delete from announcements where org_id = $1
        and delivered_at < $2::timestamptz - interval '30 days' returning endpoint_id, event_id)
      delete from announcement_attempts t using gone
        where t.org_id = $1 and t.endpoint_id = gone.endpoint_id and t.event_id = gone.event_id`,
    [tx.organisationId, tx.now.toISOString()],
  );
};
