import { and, desc, eq, ilike, or, sql, type SQL } from 'drizzle-orm';
import type { Order } from '@holdfast/operation';
import type { Page } from '../engine-interface.ts';
import { viewOfOrder } from '../query/order-view.ts';
import type { OrganisationTransaction } from './connection.ts';
import { groupedBy } from './grouped.ts';
import { anywhere, decodePosition, encodePosition, pageSize } from './page-cursor.ts';
import { codecOf } from './row-codec.ts';
import { orders, payments, returns, type OrderRow } from './schema.ts';

const paymentCodec = codecOf(payments);
const returnCodec = codecOf(returns);
const orderCodec = codecOf(orders);
const operationsOfOrdersText = `select id, order_id as "orderId" from operations
  where org_id = $1 and order_id = any($2::text[]) order by created_at, id`;

/** Orders as people see them, in the order given. */
export const viewOrders = async (
  tx: OrganisationTransaction,
  rows: readonly OrderRow[],
): Promise<readonly Order[]> => {
  if (rows.length === 0) return [];
  const orderIds = rows.map((row) => row.orderId);
  const references = [...new Set(rows.map((row) => row.paymentReference))];
  const ofOrganisation = tx.organisationId;
  const [paymentRows, returnRows, operationRows] = await Promise.all([
    tx.rows(paymentCodec, 'where t.org_id = $1 and t.payment_reference = any($2::text[])', [
      ofOrganisation,
      references,
    ]),
    tx.rows(returnCodec, 'where t.org_id = $1 and t.order_id = any($2::text[]) order by t.return_id', [
      ofOrganisation,
      orderIds,
    ]),
    tx.ask<{ id: string; orderId: string | null }>(operationsOfOrdersText, [ofOrganisation, orderIds]),
  ]);
  const paymentOf = new Map(paymentRows.map((row) => [`${row.provider} ${row.paymentReference}`, row]));
  const returnsOf = groupedBy(returnRows, (row) => row.orderId);
  const operationsOf = groupedBy(operationRows, (row) => row.orderId);
  return rows.map((row) => {
    const payment = paymentOf.get(`${row.provider} ${row.paymentReference}`);
    if (payment === undefined) throw new Error(`order ${row.orderId} has no payment`);
    return viewOfOrder(
      row,
      payment,
      returnsOf.get(row.orderId) ?? [],
      (operationsOf.get(row.orderId) ?? []).map(({ id }) => id),
    );
  });
};

export const readOrdersByIds = async (
  tx: OrganisationTransaction,
  orderIds: readonly string[],
): Promise<OrderRow[]> =>
  orderIds.length === 0
    ? []
    : [
        ...(await tx.rows(orderCodec, 'where t.org_id = $1 and t.order_id = any($2::text[])', [
          tx.organisationId,
          orderIds,
        ])),
      ];

const matching = (text: string): SQL | undefined => {
  const pattern = anywhere(text);
  return or(
    ilike(orders.orderId, pattern),
    ilike(orders.customerId, pattern),
    ilike(orders.customerName, pattern),
    ilike(orders.paymentReference, pattern),
    ilike(sql`${orders.lines}::text`, pattern),
  );
};

/** Orders that contain the text, newest first. */
export const findOrders = async (
  tx: OrganisationTransaction,
  text: string,
  cursor: string | undefined,
  limit: number | undefined,
): Promise<Page<Order>> => {
  const size = pageSize(limit);
  const after = decodePosition(cursor);
  const rows = await tx.db
    .select()
    .from(orders)
    .where(
      and(
        eq(orders.organisationId, tx.organisationId),
        text.trim() === '' ? undefined : matching(text.trim()),
        after &&
          sql`(${orders.placedAt}, ${orders.orderId}) < (${after.at.toISOString()}::timestamptz, ${after.id})`,
      ),
    )
    .orderBy(desc(orders.placedAt), desc(orders.orderId))
    .limit(size + 1);
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return {
    items: await viewOrders(tx, shown),
    nextCursor: rows.length > size && last ? encodePosition({ at: last.placedAt, id: last.orderId }) : null,
  };
};
