import { randomUUID } from 'node:crypto';
import type { DeliveryVerdict } from '../notify/judge-delivery.ts';
import {
  countFor,
  planNotices,
  quietMs,
  toldKey,
  waysOf,
  type MailOut,
  type NoticeKind,
  type PlannedNotice,
  type WaitingKind,
} from '../notify/plan-notices.ts';
import type { Connection, OrganisationTransaction } from './connection.ts';
import { readNoticeGround, type NoticeGround } from './notice-facts.ts';

export const organisationsWithNotices = async ({
  driver,
}: Pick<Connection, 'driver'>): Promise<readonly string[]> =>
  (
    await driver<{ org_id: string }[]>`
    select org_id from organisations_with_notices()
    union select org_id from organisations_with_untaken_cases()
    union select org_id from organisations_with_follow_ups()
    union select org_id from organisations_with_failing_endpoints()
    union select org_id from organisations_with_many_new_proposals() order by org_id`
  ).map(({ org_id }) => org_id);

const makeNotices = (
  tx: OrganisationTransaction,
  notice: Omit<PlannedNotice, 'tells' | 'kind'> & { readonly kind: NoticeKind },
  batch: string,
): Promise<readonly unknown[]> =>
  Promise.all(
    notice.places.map((place) =>
      tx.ask(
        `insert into notices (org_id, id, batch, user_id, kind, way, subscription_id, made_at, due_at)
          values ($1, $2, $3, $4, $5, $6, $7, $8::timestamptz, $8::timestamptz)`,
        [
          ...[tx.organisationId, randomUUID(), batch, notice.userId, notice.kind, notice.way, place],
          tx.now.toISOString(),
        ],
      ),
    ),
  );

/** Of two planners at once one writes down that it tells, and the other tells nobody. */
const writePlanned = async (tx: OrganisationTransaction, planned: PlannedNotice): Promise<boolean> => {
  const batch = randomUUID();
  const told = await tx.ask(
    `insert into notices_told (org_id, user_id, kind, operation_id, since, batch)
      select $1, $2, $3, t.id::uuid, t.since::timestamptz, $4
      from unnest($5::text[], $6::text[]) as t (id, since)
      on conflict do nothing returning operation_id`,
    [
      ...[tx.organisationId, planned.userId, planned.kind, batch],
      planned.tells.map(({ operationId }) => operationId),
      planned.tells.map(({ sinceMs }) => new Date(sinceMs).toISOString()),
    ],
  );
  if (told.length === 0) return false;
  await makeNotices(tx, planned, batch);
  return true;
};

const readTold = async (tx: OrganisationTransaction): Promise<ReadonlySet<string>> => {
  const rows = await tx.ask<{ user_id: string; kind: WaitingKind; id: string; since_ms: number }>(
    `select user_id, kind, operation_id as id, round(extract(epoch from since) * 1000)::float8 as since_ms
      from notices_told where org_id = $1`,
    [tx.organisationId],
  );
  return new Set(rows.map((row) => toldKey(row.user_id, row.kind, row.id, row.since_ms)));
};

/** What is decided needs no memory of who was told of it, and what was sent long ago none of where. */
const forgetOld = async (tx: OrganisationTransaction): Promise<void> => {
  await tx.ask(
    `delete from notices_told t where t.org_id = $1 and t.kind not in ('endpoint-failing', 'proposals-in-a-burst')
      and not exists (select from operations o where o.org_id = t.org_id and o.id = t.operation_id
        and case t.kind when 'case-untaken' then o.escalated_at is not null
          when 'refund-came-back' then o.follow_up is not null and o.follow_up->>'closed' is null
          else o.state = 'proposed' end)`,
    [tx.organisationId],
  );
  await tx.ask(
    `delete from notices_told t where t.org_id = $1 and t.kind = 'endpoint-failing' and not exists (
      select from announcement_endpoints e where e.org_id = t.org_id and e.id = t.operation_id
        and e.marked_failing_at is not null and e.removed_at is null)`,
    [tx.organisationId],
  );
  await tx.ask(`delete from notices where org_id = $1 and ended_at < $2::timestamptz - interval '30 days'`, [
    tx.organisationId,
    tx.now.toISOString(),
  ]);
};

const forgetOver = (tx: OrganisationTransaction, bursts: NoticeGround['bursts']): Promise<unknown> =>
  tx.ask(
    `delete from notices_told where org_id = $1 and kind = 'proposals-in-a-burst'
      and operation_id <> all($2::uuid[])`,
    [tx.organisationId, bursts.map(({ id }) => id)],
  );

export type NoticeSettings = { readonly mail: MailOut; readonly quietMs?: number };

/** Decides who is told now and writes it down, in the caller's transaction. @returns how many people are told */
export const planWaitingNotices = async (
  tx: OrganisationTransaction,
  settings: NoticeSettings,
): Promise<number> => {
  await forgetOld(tx);
  const ground = await readNoticeGround(tx);
  const { operations, cases, cameBack, endpoints, bursts } = ground;
  await forgetOver(tx, bursts);
  if ([operations, cases, cameBack, endpoints, bursts].every((waiting) => waiting.length === 0)) return 0;
  const told = await readTold(tx);
  const facts = { ...ground, told, mail: settings.mail, nowMs: tx.now.getTime() };
  let people = 0;
  for (const planned of planNotices({ ...facts, quietMs: settings.quietMs ?? quietMs })) {
    if (await writePlanned(tx, planned)) people += 1;
  }
  return people;
};

/** What a person asked for to see that it arrives. @returns how many places it goes to */
export const planTestNotice = async (
  tx: OrganisationTransaction,
  userId: string,
  mail: MailOut,
): Promise<number> => {
  const { reach } = await readNoticeGround(tx);
  const own = reach.get(userId);
  const ways = own === undefined ? null : waysOf(own, mail);
  if (ways === null || ways.places.length === 0) return 0;
  const open = await tx.ask(
    `select from notices where org_id = $1 and user_id = $2 and kind = 'test' and ended_at is null`,
    [tx.organisationId, userId],
  );
  // The one that is on its way is the one that was asked for.
  if (open.length === 0) await makeNotices(tx, { ...ways, userId, kind: 'test' }, randomUUID());
  return ways.places.length;
};

type ClaimedRow = {
  readonly id: string;
  readonly batch: string;
  readonly userId: string;
  readonly kind: NoticeKind;
  readonly way: 'push' | 'mail';
  readonly subscriptionId: string | null;
  readonly tries: number;
};

export type ClaimedNotice = ClaimedRow & {
  readonly organisationName: string;
  /** How many wait for this person at this moment; 0 for a test. */
  readonly count: number;
  readonly to:
    | {
        readonly by: 'push';
        readonly endpoint: string;
        readonly publicKey: string;
        readonly authSecret: string;
      }
    | { readonly by: 'mail'; readonly address: string };
};

/** Longer than any delivery takes: what is not answered for by then belonged to a process that is no more. */
const claimSeconds = 180;

type Unwanted = 'nothing-waits' | 'not-theirs';

const endNotice = async (
  tx: OrganisationTransaction,
  { id, batch, tries }: Pick<ClaimedRow, 'id' | 'batch' | 'tries'>,
  because: Unwanted | 'gone' | 'refused' | 'given-up',
): Promise<boolean> => {
  // Two places of one batch that end at once must not each take the other for one that may still be reached.
  await tx.ask(`select pg_advisory_xact_lock(hashtextextended('notices ' || $1, 0))`, [batch]);
  const ended = await tx.ask(
    `update notices set ended_at = $4::timestamptz, ended_because = $5
      where org_id = $1 and id = $2 and tries = $3 and ended_at is null returning id`,
    [tx.organisationId, id, tries, tx.now.toISOString(), because],
  );
  // What reached this person nowhere is not something they were told: it is told anew, the way that is left.
  await tx.ask(
    `delete from notices_told t where t.org_id = $1 and t.batch = $2 and not exists (select from notices n
      where n.org_id = t.org_id and n.batch = t.batch and (n.ended_at is null or n.sent_at is not null))`,
    [tx.organisationId, batch],
  );
  return ended.length > 0;
};

type PlaceRow = {
  readonly endpoint: string | null;
  readonly publicKey: string | null;
  readonly authSecret: string | null;
  readonly email: string;
  readonly organisationName: string;
};

const readPlace = async (tx: OrganisationTransaction, row: ClaimedRow): Promise<PlaceRow | undefined> =>
  (
    await tx.ask<PlaceRow>(
      `select p.endpoint, p.public_key as "publicKey", p.auth_secret as "authSecret", m.email,
          o.name as "organisationName"
        from members m join organisations o on o.org_id = m.org_id
        left join push_subscriptions p on p.org_id = m.org_id and p.id = $3 and p.user_id = m.user_id
          and p.gone_at is null
        where m.org_id = $1 and m.user_id = $2 and m.removed_at is null`,
      [tx.organisationId, row.userId, row.subscriptionId],
    )
  )[0];

const placeOf = (
  row: ClaimedRow,
  { reach }: NoticeGround,
  place: PlaceRow | undefined,
): ClaimedNotice['to'] | undefined => {
  const own = reach.get(row.userId);
  if (place === undefined || own === undefined || own.chosen === 'off') return undefined;
  if (row.way === 'mail') return { by: 'mail', address: place.email };
  const { endpoint, publicKey, authSecret } = place;
  if (endpoint === null || publicKey === null || authSecret === null) return undefined;
  return own.devices.includes(row.subscriptionId ?? '')
    ? { by: 'push', endpoint, publicKey, authSecret }
    : undefined;
};

/**
 * Takes what is due, by row: what another process has taken is passed by, and taken again if that one died. Chosen once,
 * before anything is written: a plan that chose anew for each row would take more than was asked for.
 */
export const claimNotices = async (
  tx: OrganisationTransaction,
  most: number,
): Promise<readonly ClaimedNotice[]> => {
  const now = tx.now.toISOString();
  const rows = await tx.ask<ClaimedRow>(
    `with taken as materialized (select d.id from notices d
        where d.org_id = $1 and d.ended_at is null and d.due_at <= $2::timestamptz
          and (d.claimed_until is null or d.claimed_until <= $2::timestamptz)
        order by d.due_at, d.id limit $3 for update skip locked)
      update notices n set claimed_until = $2::timestamptz + make_interval(secs => $4), tries = n.tries + 1
      from taken where n.org_id = $1 and n.id = taken.id
      returning n.id, n.batch, n.user_id as "userId", n.kind, n.way, n.subscription_id as "subscriptionId", n.tries`,
    [tx.organisationId, now, most, claimSeconds],
  );
  if (rows.length === 0) return [];
  const ground = await readNoticeGround(tx);
  const claimed: ClaimedNotice[] = [];
  for (const row of rows) {
    const place = await readPlace(tx, row);
    const to = placeOf(row, ground, place);
    const member = ground.members.find(({ userId }) => userId === row.userId);
    const count = row.kind === 'test' || member === undefined ? 0 : countFor(row.kind, member, ground);
    if (to === undefined || place === undefined) await endNotice(tx, row, 'not-theirs');
    else if (row.kind !== 'test' && count === 0) await endNotice(tx, row, 'nothing-waits');
    else claimed.push({ ...row, organisationName: place.organisationName, count, to });
  }
  return claimed;
};

/** Writes down what came of a claim. False where the claim was another's meanwhile. */
export const recordDelivery = async (
  tx: OrganisationTransaction,
  claimed: ClaimedRow,
  verdict: DeliveryVerdict,
): Promise<boolean> => {
  const now = tx.now.toISOString();
  const own = [tx.organisationId, claimed.id, claimed.tries, now] as const;
  switch (verdict.then) {
    case 'later': {
      const due = new Date(tx.now.getTime() + verdict.afterMs).toISOString();
      const later = await tx.ask(
        `update notices set due_at = $4::timestamptz, claimed_until = null
          where org_id = $1 and id = $2 and tries = $3 and ended_at is null returning id`,
        [tx.organisationId, claimed.id, claimed.tries, due],
      );
      return later.length > 0;
    }
    case 'sent': {
      const sent = await tx.ask(
        `update notices set sent_at = $4::timestamptz, ended_at = $4::timestamptz, ended_because = 'sent'
          where org_id = $1 and id = $2 and tries = $3 and ended_at is null returning id`,
        own,
      );
      await tx.ask(
        `update push_subscriptions set last_success_at = $3::timestamptz where org_id = $1 and id = $2`,
        [tx.organisationId, claimed.subscriptionId, now],
      );
      return sent.length > 0;
    }
    case 'gone':
      await tx.ask(
        `update push_subscriptions set gone_at = $3::timestamptz, gone_because = $4
          where org_id = $1 and id = $2 and gone_at is null`,
        [tx.organisationId, claimed.subscriptionId, now, verdict.because],
      );
      return endNotice(tx, claimed, verdict.because);
    case 'given-up':
      return endNotice(tx, claimed, 'given-up');
  }
};
