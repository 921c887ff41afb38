import { eq, sql, type SQL } from 'drizzle-orm';
import { ageBuckets, type Numbers } from '@holdfast/operation';
import type { NumbersAsked } from '../engine-interface.ts';
import { numbersOf, type Day, type LatelyRead, type Measured } from '../metrics/numbers-of.ts';
import type { InOrganisation, OrganisationTransaction } from './connection.ts';
import { codeOf } from './database-trouble.ts';
import { lastSweepEnd } from './last-sweep.ts';
import { readMetrics } from './metrics-reader.ts';
import { attempts, counted, operations, organisations } from './schema.ts';

const timeOf = (at: Date): SQL => sql`${at.toISOString()}::timestamptz`;

/** The days asked for, of their own zone: where clocks change, one has 23 hours or 25. */
const readDays = async (
  tx: OrganisationTransaction,
  { days, zone }: NumbersAsked,
): Promise<readonly Day[]> => {
  const rows = await tx.db.execute<{ day: string; begins: string; ends: string }>(sql`
    select to_char(days.first, 'YYYY-MM-DD') as day,
      to_json(days.first at time zone ${zone}::text)#>>'{}' as begins,
      to_json((days.first + interval '1 day') at time zone ${zone}::text)#>>'{}' as ends
    from (select date_trunc('day', ${timeOf(tx.now)} at time zone ${zone}::text) - interval '1 day' * back as first
      from generate_series(${days - 1}::integer, 0, -1) as back) as days`);
  return rows.map(({ day, begins, ends }) => ({ day, begins: new Date(begins), ends: new Date(ends) }));
};

type MeasuredRow = { day: number | null; count: string; spread: readonly (number | null)[] | null };
const measuredOf = (rows: readonly MeasuredRow[]): readonly Measured[] =>
  rows.map(({ day, count, spread }) => ({
    day,
    count: Number(count),
    median: spread?.[0] ?? null,
    p95: spread?.[1] ?? null,
  }));

/** The middle one and the 95th of 100, of each day and of all of them, in one reading. */
const spreadByDay = (value: SQL, at: SQL, begins: SQL, from: SQL): SQL => sql`
  select day, count(*)::text as count,
    array_to_json(percentile_cont(array[0.5, 0.95]) within group (order by value)) as spread
  from (select width_bucket(${at}, ${begins}) as day, ${value} as value ${from}) as measured
  group by grouping sets ((day), ())`;

type Window = { readonly from: SQL; readonly until: SQL; readonly begins: SQL };

const readMeasured = async (tx: OrganisationTransaction, { from, until, begins }: Window) => {
  const at = sql`${counted.at}`;
  const reconciliation = await tx.db.execute<MeasuredRow>(
    spreadByDay(
      sql`${counted.amount}`,
      at,
      begins,
      sql`from ${counted} where ${counted.organisationId} = ${tx.organisationId}
        and ${counted.name} = 'reconciliation_seconds' and ${counted.at} >= ${from} and ${counted.at} < ${until}`,
    ),
  );
  const latency = await tx.db.execute<MeasuredRow>(
    spreadByDay(
      sql`(extract(epoch from ${attempts.endedAt} - ${attempts.startedAt}) * 1000)::float8`,
      sql`${attempts.startedAt}`,
      begins,
      sql`from ${attempts} where ${attempts.organisationId} = ${tx.organisationId} and ${attempts.startedAt} >= ${from}
        and ${attempts.startedAt} < ${until} and ${attempts.status} is not null and ${attempts.endedAt} is not null`,
    ),
  );
  return { reconciliation: measuredOf(reconciliation), latency: measuredOf(latency) };
};

const readCounts = async (tx: OrganisationTransaction, { from, until }: Window) => {
  const totals = await tx.db.execute<{ name: string; label: string; total: string }>(sql`
    select ${counted.name} as name, ${counted.label} as label, sum(${counted.amount})::text as total
    from ${counted} where ${counted.organisationId} = ${tx.organisationId}
      and ${counted.name} in ('duplicate_actions', 'replays_absorbed', 'late_reversals')
      and ${counted.at} >= ${from} and ${counted.at} < ${until} group by 1, 2`);
  const results = await tx.db.execute<{ provider: string; result: string; count: string }>(sql`
    select ${attempts.provider} as provider, coalesce(${attempts.result}, 'under-way') as result, count(*)::text as count
    from ${attempts} where ${attempts.organisationId} = ${tx.organisationId}
      and ${attempts.startedAt} >= ${from} and ${attempts.startedAt} < ${until} group by 1, 2`);
  return {
    counted: totals.map((row) => ({ ...row, total: Number(row.total) })),
    attempts: results.map((row) => ({ ...row, count: Number(row.count) })),
  };
};

const readAges = async (tx: OrganisationTransaction): Promise<LatelyRead['ages']> => {
  const bounds = sql.raw(ageBuckets.map(({ from }) => String(from)).join(', '));
  const rows = await tx.db.execute<{ bucket: number; count: string; needs_person: string }>(sql`
    select width_bucket(greatest(0, extract(epoch from ${timeOf(tx.now)} - ${operations.unknownSince})),
        array[${bounds}]::numeric[]) as bucket,
      count(*)::text as count, count(*) filter (where ${operations.attention} <> '[]')::text as needs_person
    from ${operations} where ${operations.organisationId} = ${tx.organisationId}
      and ${operations.state} = 'outcome_unknown' group by 1`);
  return rows.map((row) => ({
    bucket: row.bucket,
    count: Number(row.count),
    needsPerson: Number(row.needs_person),
  }));
};

/** The figures at the transaction's own time. */
export const readNumbersAt = async (tx: OrganisationTransaction, asked: NumbersAsked): Promise<Numbers> => {
  const days = await readDays(tx, asked);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) throw new Error('figures are of one day at least');
  const begins = sql`array[${sql.join(
    days.map((one) => timeOf(one.begins)),
    sql`, `,
  )}]`;
  const window = { from: timeOf(first.begins), until: timeOf(last.ends), begins };
  const [organisation] = await tx.db
    .select({ since: organisations.createdAt })
    .from(organisations)
    .where(eq(organisations.organisationId, tx.organisationId));
  return numbersOf(await readMetrics(tx), {
    at: tx.now,
    zone: asked.zone,
    since: organisation?.since ?? tx.now,
    lastSweepAt: await lastSweepEnd(tx),
    days,
    ages: await readAges(tx),
    ...(await readCounts(tx, window)),
    ...(await readMeasured(tx, window)),
  });
};

/** What PostgreSQL says of a time zone that it does not know. */
const unknownZone = '22023';

/**
 * One organisation in figures. Totals read what the metrics read; the days asked for are read by their time alone, so
 * that they cost what they hold and not what was before them. `null`: the database knows no such time zone.
 */
export const readNumbers = async (
  inOrganisation: InOrganisation,
  organisationId: string,
  asked: NumbersAsked,
): Promise<Numbers | null> => {
  try {
    return await inOrganisation(organisationId, (tx) => readNumbersAt(tx, asked));
  } catch (error) {
    if (codeOf(error) === unknownZone) return null;
    throw error;
  }
};
