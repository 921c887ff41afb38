import {
  judgeLastCheck,
  type Approval,
  type LastCheckFacts,
  type LastCheckVerdict,
  type Policy,
  type ProviderRecord,
} from '@holdfast/operation';
import { lastCheckSource, type LastCheckNeed } from '../claim/last-check-source.ts';
import type { ClaimRequest } from '../claim/claim-approved.ts';
import type { ProviderAccount } from '../engine-interface.ts';
import { isProposer, lackingOf, proposalLackingOf } from './approval-standing.ts';
import { lockPayment } from './change-operation.ts';
import { readProviderSide } from './claim-store-provider-side.ts';
import type { OrganisationTransaction } from './connection.ts';
import { operationsOfPayment, readOrder, readReturns } from './intake-facts.ts';
import { readPosition } from './mirror-store-position.ts';
import { readApprovals, readOperation, readOperations, readOrganisation } from './operation-reader.ts';
import type { OperationRow, OrderRow, PaymentRow } from './schema.ts';
import type { OrganisationFacts } from './working-memory.ts';

/** An operation with everything that a proposal brings: only a remembered cancellation has less, and it is never claimed. */
export type WholeOperation = OperationRow & {
  readonly provider: string;
  readonly paymentReference: string;
  readonly orderId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly fingerprint: string;
};

export const isWhole = (row: OperationRow): row is WholeOperation =>
  row.provider !== null &&
  row.paymentReference !== null &&
  row.orderId !== null &&
  row.amountMinor !== null &&
  row.currency !== null &&
  row.fingerprint !== null;

/** The rows an operation stands on. Under the payment's lock these are the figures that count. */
export type Ground = {
  readonly organisation: OrganisationFacts;
  readonly order: Pick<OrderRow, 'placedAt'>;
  readonly payment: PaymentRow;
};

/** The caller holds the payment. */
export const readGround = async (tx: OrganisationTransaction, row: WholeOperation): Promise<Ground> => {
  const payment = await lockPayment(tx, row.provider, row.paymentReference);
  const order = await readOrder(tx, row.orderId);
  if (order === undefined || payment === undefined) throw new Error(`operation ${row.id} lost its order`);
  return { organisation: await readOrganisation(tx), order, payment };
};

/** Whether the facts about the provider's side are as fresh as this operation needs them, and our key is good. */
const readFreshness = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  ground: Ground,
  request: Pick<ClaimRequest, 'kind' | 'account' | 'askedSinceMs' | 'settings'>,
): Promise<{ readonly fresh: boolean; readonly keyRefused: boolean }> => {
  if (request.account === null) return { fresh: false, keyRefused: false };
  const { contract } = request.account.adapter;
  if (contract.lookUp !== 'by-payment') {
    const own = await readNeed(tx, row, ground, request.account, request.kind === 'resubmission');
    const { keyRefused } = await readPosition(tx, request.account);
    const recordServes =
      lastCheckSource(own, contract) === 'our-record' && !(await someAreToBeApplied(tx, row));
    return { fresh: recordServes, keyRefused };
  }
  const { askedAt } = ground.payment;
  // A question and its answer take no longer than this; an answer that lay around since is no last look.
  const longestMs = 2 * request.settings.providerTimeoutMs;
  const oldestMs = Math.max(request.askedSinceMs ?? 0, tx.now.getTime() - longestMs);
  if (request.askedSinceMs !== null && askedAt !== null && askedAt.getTime() >= oldestMs) {
    return { fresh: true, keyRefused: false };
  }
  const { keyRefused } = await readPosition(tx, request.account);
  if (request.askedSinceMs !== null || keyRefused) return { fresh: false, keyRefused };
  const need = await readNeed(tx, row, ground, request.account, request.kind === 'resubmission');
  return { fresh: lastCheckSource(need, contract) === 'mirror', keyRefused };
};

/**
 * Whether the provider told of this payment what is not in our record yet. Where it can not be asked, that is the only
 * news there will ever be of a refund made by hand.
 */
const someAreToBeApplied = async (tx: OrganisationTransaction, row: WholeOperation): Promise<boolean> => {
  const waiting = await tx.ask(
    `select from provider_events
      where org_id = $1 and wake_at is not null and provider = $2 and payment_reference = $3 limit 1`,
    [tx.organisationId, row.provider, row.paymentReference],
  );
  return waiting.length > 0;
};

export const readNeed = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  {
    organisation,
    payment,
  }: { readonly organisation: OrganisationFacts; readonly payment: Pick<PaymentRow, 'askedAt'> },
  account: ProviderAccount,
  resubmission: boolean,
): Promise<LastCheckNeed> => {
  const position = await readPosition(tx, account);
  return {
    nowMs: tx.now.getTime(),
    mirror: {
      readAtMs: position.readAtMs,
      unbrokenSinceMs: position.unbrokenSinceMs,
      paymentAskedAtMs: payment.askedAt?.getTime() ?? null,
    },
    resubmission,
    replacesAnother: row.replaces !== null,
    olderThanHistory: organisation.generation !== row.generation,
  };
};

const approvalsInForce = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  policy: Policy,
): Promise<readonly Approval[]> => {
  const approvals: Approval[] = [];
  const inForce = (await readApprovals(tx, [row.id])).get(row.id) ?? [];
  for (const given of inForce) {
    const { person, approvedAt, fingerprint } = given;
    const by = (await isProposer(tx, row, given)) ? row.proposedPerson : person;
    const lacking = await lackingOf(tx, policy, row, given);
    approvals.push({ by, atMs: approvedAt.getTime(), fingerprint, lacking });
  }
  return approvals;
};

export type LastCheck = {
  readonly verdict: LastCheckVerdict;
  readonly notBeforeMs: number | null;
  readonly keyRefused: boolean;
  /** Refunds of ours at the provider that no operation accounts for, whatever the verdict. None: all are explained. */
  readonly unaccounted: readonly ProviderRecord[];
};

/** The last check itself, on what the claiming transaction sees under its locks. */
export const lastCheckOf = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  ground: Ground,
  request: ClaimRequest,
): Promise<LastCheck> => {
  const { fresh, keyRefused } = await readFreshness(tx, row, ground, request);
  const notBeforeMs = Math.max(
    row.deferredUntil?.getTime() ?? 0,
    request.accountPausedForMs > 0 ? tx.now.getTime() + request.accountPausedForMs : 0,
  );
  const facts = await readFacts(tx, row, ground, request, fresh, notBeforeMs);
  return {
    verdict: judgeLastCheck(facts),
    notBeforeMs: facts.notBeforeMs,
    keyRefused,
    unaccounted: facts.provider.kind === 'seen' ? facts.provider.unaccounted : [],
  };
};

const readFacts = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  { organisation, order, payment }: Ground,
  request: ClaimRequest,
  providerSeen: boolean,
  notBeforeMs: number,
): Promise<LastCheckFacts> => {
  const { named, ...side } = await readProviderSide(tx, row, payment.disputed);
  const onPayment = await aboutPayment(tx, row, named);
  // Where records name nobody, two equal refunds of a payment could never be told apart.
  const isTwin = (amountMinor: number | null): boolean =>
    request.account?.adapter.contract.echoesReference === false && amountMinor === row.amountMinor;
  const ofReturns = row.reason === 'returned' ? await readReturns(tx, row.orderId) : [];
  return {
    resubmission: request.kind === 'resubmission',
    onHold: organisation.holdOn,
    hasProviderAccount: request.account !== null,
    undoUntilMs: row.undoUntil?.getTime() ?? null,
    notBeforeMs: notBeforeMs === 0 ? null : notBeforeMs,
    anotherInFlightOnPayment: onPayment.some(
      ({ id, state, amountMinor }) =>
        id !== row.id && (state === 'submitting' || (state === 'outcome_unknown' && isTwin(amountMinor))),
    ),
    fingerprint: row.fingerprint,
    proposedBy: row.proposedPerson,
    approvals: await approvalsInForce(tx, row, organisation.policy),
    eligibility: {
      nowMs: tx.now.getTime(),
      policy: organisation.policy,
      order: { id: row.orderId, placedAtMs: order.placedAt.getTime() },
      payment,
      returns: ofReturns.map(({ returnId, status }) => ({ id: returnId, status })),
      reason: row.reason ?? 'other',
      note: row.note,
      returnId: row.returnId,
      amount: { minor: row.amountMinor, currency: row.currency },
      operationId: row.id,
      overLimits: await proposalLackingOf(tx, organisation.policy, row),
      paymentOperations: onPayment.map(({ id, attention }) => ({
        id,
        attention: attention.map(({ reason }) => reason),
      })),
    },
    ownReservationMinor: row.amountMinor,
    // Without a fresh look the mirror still says what it knows; only "nothing stands against it" needs the look.
    provider: providerSeen || side.unaccounted.length > 0 ? side : { kind: 'no-answer' },
    elsewhereKnownAtApproval: row.knownElsewhere.map(({ reference }) => reference),
    replaced: await readReplaced(tx, row),
  };
};

type AboutPayment = Pick<OperationRow, 'id' | 'state' | 'attention' | 'amountMinor'>;

/** All operations of the payment; a remembered cancellation knows none, only its refund tells that it is about this one. */
const aboutPayment = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  named: readonly string[],
): Promise<readonly AboutPayment[]> => {
  const onPayment = await operationsOfPayment(tx, row);
  const others = named.filter((id) => !onPayment.some((one) => one.id === id));
  return [...onPayment, ...(await readOperations(tx, others))];
};

const readReplaced = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
): Promise<LastCheckFacts['replaced']> => {
  if (row.replaces === null) return null;
  const replaced = await readOperation(tx, row.replaces);
  if (replaced === undefined) return null;
  const contradicted = replaced.attention.some(({ reason }) => reason === 'contradicted');
  return { id: replaced.id, state: replaced.state, contradicted };
};
