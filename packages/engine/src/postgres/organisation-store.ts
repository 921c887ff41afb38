import { and, eq, sql } from 'drizzle-orm';
import { defaultPolicy } from '@holdfast/operation';
import type { AuditData } from '../audit/audit-chain.ts';
import type { HoldState } from '../engine-interface.ts';
import type { Connection, InOrganisation, OrganisationTransaction } from './connection.ts';
import { writeFeed } from './feed-writer.ts';
import { appendOrganisationAudit } from './organisation-audit.ts';
import { installation, operations, organisations } from './schema.ts';

/** Makes an organisation with the default policy. */
export const createOrganisation = async (
  inOrganisation: InOrganisation,
  organisationId: string,
  generation: string,
  name: string,
): Promise<void> => {
  await inOrganisation(organisationId, async (tx) => {
    await tx.db
      .insert(organisations)
      .values({ organisationId, name, generation, policy: defaultPolicy, createdAt: tx.now });
    await appendOrganisationAudit(tx, {
      type: 'organisation-created',
      by: null,
      subject: 'organisation',
    });
  });
};

/** The organisation that exists from the first start. */
export const defaultOrganisationId = async (connection: Connection): Promise<string> => {
  const [row] = await connection.db.select({ id: installation.defaultOrganisationId }).from(installation);
  if (row?.id == null) throw new Error('the database has no default organisation; run the migrations');
  return row.id;
};

export type OrganisationSummary = {
  readonly id: string;
  readonly name: string;
  readonly holdOn: boolean;
  readonly generation: string;
};

export const listOrganisations = async (connection: Connection): Promise<readonly OrganisationSummary[]> => {
  const rows = await connection.db.execute<{
    org_id: string;
    name: string;
    hold_on: boolean;
    generation: string;
  }>(sql`select org_id, name, hold_on, generation from all_organisations()`);
  return rows.map((row) => ({
    id: row.org_id,
    name: row.name,
    holdOn: row.hold_on,
    generation: row.generation,
  }));
};

export const readHold = async (tx: OrganisationTransaction): Promise<HoldState> => {
  const [row] = await tx.db
    .select()
    .from(organisations)
    .where(eq(organisations.organisationId, tx.organisationId));
  if (row === undefined) throw new Error(`there is no organisation ${tx.organisationId}`);
  return row.holdOn
    ? { on: true, since: row.holdSince?.toISOString() ?? null, by: row.holdBy, reason: row.holdReason }
    : { on: false, since: null, by: null, reason: null };
};

/**
 * Puts submitting on hold, or lets it go on: what waited for the hold is due at once.
 * @param reason why it is on; or, while it is off, with what note it was let go on after a restore
 */
export const setHold = async (
  tx: OrganisationTransaction,
  on: boolean,
  by: string,
  reason: string | null,
  data: AuditData = {},
): Promise<HoldState> => {
  const before = await readHold(tx);
  if (before.on !== on) {
    await tx.db
      .update(organisations)
      .set({
        holdOn: on,
        holdSince: on ? tx.now : null,
        holdBy: on ? by : null,
        holdReason: reason,
      })
      .where(eq(organisations.organisationId, tx.organisationId));
    await showHoldOnApproved(tx, on);
    // That there is a reason is audited; what people typed stays where it can be erased.
    await appendOrganisationAudit(tx, {
      type: on ? 'hold-on' : 'hold-off',
      ...{ by, subject: 'organisation', data },
    });
  }
  return readHold(tx);
};

/** Approved operations say at once why they wait, and wake when they no longer do. */
const showHoldOnApproved = async (tx: OrganisationTransaction, on: boolean): Promise<void> => {
  const changed = await tx.db
    .update(operations)
    .set({
      waitingFor: on
        ? 'hold'
        : sql`case when ${operations.undoUntil} > ${tx.now.toISOString()}::timestamptz then 'undo' end`,
      version: sql`${operations.version} + 1`,
      updatedAt: tx.now,
      ...(on ? {} : { wakeAt: sql`greatest(${operations.undoUntil}, ${tx.now.toISOString()}::timestamptz)` }),
    })
    .where(
      and(
        eq(operations.organisationId, tx.organisationId),
        eq(operations.state, 'approved'),
        on ? sql`${operations.waitingFor} is distinct from 'hold'` : eq(operations.waitingFor, 'hold'),
      ),
    )
    .returning({ subjectId: operations.id, version: operations.version });
  writeFeed(
    tx,
    changed.map((row) => ({ subject: 'operation', ...row })),
  );
};
