import type postgres from 'postgres';
import type { OperationState } from '@holdfast/operation';
import type { DueEvent, DueOperation, DueOrganisation } from '../worker/due-work.ts';
import type { OrganisationTransaction } from './connection.ts';
import { codecOf } from './row-codec.ts';
import { providerEvents } from './schema.ts';

const eventCodec = codecOf(providerEvents);

const nowText = 'floor(extract(epoch from clock_timestamp()) * 1000)::text';

export const databaseNow = async (driver: postgres.Sql): Promise<Date> => {
  const [row] = await driver.unsafe<{ now_ms: string }[]>(`select ${nowText} as now_ms`);
  return new Date(Number(row?.now_ms));
};

/**
 * Organisations in which something has its wake-up time, found by a plain grouped question without a lock, and the time
 * at which they were looked for. `at`: another clock's time than the database's own.
 */
export const dueOrganisations = async (
  driver: postgres.Sql,
  at: Date | null,
): Promise<{ readonly nowMs: number; readonly organisations: readonly DueOrganisation[] }> => {
  const answer = await driver.unsafe<DueRow[]>(dueText, [at?.toISOString() ?? null], { prepare: true });
  // Over a connection that was cut within a result, the driver leaves holes at the start of the next one: a filter
  // passes them by. Without any row there is nothing to do yet, and it is looked for again.
  const rows = answer.filter(() => true);
  const [first] = rows;
  return {
    nowMs: first === undefined ? 0 : Number(first.now_ms),
    organisations: rows.flatMap((row) =>
      row.org_id === null
        ? []
        : [
            {
              organisationId: row.org_id,
              due: Number(row.due),
              nextWakeAtMs: row.next_wake_ms === null ? null : Number(row.next_wake_ms),
            },
          ],
    ),
  };
};

type DueRow = {
  readonly now_ms: string;
  readonly org_id: string | null;
  readonly due: string | null;
  readonly next_wake_ms: string | null;
};

const dueText = `select floor(extract(epoch from clock.now) * 1000)::text as now_ms, work.org_id,
    work.due::text as due, floor(extract(epoch from work.next_wake_at) * 1000)::text as next_wake_ms
  from (select coalesce($1::timestamptz, clock_timestamp()) as now) clock
    left join lateral organisations_with_due_work(clock.now) work on true`;

/**
 * Takes operations whose time has come: their wake-up moves to the end of this worker's turn, so that others pass them
 * by, and so that they are found again should this worker vanish. What waits for the end of a hold is left
 * alone, unless there is evidence about it: that is settled on hold too.
 */
export const takeDueOperations = async (
  tx: OrganisationTransaction,
  limit: number,
  turnMs: number,
): Promise<readonly DueOperation[]> => {
  const taken = await tx.ask<TakenRow>(takeOperationsText, [
    tx.organisationId,
    tx.now.toISOString(),
    limit,
    new Date(tx.now.getTime() + turnMs).toISOString(),
  ]);
  return taken.map((row) => ({
    kind: 'operation',
    lane: `${tx.organisationId} ${row.provider ?? ''} ${row.payment_reference ?? row.id}`,
    organisationId: tx.organisationId,
    operationId: row.id,
    state: row.state,
    hasEvidence: row.has_evidence,
  }));
};

type TakenRow = {
  readonly id: string;
  readonly state: OperationState;
  readonly provider: string | null;
  readonly payment_reference: string | null;
  readonly has_evidence: boolean;
};

const takeOperationsText = `with due as materialized (
    select o.id from operations o join organisations g on g.org_id = o.org_id
    where o.org_id = $1 and o.wake_at <= $2::timestamptz
      and not (o.state = 'approved' and o.waiting_for is not distinct from 'hold'
        and g.hold_on and o.expires_at > $2::timestamptz
        and not exists (select from observations seen
          where seen.org_id = o.org_id and seen.operation_id = o.id))
    order by o.wake_at limit $3 for update of o skip locked)
  update operations t set wake_at = $4::timestamptz from due where t.org_id = $1 and t.id = due.id
  returning t.id, t.state, t.provider, t.payment_reference,
    exists (select from observations seen where seen.org_id = t.org_id and seen.operation_id = t.id) as has_evidence`;

/** The same for stored events that are not applied yet. */
export const takeDueEvents = async (
  tx: OrganisationTransaction,
  limit: number,
  turnMs: number,
): Promise<readonly DueEvent[]> => {
  const taken = await tx.rows(
    eventCodec,
    `where t.org_id = $1 and t.wake_at <= $2::timestamptz order by t.wake_at limit $3 for update skip locked`,
    [tx.organisationId, tx.now.toISOString(), limit],
  );
  if (taken.length > 0) {
    await tx.ask(
      'update provider_events set wake_at = $2::timestamptz where org_id = $1 and event_id = any($3::text[])',
      [
        tx.organisationId,
        new Date(tx.now.getTime() + turnMs).toISOString(),
        taken.map(({ eventId }) => eventId),
      ],
    );
  }
  return taken.map((row) => ({
    kind: 'event',
    lane: `event ${tx.organisationId} ${row.provider} ${row.paymentReference ?? row.eventId}`,
    stored: { organisationId: tx.organisationId, event: row.event, failures: row.applyFailures },
  }));
};
