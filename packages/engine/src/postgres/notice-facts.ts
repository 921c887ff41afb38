import type { Policy, Role } from '@holdfast/operation';
import {
  usualWay,
  type ChosenWay,
  type CameBack,
  type Member,
  type Reach,
  type UntakenCase,
  type WaitingOperation,
} from '../notify/plan-notices.ts';
import type { OrganisationTransaction } from './connection.ts';
import { readPolicy } from './operation-reader.ts';
import { proposalBursts } from './proposal-bursts.ts';

/** What is read of one organisation at once, at most: of more, the oldest. Whoever has so many waiting knows it. */
const mostWaiting = 1_000;

type WaitingRow = {
  readonly id: string;
  readonly minor: number;
  readonly currency: string;
  readonly person: string;
  readonly since_ms: number;
  readonly nobody_since: string | null;
  readonly approved_by: string;
};

/** It takes no lock: nobody who works on an operation ever waits for who is told of it. */
export const waitingOperations = async (
  tx: OrganisationTransaction,
): Promise<readonly WaitingOperation[]> => {
  const rows = await tx.ask<WaitingRow>(
    `select o.id, o.amount_minor::float8 as minor, o.currency, o.proposed_person as person,
        round(extract(epoch from greatest(o.created_at, (o.sent_back->>'at')::timestamptz,
          (select max(v.voided_at) from approvals v where v.org_id = o.org_id and v.operation_id = o.id)
        )) * 1000)::float8 as since_ms,
        (select e->>'since' from jsonb_array_elements(o.attention) e
          where e->>'reason' = 'nobody-can-approve' limit 1) as nobody_since,
        (select coalesce(json_agg(a.person)::text, '[]') from approvals a
          where a.org_id = o.org_id and a.operation_id = o.id and a.voided_at is null) as approved_by
      from operations o
      where o.org_id = $1 and o.state = 'proposed' and o.amount_minor is not null and o.currency is not null
        and (o.expires_at is null or o.expires_at > $2::timestamptz)
      order by o.created_at, o.id limit $3`,
    [tx.organisationId, tx.now.toISOString(), mostWaiting],
  );
  return rows.map((row) => ({
    id: row.id,
    amount: { minor: row.minor, currency: row.currency },
    proposedPerson: row.person,
    approvedBy: JSON.parse(row.approved_by) as string[],
    sinceMs: row.since_ms,
    nobodySinceMs: row.nobody_since === null ? null : Date.parse(row.nobody_since),
  }));
};

/**
 * Cases that people are told of: because nobody took them in time, and nobody has since, or because a second operator's
 * word is missing, whoever has them. What somebody had who left is given back as it is escalated.
 */
export const untakenCases = (tx: OrganisationTransaction): Promise<readonly UntakenCase[]> =>
  tx.ask<{ id: string; sinceMs: number }>(
    `select id, round(extract(epoch from escalated_at) * 1000)::float8 as "sinceMs" from operations
      where org_id = $1 and (attention <> '[]' or resolution->>'waiting' = 'true') and escalated_at is not null
        and ((attention <> '[]' and taken_by is null)
          or (resolution->>'waiting' = 'true' and (attention <> '[]' or state = 'outcome_unknown')
            and escalated_at >= (resolution->>'at')::timestamptz))
      order by escalated_at, id limit $2`,
    [tx.organisationId, mostWaiting],
  );

/** Refunds that did not last and whose customers nobody has seen to yet: told to whoever proposed and approved them. */
export const refundsThatCameBack = async (tx: OrganisationTransaction): Promise<readonly CameBack[]> => {
  const rows = await tx.ask<{ id: string; sinceMs: number; people: string }>(
    `select o.id, round(extract(epoch from (o.follow_up->>'since')::timestamptz) * 1000)::float8 as "sinceMs",
        (select json_agg(distinct p.person)::text from (
          select o.proposed_person as person
          union select a.person from approvals a
            where a.org_id = o.org_id and a.operation_id = o.id and a.voided_at is null
          union select o.follow_up->>'takenBy' where o.follow_up->>'takenBy' is not null) p) as people
      from operations o where o.org_id = $1 and o.follow_up->>'closed' is null and o.follow_up is not null
      order by o.id limit $2`,
    [tx.organisationId, mostWaiting],
  );
  return rows.map(({ people, ...row }) => ({ ...row, people: JSON.parse(people) as string[] }));
};

const failingEndpoints = (tx: OrganisationTransaction): Promise<readonly UntakenCase[]> =>
  tx.ask<{ id: string; sinceMs: number }>(
    `select id, round(extract(epoch from marked_failing_at) * 1000)::float8 as "sinceMs"
      from announcement_endpoints where org_id = $1 and marked_failing_at is not null and is_on
        and removed_at is null order by id`,
    [tx.organisationId],
  );

export const readMembers = (tx: OrganisationTransaction): Promise<readonly Member[]> =>
  tx.ask<{ userId: string; role: Role }>(
    `select user_id as "userId", role from members where org_id = $1 and removed_at is null order by user_id`,
    [tx.organisationId],
  );

type DeviceRow = { readonly id: string; readonly user_id: string };

/** Browsers whose session still lives and is still their person's. */
export const livingDevices = (tx: OrganisationTransaction): Promise<readonly DeviceRow[]> =>
  tx.ask<DeviceRow>(
    `select p.id, p.user_id from push_subscriptions p
      join live_sessions(array(select s.session_id from push_subscriptions s
        where s.org_id = $1 and s.gone_at is null)) l on l.session_id = p.session_id and l.user_id = p.user_id
      where p.org_id = $1 and p.gone_at is null order by p.created_at, p.id`,
    [tx.organisationId],
  );

type WayRow = { readonly user_id: string; readonly way: ChosenWay };
type LastRow = { readonly user_id: string; readonly way: 'push' | 'mail'; readonly last_ms: number };

export const readReach = async (
  tx: OrganisationTransaction,
  members: readonly Member[],
): Promise<ReadonlyMap<string, Reach>> => {
  const [devices, ways, lasts] = await Promise.all([
    livingDevices(tx),
    tx.ask<WayRow>(`select user_id, way from notification_ways where org_id = $1`, [tx.organisationId]),
    tx.ask<LastRow>(
      `select user_id, way, round(extract(epoch from max(made_at)) * 1000)::float8 as last_ms from notices
        where org_id = $1 and kind <> 'test' and made_at > $2::timestamptz - interval '1 hour'
        group by user_id, way`,
      [tx.organisationId, tx.now.toISOString()],
    ),
  ]);
  const lastMs = (userId: string, way: 'push' | 'mail'): number | null =>
    lasts.find((row) => row.user_id === userId && row.way === way)?.last_ms ?? null;
  return new Map(
    members.map(({ userId }) => [
      userId,
      {
        userId,
        chosen: ways.find((row) => row.user_id === userId)?.way ?? usualWay,
        devices: devices.filter((row) => row.user_id === userId).map(({ id }) => id),
        lastPushMs: lastMs(userId, 'push'),
        lastMailMs: lastMs(userId, 'mail'),
      },
    ]),
  );
};

/** What decides whether somebody is told, as it is at this moment. */
export type NoticeGround = {
  readonly policy: Policy;
  readonly operations: readonly WaitingOperation[];
  readonly cases: readonly UntakenCase[];
  readonly cameBack: readonly CameBack[];
  readonly endpoints: readonly UntakenCase[];
  readonly bursts: readonly UntakenCase[];
  readonly members: readonly Member[];
  readonly reach: ReadonlyMap<string, Reach>;
};

export const readNoticeGround = async (tx: OrganisationTransaction): Promise<NoticeGround> => {
  const members = await readMembers(tx);
  const [policy, operations, cases, cameBack, endpoints, bursts, reach] = await Promise.all([
    readPolicy(tx),
    waitingOperations(tx),
    untakenCases(tx),
    refundsThatCameBack(tx),
    failingEndpoints(tx),
    proposalBursts(tx),
    readReach(tx, members),
  ]);
  return { policy, operations, cases, cameBack, endpoints, bursts, members, reach };
};
