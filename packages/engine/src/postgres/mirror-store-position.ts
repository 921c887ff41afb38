import { unfinishedStates } from '@holdfast/operation';
import { and, eq, isNull, lte, or, sql } from 'drizzle-orm';
import type { ProviderAccount } from '../engine-interface.ts';
import type { MirrorPosition } from '../mirror/listing-window.ts';
import type { ReadAccountPorts } from '../mirror/read-account.ts';
import type { OrganisationTransaction } from './connection.ts';
import { providerOf } from './mirror-store-news.ts';
import { isHeldByAnother } from './provider-account-store.ts';
import { codecOf } from './row-codec.ts';
import { mirrorPositions, providerAccounts, type MirrorPositionRow } from './schema.ts';

const itself = (tx: OrganisationTransaction, account: ProviderAccount) =>
  and(
    eq(mirrorPositions.organisationId, tx.organisationId),
    eq(mirrorPositions.provider, providerOf(account)),
    eq(mirrorPositions.accountId, account.accountId),
  );

const accountCodec = codecOf(providerAccounts);

/**
 * Whether this is the account that this organisation's records belong to. The first account used becomes it; a copy
 * of the database started with another account or mode neither lists nor submits there until it is set as its own, and
 * an account that belongs to another organisation is nobody else's.
 */
export const isHome = async (tx: OrganisationTransaction, account: ProviderAccount): Promise<boolean> => {
  const provider = providerOf(account);
  const known = await tx.rows(accountCodec, 'where t.org_id = $1 and t.provider = $2', [
    tx.organisationId,
    provider,
  ]);
  if (known.length > 0) {
    return known.some(
      ({ accountId, liveMode, fake }) =>
        accountId === account.accountId && liveMode === account.liveMode && fake === account.fake,
    );
  }
  const { accountId, liveMode, fake } = account;
  if (await isHeldByAnother(tx, provider, accountId)) return false;
  await tx.db
    .insert(providerAccounts)
    .values({ organisationId: tx.organisationId, provider, accountId, liveMode, fake, firstUsedAt: tx.now })
    .onConflictDoNothing();
  return true;
};

// Of many looks few find a turn: the others end with this question, which writes nothing and waits for no lock.
const notDueText = `select exists (select from mirror_positions turn
  where turn.org_id = $1 and turn.provider = $2 and turn.account_id = $3
    and turn.next_listing_at > $4::timestamptz
    and (turn.listing_with_work_at > $4::timestamptz or not exists (select from operations unfinished
      where unfinished.org_id = turn.org_id
        and unfinished.state in (${unfinishedStates.map((state) => `'${state}'`).join(', ')})))) as "notDue"`;

/** Takes an account's turn to be listed; of many workers one gets it. `null`: not due, or another has it. */
export const takeTurn = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  turnMs: number,
): Promise<{ nowMs: number; position: MirrorPosition } | null> => {
  const identity = {
    organisationId: tx.organisationId,
    provider: providerOf(account),
    accountId: account.accountId,
  };
  const [looked] = await tx.ask<{ notDue: boolean }>(notDueText, [
    ...Object.values(identity),
    tx.now.toISOString(),
  ]);
  if (looked?.notDue === true || !(await isHome(tx, account))) return null;
  const until = new Date(tx.now.getTime() + turnMs);
  await tx.db
    .insert(mirrorPositions)
    .values({ ...identity, updatedAt: tx.now })
    .onConflictDoNothing();
  const [taken] = await tx.db
    .update(mirrorPositions)
    .set({ nextListingAt: until, listingWithWorkAt: until })
    .where(
      and(
        itself(tx, account),
        or(
          isNull(mirrorPositions.nextListingAt),
          lte(mirrorPositions.nextListingAt, tx.now),
          // That there is work was seen above. A turn that another took meanwhile has moved this time as well.
          isNull(mirrorPositions.listingWithWorkAt),
          lte(mirrorPositions.listingWithWorkAt, tx.now),
        ),
      ),
    )
    .returning();
  if (taken === undefined) return null;
  return {
    nowMs: tx.now.getTime(),
    position: {
      readAtMs: taken.listedThrough?.getTime() ?? null,
      unbrokenSinceMs: taken.unbrokenSince?.getTime() ?? null,
    },
  };
};

export const finishTurn = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  turn: Parameters<ReadAccountPorts['finishTurn']>[1],
): Promise<void> => {
  const { position, failure } = turn;
  await tx.db
    .update(mirrorPositions)
    .set({
      nextListingAt: new Date(tx.now.getTime() + turn.next.idleMs),
      listingWithWorkAt: new Date(tx.now.getTime() + turn.next.workingMs),
      updatedAt: tx.now,
      lastFailure: failure?.because ?? null,
      ...(failure === null ? { keyRefusedSince: null } : {}),
      ...(failure?.ourKeyRefused === true
        ? {
            keyRefusedSince: sql`coalesce(${mirrorPositions.keyRefusedSince}, ${tx.now.toISOString()}::timestamptz)`,
          }
        : {}),
      ...(position === null
        ? {}
        : {
            listedThrough: position.readAtMs === null ? null : new Date(position.readAtMs),
            unbrokenSince: position.unbrokenSinceMs === null ? null : new Date(position.unbrokenSinceMs),
            freshAt: position.readAtMs === null ? null : new Date(position.readAtMs),
          }),
      ...(turn.skewMs === null ? {} : { clockSkewMs: Math.round(turn.skewMs) }),
    })
    .where(itself(tx, account));
};

/** What the mirror knows of one account, for the last check. */
export const readPosition = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
): Promise<MirrorPosition & { readonly keyRefused: boolean }> => {
  const name = `${providerOf(account)} ${account.accountId}`;
  const row = tx.memory.positions.get(name) ?? (await positionRow(tx, account));
  if (row !== undefined) tx.memory.positions.set(name, row);
  return {
    readAtMs: row?.listedThrough?.getTime() ?? null,
    unbrokenSinceMs: row?.unbrokenSince?.getTime() ?? null,
    keyRefused: row?.keyRefusedSince != null,
  };
};

const positionCodec = codecOf(mirrorPositions);
const positionRow = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
): Promise<MirrorPositionRow | undefined> => {
  const [row] = await tx.rows(
    positionCodec,
    'where t.org_id = $1 and t.provider = $2 and t.account_id = $3',
    [tx.organisationId, providerOf(account), account.accountId],
  );
  return row;
};
