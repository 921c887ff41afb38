import type { judgeEligibility, LedgerRefund } from '@holdfast/operation';
import type { PaymentNeighbour, ProposalFacts } from '../intake/judge-propose.ts';
import { amountOf } from '../query/operation-view.ts';
import type { OrganisationTransaction } from './connection.ts';
import {
  readOperation,
  readOperations,
  readOrganisation,
  viewOperationsAlone,
  type ProviderNames,
} from './operation-reader.ts';
import { codecOf } from './row-codec.ts';
import {
  operations,
  orders,
  returns,
  type OperationRow,
  type OrderRow,
  type PaymentRow,
  type ReturnRow,
} from './schema.ts';
import { readSeenRefunds } from './seen-refunds.ts';
import { paymentKey } from './working-memory.ts';

const orderCodec = codecOf(orders);
const returnCodec = codecOf(returns);
const operationCodec = codecOf(operations);

export const readOrder = async (
  tx: OrganisationTransaction,
  orderId: string,
): Promise<OrderRow | undefined> => {
  const known = tx.memory.orders.get(orderId);
  if (known !== undefined) return known ?? undefined;
  const [row] = await tx.rows(orderCodec, 'where t.org_id = $1 and t.order_id = $2', [
    tx.organisationId,
    orderId,
  ]);
  return row;
};

export const readReturns = async (
  tx: OrganisationTransaction,
  orderId: string,
): Promise<readonly ReturnRow[]> =>
  tx.memory.returnsOf.get(orderId) ??
  (await tx.rows(returnCodec, 'where t.org_id = $1 and t.order_id = $2', [tx.organisationId, orderId]));

/** Standing refunds of a payment in the provider's ledger, as far as the mirror has seen them. */
const readLedgerRefunds = async (
  tx: OrganisationTransaction,
  payment: PaymentRow,
): Promise<readonly LedgerRefund[]> => {
  const seen = await readSeenRefunds(tx, payment.provider, payment.paymentReference);
  return seen
    .filter(({ refund }) => refund.status !== 'failed')
    .map(({ refund, holder }) => ({
      reference: refund.reference,
      amount: { minor: refund.amountMinor, currency: refund.currency },
      atMs: refund.providerCreatedAt.getTime(),
      paymentReference: refund.paymentReference,
      // Made elsewhere, it is still an operation's where people took it for that one.
      organisationId: holder === null ? refund.metadataOrganisationId : tx.organisationId,
      operationId: holder ?? refund.metadataOperationId,
    }));
};

/** All operations of a payment, whose lock the caller holds. */
export const operationsOfPayment = async (
  tx: OrganisationTransaction,
  { provider, paymentReference }: Pick<PaymentRow, 'provider' | 'paymentReference'>,
): Promise<readonly OperationRow[]> => {
  const known = tx.memory.operationsOf.get(paymentKey(provider, paymentReference));
  if (known !== undefined) return readOperations(tx, [...known]);
  return tx.rows(operationCodec, 'where t.org_id = $1 and t.provider = $2 and t.payment_reference = $3', [
    tx.organisationId,
    provider,
    paymentReference,
  ]);
};

const readNeighbours = async (
  tx: OrganisationTransaction,
  payment: PaymentRow,
  operationId: string,
  providerName: ProviderNames,
): Promise<readonly PaymentNeighbour[]> => {
  const rows = (await operationsOfPayment(tx, payment)).filter(({ id }) => id !== operationId);
  const views = await viewOperationsAlone(tx, rows, providerName);
  return rows.map((row, index) => ({
    id: row.id,
    state: row.state,
    paymentReference: row.paymentReference,
    amount: amountOf(row),
    returnId: row.returnId,
    lines: row.lines,
    ticketId: row.ticketId,
    attention: row.attention,
    sentence: views[index]?.sentence ?? '',
  }));
};

const readReplaced = async (
  tx: OrganisationTransaction,
  replaces: string | null | undefined,
): Promise<Parameters<typeof judgeEligibility>[0]['replaces']> => {
  if (replaces === null || replaces === undefined) return undefined;
  const row = await readOperation(tx, replaces);
  return row === undefined ? null : { state: row.state, orderId: row.orderId };
};

/** Everything a proposal or an approval is judged by. The caller holds the payment's lock. */
export const readProposalFacts = async (
  tx: OrganisationTransaction,
  subject: { readonly operationId: string; readonly replaces?: string | null | undefined },
  order: OrderRow,
  payment: PaymentRow,
  providerName: ProviderNames,
): Promise<ProposalFacts> => {
  const returnRows = await readReturns(tx, order.orderId);
  const { policy, generation } = await readOrganisation(tx);
  return {
    nowMs: tx.now.getTime(),
    policy,
    generation,
    organisationId: tx.organisationId,
    order: {
      id: order.orderId,
      placedAtMs: order.placedAt.getTime(),
      paymentReference: order.paymentReference,
    },
    payment,
    returns: returnRows.map(({ returnId, status }) => ({ id: returnId, status })),
    neighbours: await readNeighbours(tx, payment, subject.operationId, providerName),
    refunds: await readLedgerRefunds(tx, payment),
    replaced: await readReplaced(tx, subject.replaces),
  };
};

/** The order of an accepted operation; its existence is kept by a foreign key. */
export const orderOf = async (tx: OrganisationTransaction, row: OperationRow): Promise<OrderRow> => {
  const order = row.orderId === null ? undefined : await readOrder(tx, row.orderId);
  if (order === undefined) throw new Error(`operation ${row.id} has no order`);
  return order;
};
