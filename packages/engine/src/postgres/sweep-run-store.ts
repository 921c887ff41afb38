import { and, eq, gt, inArray, sql } from 'drizzle-orm';
import type { ProviderAccount } from '../engine-interface.ts';
import { eventsSince, scheduledSince, scheduleOf } from '../sweep/sweep-schedule.ts';
import type { SweepFinding } from '../sweep/sweep-finding.ts';
import type { SweepProgress, SweepState, TakenSweep } from '../sweep/sweep-run.ts';
import type { OrganisationTransaction } from './connection.ts';
import { providerOf } from './mirror-store-news.ts';
import { keepFindings, pruneFindings } from './sweep-finding-store.ts';
import { mirrorPositions, sweeps, type MirrorPositionRow, type SweepRow } from './schema.ts';

/** Who works on a sweep, and for how long it is theirs without a word. Milliseconds. */
export type SweepHolder = { readonly worker: string; readonly leaseMs: number };

export type AskedSweep = { readonly id: string; readonly askedBy: string; readonly sinceAgoMs: number };

const ofAccount = (tx: OrganisationTransaction, account: ProviderAccount) =>
  and(
    eq(sweeps.organisationId, tx.organisationId),
    eq(sweeps.provider, providerOf(account)),
    eq(sweeps.accountId, account.accountId),
  );

const itself = (tx: OrganisationTransaction, id: string) =>
  and(eq(sweeps.organisationId, tx.organisationId), eq(sweeps.id, id));

const positionOf = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
): Promise<MirrorPositionRow> => {
  const identity = {
    organisationId: tx.organisationId,
    provider: providerOf(account),
    accountId: account.accountId,
  };
  await tx.db
    .insert(mirrorPositions)
    .values({ ...identity, updatedAt: tx.now })
    .onConflictDoNothing();
  // Whoever takes, begins or asks for a sweep of the account does so behind this row's lock.
  const [row] = await tx.db
    .select()
    .from(mirrorPositions)
    .where(
      and(
        eq(mirrorPositions.organisationId, identity.organisationId),
        eq(mirrorPositions.provider, identity.provider),
        eq(mirrorPositions.accountId, identity.accountId),
      ),
    )
    .for('update');
  if (row === undefined) throw new Error('an account’s position went away');
  return row;
};

const changePosition = (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  change: Partial<MirrorPositionRow>,
) =>
  tx.db
    .update(mirrorPositions)
    .set(change)
    .where(
      and(
        eq(mirrorPositions.organisationId, tx.organisationId),
        eq(mirrorPositions.provider, providerOf(account)),
        eq(mirrorPositions.accountId, account.accountId),
      ),
    );

const underWay = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
): Promise<SweepRow | undefined> => {
  const [row] = await tx.db
    .select()
    .from(sweeps)
    .where(and(ofAccount(tx, account), eq(sweeps.state, 'running')));
  return row;
};

const isHeld = (tx: OrganisationTransaction, row: SweepRow): boolean =>
  row.leaseUntil !== null && row.leaseUntil > tx.now;

const newRow = (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  { id, askedBy, sinceAgoMs }: AskedSweep,
) => ({
  organisationId: tx.organisationId,
  id,
  provider: providerOf(account),
  accountId: account.accountId,
  askedBy,
  askedAt: tx.now,
  since: new Date(tx.now.getTime() - sinceAgoMs),
  state: 'waiting' as const,
});

const taken = (row: SweepRow, resumed: boolean): TakenSweep => ({
  id: row.id,
  fence: row.fence,
  window: {
    sinceMs: row.since.getTime(),
    sweptAtMs: row.sweptAt?.getTime() ?? 0,
    eventsSinceMs: row.eventsSince?.getTime() ?? 0,
  },
  progress: {
    phase: row.phase,
    position: row.position,
    refundsRead: row.refundsRead,
    operationsRead: row.operationsRead,
    eventsRead: row.eventsRead,
    eventsFetched: row.eventsFetched,
    found: row.found,
  },
  resumed,
});

/** Makes a sweep this holder's. What it has read already stays read. */
const hold = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  row: SweepRow,
  position: MirrorPositionRow,
  { worker, leaseMs }: SweepHolder,
): Promise<TakenSweep> => {
  const nowMs = tx.now.getTime();
  const events = eventsSince(
    position.eventsThrough?.getTime() ?? null,
    row.since.getTime(),
    nowMs,
    account.adapter.contract.eventsKeptForMs,
  );
  const [held] = await tx.db
    .update(sweeps)
    .set({
      state: 'running',
      worker,
      fence: row.fence + 1,
      leaseUntil: new Date(nowMs + leaseMs),
      startedAt: row.startedAt ?? tx.now,
      progressAt: tx.now,
      sweptAt: row.sweptAt ?? tx.now,
      eventsSince: row.eventsSince ?? new Date(events),
    })
    .where(itself(tx, row.id))
    .returning();
  if (held === undefined) throw new Error('a sweep went away under its account’s lock');
  return taken(held, row.state === 'running');
};

/**
 * The account's next sweep, where nobody works on one: one that was cut off, one that was asked for, or the one that the
 * schedule has due. @param everyMs `null`: there is no schedule
 */
export const takeDueSweep = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  holder: SweepHolder,
  scheduled: { readonly id: string; readonly everyMs: number | null },
): Promise<TakenSweep | null> => {
  const position = await positionOf(tx, account);
  const nowMs = tx.now.getTime();
  const running = await underWay(tx, account);
  if (running !== undefined) {
    return isHeld(tx, running) ? null : hold(tx, account, running, position, holder);
  }
  const [waiting] = await tx.db
    .select()
    .from(sweeps)
    .where(and(ofAccount(tx, account), eq(sweeps.state, 'waiting')));
  const { due, nextAtMs } = scheduleOf(position.nextSweepAt?.getTime() ?? null, nowMs, scheduled.everyMs);
  const nextSweepAt = nextAtMs === null ? null : new Date(nextAtMs);
  if (nextSweepAt?.getTime() !== position.nextSweepAt?.getTime()) {
    await changePosition(tx, account, { nextSweepAt });
  }
  if (waiting !== undefined) return hold(tx, account, waiting, position, holder);
  if (!due) return null;
  const sinceAgoMs = nowMs - scheduledSince(position.sweptAt?.getTime() ?? null, nowMs);
  const [made] = await tx.db
    .insert(sweeps)
    .values(newRow(tx, account, { id: scheduled.id, askedBy: 'schedule', sinceAgoMs }))
    .returning();
  if (made === undefined) throw new Error('a sweep was not made');
  return hold(tx, account, made, position, holder);
};

/**
 * Begins a sweep of one's own. `busy`: another process works on one. One that was cut off is gone on with where that is
 * asked, and else given up.
 */
export const beginSweep = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  holder: SweepHolder,
  asked: AskedSweep,
  resume: boolean,
): Promise<TakenSweep | { readonly busy: SweepRow } | { readonly nothingToResume: true }> => {
  const position = await positionOf(tx, account);
  const running = await underWay(tx, account);
  if (running !== undefined) {
    if (isHeld(tx, running)) return { busy: running };
    if (resume) return hold(tx, account, running, position, holder);
    await end(tx, running.id, 'given-up', {});
  } else if (resume) return { nothingToResume: true };
  // Not by way of `waiting`: what somebody else has asked for there still waits for its turn.
  const [made] = await tx.db
    .insert(sweeps)
    .values({ ...newRow(tx, account, asked), state: 'running', sweptAt: tx.now, leaseUntil: tx.now })
    .returning();
  if (made === undefined) throw new Error('a sweep was not made');
  return { ...(await hold(tx, account, made, position, holder)), resumed: false };
};

/** Asks for a sweep, for whichever process looks next. What is under way or asked for already is the answer. */
export const askForSweep = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  asked: AskedSweep,
): Promise<{ readonly row: SweepRow; readonly asked: boolean }> => {
  await positionOf(tx, account);
  const [standing] = await tx.db
    .select()
    .from(sweeps)
    .where(and(ofAccount(tx, account), inArray(sweeps.state, ['waiting', 'running'])))
    .limit(1);
  if (standing !== undefined) return { row: standing, asked: false };
  const [row] = await tx.db
    .insert(sweeps)
    .values(newRow(tx, account, asked))
    .returning();
  if (row === undefined) throw new Error('a sweep was not made');
  return { row, asked: true };
};

const held = (tx: OrganisationTransaction, { id, fence }: TakenSweep) =>
  and(itself(tx, id), eq(sweeps.state, 'running'), eq(sweeps.fence, fence));

/** Keeps findings and place in one transaction. `false`: the sweep is another process's by now, and nothing is written. */
export const keepProgress = async (
  tx: OrganisationTransaction,
  sweep: TakenSweep,
  leaseMs: number,
  findings: readonly SweepFinding[],
  progress: SweepProgress,
): Promise<{ readonly added: number } | false> => {
  const { phase, position, refundsRead, operationsRead, eventsRead, eventsFetched } = progress;
  const kept = await tx.db
    .update(sweeps)
    .set({
      ...{ phase, position, refundsRead, operationsRead, eventsRead, eventsFetched },
      progressAt: tx.now,
      leaseUntil: new Date(tx.now.getTime() + leaseMs),
    })
    .where(held(tx, sweep))
    .returning({ id: sweeps.id });
  if (kept.length === 0) return false;
  const added = await keepFindings(tx, sweep.id, findings);
  if (added > 0) {
    await tx.db
      .update(sweeps)
      .set({ found: sql`${sweeps.found} + ${added}` })
      .where(itself(tx, sweep.id));
  }
  return { added };
};

const end = (
  tx: OrganisationTransaction,
  id: string,
  state: Exclude<SweepState, 'waiting' | 'running'>,
  more: Partial<SweepRow>,
) =>
  tx.db
    .update(sweeps)
    .set({ ...more, state, endedAt: tx.now, leaseUntil: null })
    .where(and(itself(tx, id), inArray(sweeps.state, ['waiting', 'running'])));

/** Ends a sweep of ours. One that was taken over meanwhile is left to whoever has it. */
export const endSweep = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  sweep: TakenSweep,
  how:
    | { readonly state: 'done' }
    | { readonly state: 'not-home' }
    | { readonly state: 'no-answer'; readonly because: string; readonly keyRefused: boolean },
): Promise<void> => {
  const [mine] = await tx.db.select().from(sweeps).where(held(tx, sweep)).for('update');
  if (mine === undefined) return;
  const { state, ...more } = how;
  await end(tx, sweep.id, state, more);
  if (state !== 'done') return;
  const { sinceMs, sweptAtMs } = sweep.window;
  await changePosition(tx, account, {
    sweptAt: new Date(sweptAtMs),
    sweptSince: new Date(sinceMs),
    eventsThrough: new Date(sweptAtMs),
  });
  await pruneFindings(tx);
};

/** A process that ends leaves its sweep to the next one at once. */
export const releaseSweep = async (tx: OrganisationTransaction, sweep: TakenSweep): Promise<void> => {
  await tx.db
    .update(sweeps)
    .set({ leaseUntil: tx.now })
    .where(and(held(tx, sweep), gt(sweeps.leaseUntil, tx.now)));
};

/** For whoever waits for another process: whether a sweep of the account is still held by one. */
export const isSweeping = async (tx: OrganisationTransaction, account: ProviderAccount): Promise<boolean> => {
  const rows = await tx.db
    .select({ id: sweeps.id })
    .from(sweeps)
    .where(and(ofAccount(tx, account), eq(sweeps.state, 'running'), gt(sweeps.leaseUntil, tx.now)));
  return rows.length > 0;
};
