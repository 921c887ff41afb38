import { randomUUID } from 'node:crypto';
import type { AnnouncementType } from '../announce/announcement.ts';
import { testPayload } from '../announce/announcement.ts';
import type { OrganisationTransaction } from './connection.ts';
import { appendOrganisationAudit } from './organisation-audit.ts';
import { codecOf } from './row-codec.ts';
import { announcementEndpoints } from './schema.ts';

const endpointCodec = codecOf(announcementEndpoints);
export type EndpointRow = typeof announcementEndpoints.$inferSelect;

/** An endpoint as admins see it. Its secret is nowhere. */
export type ListedEndpoint = Omit<EndpointRow, 'organisationId' | 'secret' | 'previousSecret'> & {
  /** What was not delivered yet. */
  readonly waiting: number;
};

export type NewEndpoint = {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly eventTypes: readonly AnnouncementType[];
  /** Sealed already. */
  readonly secret: Uint8Array;
  readonly by: string;
};

/** So many for one organisation: each is told everything it asked for, with every refund. */
export const mostEndpoints = 20;

const audited = (
  tx: OrganisationTransaction,
  type: `endpoint-${'added' | 'removed' | 'rotated' | 'switched-on' | 'switched-off' | 'tested' | 'redelivered' | 'failing' | 'well'}`,
  id: string,
  by: string | null,
  data: Readonly<Record<string, string | number | readonly string[]>> = {},
): Promise<void> => appendOrganisationAudit(tx, { type, by, subject: `endpoint ${id}`, data });
export { audited as auditEndpoint };

export const readEndpoint = async (
  tx: OrganisationTransaction,
  id: string,
  lock: '' | 'for update' = '',
): Promise<EndpointRow | undefined> =>
  (
    await tx.rows(endpointCodec, `where t.org_id = $1 and t.id = $2 and t.removed_at is null ${lock}`, [
      tx.organisationId,
      id,
    ])
  )[0];

export const listEndpoints = async (tx: OrganisationTransaction): Promise<readonly ListedEndpoint[]> => {
  const rows = await tx.rows(
    endpointCodec,
    'where t.org_id = $1 and t.removed_at is null order by t.created_at, t.id',
    [tx.organisationId],
  );
  const counts = await tx.ask<{ id: string; waiting: number }>(
    `select endpoint_id as id, count(*)::float8 as waiting from announcements
      where org_id = $1 and delivered_at is null group by endpoint_id`,
    [tx.organisationId],
  );
  return rows.map(({ organisationId, secret, previousSecret, ...row }) => {
    void organisationId;
    void secret;
    void previousSecret;
    return { ...row, waiting: counts.find(({ id }) => id === row.id)?.waiting ?? 0 };
  });
};

export const addEndpoint = async (
  tx: OrganisationTransaction,
  added: NewEndpoint,
): Promise<'added' | 'too-many'> => {
  await tx.ask(`select pg_advisory_xact_lock(hashtextextended('endpoints ' || $1, 0))`, [tx.organisationId]);
  if ((await listEndpoints(tx)).length >= mostEndpoints) return 'too-many';
  await tx.ask(
    `insert into announcement_endpoints (org_id, id, url, description, event_types, created_at, created_by, secret)
      values ($1, $2, $3, $4, $5::text::jsonb, $6::timestamptz, $7, decode($8, 'base64'))`,
    [
      ...[tx.organisationId, added.id, added.url, added.description, JSON.stringify(added.eventTypes)],
      ...[tx.now.toISOString(), added.by, Buffer.from(added.secret).toString('base64')],
    ],
  );
  // The address may hold what is nobody's business: the audit says that there is one, and which events it gets.
  await audited(tx, 'endpoint-added', added.id, added.by, { eventTypes: [...added.eventTypes] });
  return 'added';
};

/** Off: what happens is still written down for it, and goes out once it is on again. @returns whether there is one */
export const switchEndpoint = async (
  tx: OrganisationTransaction,
  id: string,
  isOn: boolean,
  by: string,
): Promise<boolean> => {
  const row = await readEndpoint(tx, id, 'for update');
  if (row === undefined) return false;
  if (row.isOn === isOn) return true;
  await tx.ask(
    `update announcement_endpoints set is_on = $3, next_try_at = null where org_id = $1 and id = $2`,
    [tx.organisationId, id, isOn],
  );
  await audited(tx, isOn ? 'endpoint-switched-on' : 'endpoint-switched-off', id, by);
  return true;
};

export const removeEndpoint = async (
  tx: OrganisationTransaction,
  id: string,
  by: string,
): Promise<boolean> => {
  const removed = await tx.ask(
    `update announcement_endpoints set removed_at = $3::timestamptz, is_on = false
      where org_id = $1 and id = $2 and removed_at is null returning id`,
    [tx.organisationId, id, tx.now.toISOString()],
  );
  if (removed.length > 0) await audited(tx, 'endpoint-removed', id, by);
  return removed.length > 0;
};

/** The secret before signs beside the new one for `graceSeconds`; one before that ends now. */
export const rotateEndpoint = async (
  tx: OrganisationTransaction,
  id: string,
  { secret, graceSeconds, by }: { secret: Uint8Array; graceSeconds: number; by: string },
): Promise<{ readonly oldSignsUntil: Date | null } | undefined> => {
  const until = graceSeconds === 0 ? null : new Date(tx.now.getTime() + graceSeconds * 1_000);
  const rotated = await tx.ask(
    `update announcement_endpoints set previous_secret = case when $5::timestamptz is null then null else secret end,
        previous_until = $5::timestamptz, secret = decode($3, 'base64'), rotated_at = $4::timestamptz
      where org_id = $1 and id = $2 and removed_at is null returning id`,
    [
      ...[tx.organisationId, id, Buffer.from(secret).toString('base64')],
      ...[tx.now.toISOString(), until?.toISOString() ?? null],
    ],
  );
  if (rotated.length === 0) return undefined;
  await audited(tx, 'endpoint-rotated', id, by, { graceSeconds });
  return { oldSignsUntil: until };
};

/** Sends an event that is only to try it, whatever the endpoint chose. @returns its ID */
export const testEndpoint = async (
  tx: OrganisationTransaction,
  id: string,
  by: string,
): Promise<string | undefined> => {
  if ((await readEndpoint(tx, id, 'for update')) === undefined) return undefined;
  const eventId = `test_${randomUUID()}`;
  await tx.ask(
    `insert into announcements (org_id, endpoint_id, event_id, type, version, generation, made_at, payload, due_at)
      select o.org_id, $2, $3, 'webhook.test', 1, left(o.generation, 8), $4::timestamptz, $5, $4::timestamptz
      from organisations o where o.org_id = $1`,
    [tx.organisationId, id, eventId, tx.now.toISOString(), testPayload(tx.now)],
  );
  // Whoever tries it wants to know now, whatever the endpoint waits for.
  await tx.ask(`update announcement_endpoints set next_try_at = null where org_id = $1 and id = $2`, [
    tx.organisationId,
    id,
  ]);
  await audited(tx, 'endpoint-tested', id, by);
  return eventId;
};
