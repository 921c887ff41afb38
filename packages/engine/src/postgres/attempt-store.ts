import type { OperationState } from '@holdfast/operation';
import type { AttemptReport } from '@holdfast/providers';
import type { Claimed } from '../execute/claimed.ts';
import type { AttemptIdentity } from '../execute/record-answer.ts';
import type { BeforeSendFacts } from '../execute/send-verdict.ts';
import type { ProviderAccount, WorkerSettings } from '../engine-interface.ts';
import { changeOperation, lockOperation, writeBookkeeping } from './change-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import { count } from './counted-store.ts';
import { readAttempts } from './evidence-reader.ts';
import { addObservation, settleOperation } from './observation-store.ts';
import type { AttemptRow, OperationRow } from './schema.ts';

/**
 * The claims' rows as they are right now, by the database's clock: the last thing read before the first byte.
 * `undefined`: there is no such operation.
 */
export const readBeforeSend = async (
  tx: OrganisationTransaction,
  claims: readonly Claimed[],
): Promise<readonly (BeforeSendFacts | undefined)[]> => {
  const rows = await tx.ask<BeforeSendRow>(
    `select o.id, o.state, o.fence::text as fence, o.lease_until, o.replay_deadline, g.hold_on
      from operations o join organisations g on g.org_id = o.org_id
      where o.org_id = $1 and o.id = any($2::uuid[])`,
    [tx.organisationId, claims.map(({ operationId }) => operationId)],
  );
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  return claims.map(({ operationId }) => {
    const row = rowOf.get(operationId);
    if (row === undefined) return undefined;
    return {
      nowMs: tx.now.getTime(),
      state: row.state,
      fence: Number(row.fence),
      leaseUntilMs: row.lease_until === null ? null : Date.parse(row.lease_until),
      replayDeadlineMs: row.replay_deadline === null ? null : Date.parse(row.replay_deadline),
      onHold: row.hold_on,
    };
  });
};

type BeforeSendRow = {
  readonly id: string;
  readonly state: OperationState;
  readonly fence: string;
  readonly lease_until: string | null;
  readonly replay_deadline: string | null;
  readonly hold_on: boolean;
};

/**
 * Stores how one request ended: the attempt's end and its observation together. The answer counts whoever brings it;
 * storing the same answer again changes nothing.
 */
export const storeAnswer = async (
  tx: OrganisationTransaction,
  attempt: AttemptIdentity,
  report: AttemptReport,
): Promise<void> => {
  // The attempt's end is written under the operation's lock, the payment's before it, like everything here.
  await lockOperation(tx, attempt.operationId);
  const known = await readAttempts(tx, attempt.operationId);
  const open = known.find(({ number }) => number === attempt.attemptNumber);
  if (open === undefined) throw new Error(`operation ${attempt.operationId} lost an attempt`);
  // Saved before, by a try whose acknowledgement was lost.
  if (open.endedAt !== null) return;
  const ended: AttemptRow = {
    ...open,
    endedAt: tx.now,
    result: report.finding.kind,
    finding: report.finding,
    status: report.status,
    requestId: report.requestId,
    replayed: report.replayed,
    providerDate: report.providerDateMs === null ? null : new Date(report.providerDateMs),
  };
  tx.unsent.endedAttempts.push(ended);
  tx.memory.attemptsOf.set(
    attempt.operationId,
    known.map((one) => (one === open ? ended : one)),
  );
  await addObservation(tx, {
    operationId: attempt.operationId,
    source: 'response',
    finding: report.finding,
    attemptNumber: attempt.attemptNumber,
    replayed: report.replayed,
    fence: attempt.fence,
  });
  if (report.replayed) count(tx, 'replays_absorbed', attempt.operationId, 'provider');
};

/**
 * A claim whose lease ended before its request did is taken to be lost: what became of the request is not known, and
 * it is never claimed afresh.
 * @returns whether sight was lost now
 */
export const loseSight = async (
  tx: OrganisationTransaction,
  operationId: string,
  account: ProviderAccount | undefined,
  settings: WorkerSettings,
): Promise<boolean> => {
  const row = await lockOperation(tx, operationId);
  if (row?.state !== 'submitting') return false;
  if (row.leaseUntil !== null && row.leaseUntil > tx.now) {
    await changeWake(tx, operationId, row.leaseUntil);
    return false;
  }
  const wakeAt = new Date(tx.now.getTime() + (settings.checkBackoffMs[0] ?? 1_000));
  const answer = await changeOperation(tx, {
    operationId,
    expectedVersion: row.version,
    event: { type: 'lose-sight' },
    patch: {
      wakeAt,
      nextCheckAt: wakeAt,
      checkCount: 0,
      settlement: { kind: 'unknown', certainlySubmitted: false, attention: [] },
    },
    by: { actorId: null },
    data: { fence: row.fence },
  });
  await settleOperation(tx, operationId, account, settings);
  return answer.kind === 'moved';
};

/** Where people are shown when it is looked at next, that is when it wakes. */
const shownNext = `next_check_at = case when o.next_check_at is null then null else $3::timestamptz end`;

/** Sets an operation's wake-up. Where its row is locked here, with the rest of it. */
export const changeWake = async (
  tx: OrganisationTransaction,
  operationId: string,
  wakeAt: Date | null,
): Promise<void> => {
  const current = tx.memory.locked.has(operationId) ? tx.memory.operations.get(operationId) : undefined;
  if (current) {
    writeBookkeeping(tx, current, {
      wakeAt,
      ...(current.nextCheckAt === null ? {} : { nextCheckAt: wakeAt }),
    });
  } else {
    await tx.ask(
      `update operations o set wake_at = $3::timestamptz, ${shownNext} where o.org_id = $1 and o.id = $2`,
      [tx.organisationId, operationId, wakeAt?.toISOString() ?? null],
    );
  }
};

/**
 * The same at the end of a worker's turn, unless the operation is wanted again: whoever brings evidence makes it due at
 * once, and what was handled without that evidence must not put it off or let it rest.
 */
export const endTurn = async (
  tx: OrganisationTransaction,
  operationId: string,
  wakeAt: Date | null,
): Promise<void> => {
  const meant = [tx.organisationId, operationId] as const;
  // Locked first, so that the second statement sees what was written by whoever held it meanwhile.
  await Promise.all([
    tx.ask('select from operations where org_id = $1 and id = $2 for update', meant),
    tx.ask(
      `update operations o set wake_at = $3::timestamptz, ${shownNext} where o.org_id = $1 and o.id = $2
        and o.wake_at > $4::timestamptz and ($3::timestamptz is not null or ${overInSql('o')})
        and not exists (select from observations seen where seen.org_id = o.org_id
          and seen.operation_id = o.id and seen.observed_at >= $4::timestamptz)`,
      [...meant, wakeAt?.toISOString() ?? null, tx.now.toISOString()],
    ),
  ]);
};

/** Where nothing about it is ever due again by itself. */
const overInSql = (table: string): string =>
  `${table}.state in ('reversed', 'denied', 'cancelled', 'expired')`;

/** Whether an operation under lock became due, or got evidence, since this transaction began or before. */
export const isWantedAgain = async (
  tx: OrganisationTransaction,
  { id, wakeAt }: Pick<OperationRow, 'id' | 'wakeAt'>,
): Promise<boolean> => {
  if (wakeAt !== null && wakeAt <= tx.now) return true;
  const since = await tx.ask(
    `select from observations where org_id = $1 and operation_id = $2 and observed_at >= $3::timestamptz limit 1`,
    [tx.organisationId, id, tx.now.toISOString()],
  );
  return since.length > 0;
};
