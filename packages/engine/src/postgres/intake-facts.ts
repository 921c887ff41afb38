import { and, eq, ne } from 'drizzle-orm';
import type { judgeEligibility, LedgerRefund } from '@holdfast/operation';
import type { PaymentNeighbour, ProposalFacts } from '../intake/judge-propose.ts';
import { amountOf } from '../query/operation-view.ts';
import type { OrganisationTransaction } from './connection.ts';
import { readOperation, readOrganisation, viewOperations, type ProviderNames } from './operation-reader.ts';
import {
  mirrorRefunds,
  operations,
  orders,
  returns,
  type OperationRow,
  type OrderRow,
  type PaymentRow,
} from './schema.ts';

export const readOrder = async (
  tx: OrganisationTransaction,
  orderId: string,
): Promise<OrderRow | undefined> => {
  const [row] = await tx.db
    .select()
    .from(orders)
    .where(and(eq(orders.organisationId, tx.organisationId), eq(orders.orderId, orderId)));
  return row;
};

/** Standing refunds of a payment in the provider's ledger, as far as the mirror has seen them. */
export const readLedgerRefunds = async (
  tx: OrganisationTransaction,
  provider: string,
  paymentReference: string,
): Promise<readonly LedgerRefund[]> => {
  const rows = await tx.db
    .select({ refund: mirrorRefunds, holder: operations.id })
    .from(mirrorRefunds)
    // Made elsewhere, it is still an operation's where people took it for that one.
    .leftJoin(
      operations,
      and(
        eq(operations.organisationId, mirrorRefunds.organisationId),
        eq(operations.provider, mirrorRefunds.provider),
        eq(operations.paymentReference, mirrorRefunds.paymentReference),
        eq(operations.providerReference, mirrorRefunds.reference),
      ),
    )
    .where(
      and(
        eq(mirrorRefunds.organisationId, tx.organisationId),
        eq(mirrorRefunds.provider, provider),
        eq(mirrorRefunds.paymentReference, paymentReference),
        ne(mirrorRefunds.status, 'failed'),
      ),
    );
  return rows.map(({ refund, holder }) => ({
    reference: refund.reference,
    amount: { minor: refund.amountMinor, currency: refund.currency },
    atMs: refund.providerCreatedAt.getTime(),
    paymentReference: refund.paymentReference,
    organisationId: holder === null ? refund.metadataOrganisationId : tx.organisationId,
    operationId: holder ?? refund.metadataOperationId,
  }));
};

const readNeighbours = async (
  tx: OrganisationTransaction,
  payment: PaymentRow,
  operationId: string,
  providerName: ProviderNames,
): Promise<readonly PaymentNeighbour[]> => {
  const rows = await tx.db
    .select()
    .from(operations)
    .where(
      and(
        eq(operations.organisationId, tx.organisationId),
        eq(operations.provider, payment.provider),
        eq(operations.paymentReference, payment.paymentReference),
        ne(operations.id, operationId),
      ),
    );
  const views = await viewOperations(tx, rows, providerName);
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
  const returnRows = await tx.db
    .select({ id: returns.returnId, status: returns.status })
    .from(returns)
    .where(and(eq(returns.organisationId, tx.organisationId), eq(returns.orderId, order.orderId)));
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
    returns: returnRows,
    neighbours: await readNeighbours(tx, payment, subject.operationId, providerName),
    refunds: await readLedgerRefunds(tx, payment.provider, payment.paymentReference),
    replaced: await readReplaced(tx, subject.replaces),
  };
};

/** The order of an accepted operation; its existence is kept by a foreign key. */
export const orderOf = async (tx: OrganisationTransaction, row: OperationRow): Promise<OrderRow> => {
  const order = row.orderId === null ? undefined : await readOrder(tx, row.orderId);
  if (order === undefined) throw new Error(`operation ${row.id} has no order`);
  return order;
};
