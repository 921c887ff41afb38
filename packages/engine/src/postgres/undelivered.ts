import { undeliveredOlderThanSeconds, type MetricFacts } from '../metrics/metric-shapes.ts';
import type { OrganisationTransaction } from './connection.ts';

/**
 * Events that other programs were not told yet, by how long ago they were made. What waits for an endpoint that people
 * switched off waits for them, and does not count.
 */
export const readUndelivered = async (tx: OrganisationTransaction): Promise<MetricFacts['undelivered']> => {
  const rows = await tx.ask<{ waiting: number; oldest: number }>(
    `with waiting as materialized (
        select extract(epoch from $2::timestamptz - a.made_at)::float8 as seconds
        from announcements a join announcement_endpoints e on e.org_id = a.org_id and e.id = a.endpoint_id
        where a.org_id = $1 and a.delivered_at is null and e.is_on and e.removed_at is null)
      select (select count(*) from waiting where seconds >= bound.seconds)::float8 as waiting,
        (select coalesce(max(seconds), 0) from waiting)::float8 as oldest
      from unnest($3::text[]) with ordinality as given (text, place)
        cross join lateral (select text::float8 as seconds) bound
      order by place`,
    [tx.organisationId, tx.now.toISOString(), undeliveredOlderThanSeconds.map(String)],
  );
  return { older: rows.map(({ waiting }) => waiting), oldestSeconds: Math.max(0, rows[0]?.oldest ?? 0) };
};
