import { randomUUID } from 'node:crypto';
import { and, desc, eq, sql } from 'drizzle-orm';
import type { ProviderAccount } from '../engine-interface.ts';
import type { SweepView } from '../sweep/sweep-run.ts';
import type { OrganisationTransaction } from './connection.ts';
import { operationIdShape, providerOf } from './mirror-store-news.ts';
import { isHome } from './mirror-store-position.ts';
import { readNames } from './operation-reader.ts';
import { decodePosition, encodePosition, pageSize } from './page-cursor.ts';
import { readNamesOf } from './policy-reader.ts';
import { mirrorPositions, sweeps, type SweepRow } from './schema.ts';
import { askForSweep } from './sweep-run-store.ts';

export type SweepPage = { readonly items: readonly SweepView[]; readonly nextCursor: string | null };

/** Who asked, where nobody did. */
const notPeople: Readonly<Record<string, string | undefined>> = {
  schedule: 'The schedule',
  'command-line': 'The command line',
};

const viewsOf = async (
  tx: OrganisationTransaction,
  rows: readonly SweepRow[],
): Promise<readonly SweepView[]> => {
  const ids = rows.map(({ askedBy }) => askedBy).filter((id) => notPeople[id] === undefined);
  const acted = await readNames(tx, ids);
  const known = await readNamesOf(tx, ids);
  const nameOf = (id: string): string => {
    const name = notPeople[id] ?? acted.nameOf(id);
    return name === id ? known(id) : name;
  };
  return rows.map((row) => ({
    id: row.id,
    state: row.state,
    accountId: row.accountId,
    askedBy: { id: row.askedBy, name: nameOf(row.askedBy) },
    askedAt: row.askedAt.toISOString(),
    since: row.since.toISOString(),
    until: row.sweptAt?.toISOString() ?? null,
    phase: row.phase,
    refundsRead: row.refundsRead,
    operationsRead: row.operationsRead,
    eventsRead: row.eventsRead,
    eventsFetched: row.eventsFetched,
    found: row.found,
    startedAt: row.startedAt?.toISOString() ?? null,
    progressAt: row.progressAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    worker: row.worker,
    because: row.because,
    keyRefused: row.keyRefused,
    cutOff: row.leaseUntil !== null && row.leaseUntil <= tx.now,
  }));
};

/** Whether the list of sweeps can be read on from this text. */
export const isSweepCursor = (text: string): boolean => operationIdShape.test(decodePosition(text)?.id ?? '');

/** Sweeps of the organisation, the one asked for last first. */
export const listSweeps = async (
  tx: OrganisationTransaction,
  { cursor, limit }: { readonly cursor?: string; readonly limit?: number },
): Promise<SweepPage> => {
  const size = pageSize(limit);
  const after = decodePosition(cursor);
  const rows = await tx.db
    .select()
    .from(sweeps)
    .where(
      and(
        eq(sweeps.organisationId, tx.organisationId),
        after &&
          sql`(${sweeps.askedAt}, ${sweeps.id}) < (${after.at.toISOString()}::timestamptz, ${after.id}::uuid)`,
      ),
    )
    .orderBy(desc(sweeps.askedAt), desc(sweeps.id))
    .limit(size + 1);
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return {
    items: await viewsOf(tx, shown),
    nextCursor: rows.length > size && last ? encodePosition({ at: last.askedAt, id: last.id }) : null,
  };
};

/** One sweep; `null`: the organisation has none of this ID. */
export const readSweep = async (tx: OrganisationTransaction, id: string): Promise<SweepView | null> => {
  const rows = await tx.db
    .select()
    .from(sweeps)
    .where(and(eq(sweeps.organisationId, tx.organisationId), eq(sweeps.id, id)));
  const [view] = await viewsOf(tx, rows);
  return view ?? null;
};

/** When the account is swept next by the schedule; `null`: not known yet, or there is no schedule. */
export const nextSweepAt = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
): Promise<string | null> => {
  const [row] = await tx.db
    .select({ at: mirrorPositions.nextSweepAt })
    .from(mirrorPositions)
    .where(
      and(
        eq(mirrorPositions.organisationId, tx.organisationId),
        eq(mirrorPositions.provider, providerOf(account)),
        eq(mirrorPositions.accountId, account.accountId),
      ),
    );
  return row?.at?.toISOString() ?? null;
};

/**
 * Asks for a sweep, for whichever worker looks next. What is under way or waits already is the answer. `null`: the account
 * is not the organisation's own, so there is nothing to compare.
 */
export const requestSweep = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  asked: { readonly askedBy: string; readonly sinceAgoMs: number },
): Promise<{ readonly sweep: SweepView; readonly asked: boolean } | null> => {
  if (!(await isHome(tx, account))) return null;
  const { row, asked: isNew } = await askForSweep(tx, account, { ...asked, id: randomUUID() });
  const [sweep] = await viewsOf(tx, [row]);
  if (sweep === undefined) throw new Error('a sweep was not shown');
  return { sweep, asked: isNew };
};
