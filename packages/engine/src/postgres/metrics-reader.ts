import { sql, type SQL } from 'drizzle-orm';
import type { MetricsSnapshot } from '../engine-interface.ts';
import { reconciliationBounds, replayWindowAtRiskMs, snapshotOf } from '../metrics/metric-shapes.ts';
import type { OrganisationTransaction } from './connection.ts';
import { secondsSinceSweep } from './last-sweep.ts';
import { mostProposalsOfOne } from './proposal-bursts.ts';
import { attempts, counted, mirrorPositions, operations, providerEvents } from './schema.ts';
import { readUndelivered } from './undelivered.ts';

/** One organisation's metrics, read from the tables themselves: what any process or the command line did counts. */
export const readMetrics = async (tx: OrganisationTransaction): Promise<MetricsSnapshot> => {
  const ofOrganisation = (column: SQL | { getSQL: () => SQL }): SQL => sql`${column} = ${tx.organisationId}`;
  const now = sql`${tx.now.toISOString()}::timestamptz`;
  const riskEnds = sql`${new Date(tx.now.getTime() + replayWindowAtRiskMs).toISOString()}::timestamptz`;
  const rows = <Row extends Record<string, unknown>>(query: SQL) => tx.db.execute<Row>(query);
  const states = await rows<{ state: string; count: string; oldest: string }>(sql`
    select ${operations.state} as state, count(*)::text as count,
      coalesce(max(extract(epoch from ${now} - case ${operations.state}
        when 'outcome_unknown' then ${operations.unknownSince} when 'pending' then ${operations.pendingSince}
        when 'approved' then ${operations.approvedAt} when 'submitting' then ${operations.updatedAt}
        else ${operations.createdAt} end)), 0)::text as oldest
    from ${operations} where ${ofOrganisation(operations.organisationId)} group by 1`);
  const [unknown] = await rows<{ with_person: string; others: string; at_risk: string }>(sql`
    select count(*) filter (where ${operations.attention} <> '[]')::text as with_person,
      count(*) filter (where ${operations.attention} = '[]')::text as others,
      count(*) filter (where ${operations.replayDeadline} between ${now} and ${riskEnds})::text as at_risk
    from ${operations} where ${ofOrganisation(operations.organisationId)} and ${operations.state} = 'outcome_unknown'`);
  const attemptRows = await rows<{ provider: string; result: string; count: string }>(sql`
    select ${attempts.provider} as provider, coalesce(${attempts.result}, 'under-way') as result, count(*)::text as count
    from ${attempts} where ${ofOrganisation(attempts.organisationId)} group by 1, 2`);
  const [events] = await rows<{ oldest: string }>(sql`
    select coalesce(max(extract(epoch from ${now} - ${providerEvents.receivedAt})), 0)::text as oldest
    from ${providerEvents} where ${ofOrganisation(providerEvents.organisationId)} and ${providerEvents.wakeAt} is not null`);
  const [skew] = await rows<{ seconds: string }>(sql`
    select coalesce(max(abs(${mirrorPositions.clockSkewMs})), 0)::float8 / 1000 as seconds
    from ${mirrorPositions} where ${ofOrganisation(mirrorPositions.organisationId)}`);
  const totals = await rows<{ name: string; label: string; total: string }>(sql`
    select ${counted.name} as name, ${counted.label} as label, sum(${counted.amount})::text as total
    from ${counted} where ${ofOrganisation(counted.organisationId)} group by 1, 2`);
  const times = await rows<{ how: string; sum: string; count: string; le: number[] }>(sql`
    select ${counted.label} as how, sum(${counted.amount})::text as sum, sum(${counted.times})::text as count,
      json_build_array(${sql.join(
        reconciliationBounds.map(
          (bound) =>
            sql`coalesce(sum(${counted.times}) filter (where ${counted.amount} <= ${sql.raw(String(bound))}), 0)`,
        ),
        sql`, `,
      )}) as le
    from ${counted} where ${ofOrganisation(counted.organisationId)} and ${counted.name} = 'reconciliation_seconds'
    group by 1`);
  const age = (seconds: string | undefined): number => Math.max(0, Number(seconds ?? 0));
  return snapshotOf({
    operations: new Map(states.map((row) => [row.state, Number(row.count)])),
    oldestSeconds: new Map(states.map((row) => [row.state, age(row.oldest)])),
    oldestUnresolvedSeconds: age(states.find((row) => row.state === 'outcome_unknown')?.oldest),
    unresolved: { needsPerson: Number(unknown?.with_person ?? 0), others: Number(unknown?.others ?? 0) },
    replayWindowAtRisk: Number(unknown?.at_risk ?? 0),
    attempts: attemptRows.map((row) => ({ ...row, count: Number(row.count) })),
    unappliedEventsOldestSeconds: age(events?.oldest),
    clockSkewSeconds: Number(skew?.seconds ?? 0),
    mostProposalsOfOne: await mostProposalsOfOne(tx),
    undelivered: await readUndelivered(tx),
    lastSweepSeconds: await secondsSinceSweep(tx),
    counted: totals.map((row) => ({ ...row, total: Number(row.total) })),
    reconciliation: times.map((row) => ({
      how: row.how,
      le: row.le.map(Number),
      sum: Number(row.sum),
      count: Number(row.count),
    })),
  });
};
