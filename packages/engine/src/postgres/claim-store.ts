import { idempotencyKeyOf, type AttentionReason, type WaitingFor } from '@holdfast/operation';
import type { EncodedRequest, RefundRequest } from '@holdfast/providers';
import type { ClaimRequest, ClaimResult } from '../claim/claim-approved.ts';
import { wakeOfWaitMs } from '../claim/pause-of-wait.ts';
import type { ProviderAccount } from '../engine-interface.ts';
import type { SeenAtProvider } from '../mirror/seen-at-provider.ts';
import { changeWake } from './attempt-store.ts';
import { changeOperation, lockOperation, lockPayment } from './change-operation.ts';
import {
  isWhole,
  lastCheckOf,
  readGround,
  type LastCheck,
  type WholeOperation,
} from './claim-store-facts.ts';
import { explained, settleUnaccounted } from './claim-store-unaccounted.ts';
import type { OrganisationTransaction } from './connection.ts';
import { readAttempts } from './evidence-reader.ts';
import { absorbSeen } from './mirror-store.ts';
import { providerOf } from './mirror-store-news.ts';
import { settleOperation } from './observation-store.ts';
import { readOrganisation } from './operation-reader.ts';
import { paymentKey } from './working-memory.ts';

/** The claiming transaction. Everything is judged again under its locks; losing a race is a value. */
export const claim = async (
  tx: OrganisationTransaction,
  asked: ClaimRequest,
  workerName: string,
  isHome: (account: ProviderAccount) => Promise<boolean>,
): Promise<ClaimResult> => {
  const found = await lockOperation(tx, asked.operationId);
  const account = found && isWhole(found) ? await accountAtHome(tx, found, asked, isHome) : null;
  // Another account's answer says nothing of this payment.
  if (asked.answered !== undefined && account !== null) {
    await takeAnswer(tx, account, asked.answered, asked);
  }
  const row = await lockOperation(tx, asked.operationId);
  const expected = asked.kind === 'first' ? 'approved' : 'outcome_unknown';
  if (row?.state !== expected || !isWhole(row)) {
    return { kind: 'not-ours', because: `it is ${row?.state ?? 'not there'}` };
  }
  const ground = await readGround(tx, row);
  const request: ClaimRequest = { ...asked, account };
  const check = await lastCheckOf(tx, row, ground, request);
  return carryOut(tx, await explained(tx, row, request, check), request, check, workerName);
};

/** The account that is asked for, where the payment and the organisation's records are of it. */
const accountAtHome = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  { account }: ClaimRequest,
  isHome: (account: ProviderAccount) => Promise<boolean>,
): Promise<ProviderAccount | null> => {
  if (account === null || providerOf(account) !== row.provider) return null;
  const payment = await lockPayment(tx, row.provider, row.paymentReference);
  const isOfPayment = payment?.accountId === null || payment?.accountId === account.accountId;
  return isOfPayment && (await isHome(account)) ? account : null;
};

/** Where nothing stands at the provider and nothing did as far as we knew, only the time of asking is new. */
const takeAnswer = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  answered: SeenAtProvider,
  { settings }: ClaimRequest,
): Promise<void> => {
  const paymentReference = answered.askedPayment ?? '';
  const key = paymentKey(providerOf(account), paymentReference);
  const { memory } = tx;
  const payment = memory.payments.get(key);
  const nothingStands =
    payment?.refundedElsewhere === 0 &&
    !payment.disputed &&
    memory.refundsOf.get(key)?.length === 0 &&
    memory.disputesOf.get(key) === false &&
    answered.refunds.length + answered.disputes.length === 0;
  if (nothingStands) {
    const { askedAtMs } = answered;
    if (askedAtMs === undefined || askedAtMs <= (payment.askedAt?.getTime() ?? -Infinity)) return;
    const askedAt = new Date(askedAtMs);
    tx.unsent.asked.set(key, { provider: payment.provider, paymentReference, askedAt });
    memory.payments.set(key, { ...payment, askedAt });
    return;
  }
  for (const operationId of await absorbSeen(tx, account, answered)) {
    await settleOperation(tx, operationId, account, settings);
  }
};

const carryOut = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  request: ClaimRequest,
  check: LastCheck,
  workerName: string,
): Promise<ClaimResult> => {
  const { verdict } = check;
  switch (verdict.verdict) {
    case 'wait':
      return wait(tx, row, request, verdict.waitingFor, check);
    case 'settle-first':
      return settleFirst(tx, row, request, check);
    case 'expire':
      return expire(tx, row, request, check);
    case 'send-back':
      return sendBack(
        tx,
        row,
        request,
        verdict.reasons.map(({ reason }) => reason),
      );
    case 'ok':
      if (request.account === null) throw new Error('the last check passed without an account');
      return submit(tx, row, request, request.account, workerName);
  }
};

const wait = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  request: ClaimRequest,
  waitingFor: WaitingFor,
  check: LastCheck,
  because: readonly AttentionReason[] = [],
): Promise<ClaimResult> => {
  const wakeAt = new Date(
    wakeOfWaitMs(waitingFor, {
      nowMs: tx.now.getTime(),
      undoUntilMs: row.undoUntil?.getTime() ?? null,
      notBeforeMs: check.notBeforeMs,
      expiresAtMs: row.expiresAt?.getTime() ?? null,
    }),
  );
  const raises: readonly AttentionReason[] =
    check.keyRefused && waitingFor === 'provider' ? [...because, 'provider-refuses-us'] : because;
  if (request.kind === 'resubmission') {
    await changeOperation(tx, {
      operationId: row.id,
      expectedVersion: row.version,
      event: { type: 'need-person', raises: because },
      bookkeeping: { wakeAt, nextCheckAt: wakeAt },
      by: { actorId: null },
    });
    return { kind: 'waits' };
  }
  await changeOperation(tx, {
    operationId: row.id,
    expectedVersion: row.version,
    event: {
      type: raises.length > 0 ? 'need-person' : 'attention-settled',
      raises,
      visible: row.waitingFor !== waitingFor,
    },
    patch: { waitingFor },
    bookkeeping: { wakeAt },
    by: { actorId: null },
    auditType: 'wait',
    data: { waitingFor },
  });
  return { kind: 'waits' };
};

/** Refunds of ours that nothing here accounts for are evidence of the operations they name, and come before any send. */
const settleFirst = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  request: ClaimRequest,
  check: LastCheck,
): Promise<ClaimResult> => {
  const { after, ownerUnknown } = await settleUnaccounted(tx, row, request, check.unaccounted);
  if (after === null) return { kind: 'not-ours', because: 'its own refund was found' };
  return wait(tx, after, request, 'payment', check, ownerUnknown ? ['conflicting-evidence'] : []);
};

const expire = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  request: ClaimRequest,
  check: LastCheck,
): Promise<ClaimResult> => {
  const { after } = await settleUnaccounted(tx, row, request, check.unaccounted);
  if (after === null) return { kind: 'not-ours', because: 'its own refund was found' };
  await changeOperation(tx, {
    operationId: after.id,
    expectedVersion: after.version,
    event: { type: 'expire' },
    by: { actorId: null },
  });
  return { kind: 'expired' };
};

const sendBack = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  request: ClaimRequest,
  reasons: readonly string[],
): Promise<ClaimResult> => {
  if (request.kind === 'resubmission') {
    // It may have been sent, so it cannot go back: nothing more is sent, and a person decides.
    const wakeAt = new Date(tx.now.getTime() + (request.settings.checkBackoffMs.at(-1) ?? 60_000));
    await changeOperation(tx, {
      operationId: row.id,
      expectedVersion: row.version,
      event: { type: 'need-person', raises: ['conflicting-evidence'] },
      bookkeeping: { wakeAt, nextCheckAt: wakeAt },
      by: { actorId: null },
      data: { reasons },
    });
    return { kind: 'sent-back' };
  }
  const organisation = await readOrganisation(tx);
  const expiresAt = new Date(tx.now.getTime() + organisation.policy.proposalExpiresAfterMs);
  await changeOperation(tx, {
    operationId: row.id,
    expectedVersion: row.version,
    event: { type: 'send-back' },
    // Looked at again at once: by a policy that became tighter there may be nobody who can approve it.
    patch: { sentBack: { reasons, at: tx.now.toISOString() }, expiresAt, wakeAt: tx.now },
    by: { actorId: null },
    data: { reasons, policyVersion: organisation.policy.version },
  });
  return { kind: 'sent-back' };
};

const expectedRequest = (row: WholeOperation): RefundRequest => ({
  organisationId: row.organisationId,
  operationId: row.id,
  idempotencyKey: idempotencyKeyOf(row.organisationId, row.id),
  paymentReference: row.paymentReference,
  amount: { minor: row.amountMinor, currency: row.currency },
  reason: row.reason ?? 'other',
});

/** The bytes of the first attempt, whatever version of us made them; only the very first attempt encodes anew. */
const bytesFor = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  account: ProviderAccount,
): Promise<EncodedRequest | { readonly because: string }> => {
  if (row.attemptCount === 0) {
    const encoded = account.adapter.encodeRefund(expectedRequest(row));
    return encoded.ok ? encoded.request : { because: encoded.because };
  }
  const [first] = await readAttempts(tx, row.id);
  if (first === undefined) throw new Error(`operation ${row.id} lost its first attempt`);
  return first.request;
};

const notEnded = {
  ...{ endedAt: null, result: null, finding: null, status: null, requestId: null },
  ...{ replayed: false, providerDate: null },
} as const;

/** From here on it must succeed: fence, attempt and lease are written together and committed before any byte leaves. */
const submit = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  request: ClaimRequest,
  account: ProviderAccount,
  workerName: string,
): Promise<ClaimResult> => {
  const bytes = await bytesFor(tx, row, account);
  // The provider cannot be asked for this in its own units, so nobody's approval of it can be carried out.
  if ('because' in bytes) return sendBack(tx, row, request, ['provider-cannot-express-it']);
  const { contract } = account.adapter;
  const nowMs = tx.now.getTime();
  const firstSentAt = row.firstSentAt ?? tx.now;
  const windowMs = Math.max(0, contract.keyWindowMs - contract.keyWindowMarginMs);
  const replayDeadline = row.replayDeadline ?? new Date(nowMs + windowMs);
  const leaseUntil = new Date(nowMs + request.settings.leaseMs);
  const number = row.attemptCount + 1;
  const fence = row.fence + 1;
  const answer = await changeOperation(tx, {
    operationId: row.id,
    expectedVersion: row.version,
    event: { type: request.kind === 'first' ? 'claim' : 'resubmit' },
    patch: {
      ...{ fence, firstSentAt, replayDeadline, leaseUntil, attemptCount: number, claimedBy: workerName },
      ...{ wakeAt: leaseUntil, nextCheckAt: null, deferredUntil: null, checkCount: 0, sentBack: null },
    },
    by: { actorId: null },
    data: { attempt: number, fence },
  });
  if (answer.kind !== 'moved') {
    // It stands before a person for a reason that stops sending; looked at again in case that was dealt with.
    await changeWake(tx, row.id, new Date(nowMs + (request.settings.checkBackoffMs.at(-1) ?? 60_000)));
    return { kind: 'not-ours', because: answer.kind === 'conflict' ? 'it changed' : answer.because };
  }
  tx.unsent.attempts.push({
    organisationId: tx.organisationId,
    operationId: row.id,
    number,
    fence,
    provider: row.provider,
    accountId: account.accountId,
    request: bytes,
    replayDeadline,
    startedAt: tx.now,
    ...notEnded,
  });
  tx.memory.attemptsOf.delete(row.id);
  return {
    kind: 'claimed',
    claimed: {
      organisationId: tx.organisationId,
      operationId: row.id,
      attemptNumber: number,
      fence,
      request: bytes,
      expected: expectedRequest(row),
      firstSend: request.kind === 'first',
    },
  };
};
