import { usualWay, type ChosenWay } from '../notify/plan-notices.ts';
import type { OrganisationTransaction } from './connection.ts';

/** A browser that shows notices to the person of one session. */
export type PushDevice = {
  readonly id: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly endpoint: string;
  readonly publicKey: string;
  readonly authSecret: string;
};

/** More browsers than anybody has; past it the oldest goes. */
const mostDevices = 20;

/** Keeps a browser as this person's, and as nobody else's: whoever had notices there before has them no more. */
export const keepPushDevice = async (tx: OrganisationTransaction, device: PushDevice): Promise<boolean> => {
  const { id, userId, sessionId, endpoint, publicKey, authSecret } = device;
  await tx.ask(`select take_over_push_endpoint($1, $2)`, [endpoint, userId]);
  const kept = await tx.ask(
    `insert into push_subscriptions
        (org_id, id, user_id, session_id, endpoint, public_key, auth_secret, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8::timestamptz)
      on conflict (org_id, endpoint) where gone_at is null do update set
        session_id = excluded.session_id, public_key = excluded.public_key, auth_secret = excluded.auth_secret
      where push_subscriptions.user_id = excluded.user_id
      returning id`,
    [tx.organisationId, id, userId, sessionId, endpoint, publicKey, authSecret, tx.now.toISOString()],
  );
  await tx.ask(
    `update push_subscriptions set gone_at = $3::timestamptz, gone_because = 'too-many'
      where org_id = $1 and id in (select p.id from push_subscriptions p
        where p.org_id = $1 and p.user_id = $2 and p.gone_at is null order by p.created_at desc, p.id offset $4)`,
    [tx.organisationId, userId, tx.now.toISOString(), mostDevices],
  );
  return kept.length > 0;
};

/** Whether this browser is theirs, in this session; somebody else's ends here, since they no longer sit before it. */
export const isOwnPushDevice = async (
  tx: OrganisationTransaction,
  device: Pick<PushDevice, 'userId' | 'sessionId' | 'endpoint'>,
): Promise<boolean> => {
  await tx.ask(`select take_over_push_endpoint($1, $2)`, [device.endpoint, device.userId]);
  const found = await tx.ask(
    `update push_subscriptions set session_id = $4
      where org_id = $1 and user_id = $2 and endpoint = $3 and gone_at is null returning id`,
    [tx.organisationId, device.userId, device.endpoint, device.sessionId],
  );
  return found.length > 0;
};

export const endPushDevice = async (
  tx: OrganisationTransaction,
  device: Pick<PushDevice, 'userId' | 'endpoint'>,
): Promise<boolean> => {
  const ended = await tx.ask(
    `update push_subscriptions set gone_at = $4::timestamptz, gone_because = 'switched-off'
      where org_id = $1 and user_id = $2 and endpoint = $3 and gone_at is null returning id`,
    [tx.organisationId, device.userId, device.endpoint, tx.now.toISOString()],
  );
  return ended.length > 0;
};

export const chosenWayOf = async (tx: OrganisationTransaction, userId: string): Promise<ChosenWay> => {
  const [row] = await tx.ask<{ way: ChosenWay }>(
    `select way from notification_ways where org_id = $1 and user_id = $2`,
    [tx.organisationId, userId],
  );
  return row?.way ?? usualWay;
};

export const chooseWay = async (
  tx: OrganisationTransaction,
  userId: string,
  way: ChosenWay,
): Promise<void> => {
  await tx.ask(
    `insert into notification_ways (org_id, user_id, way, changed_at) values ($1, $2, $3, $4::timestamptz)
      on conflict (org_id, user_id) do update set way = excluded.way, changed_at = excluded.changed_at`,
    [tx.organisationId, userId, way, tx.now.toISOString()],
  );
};
