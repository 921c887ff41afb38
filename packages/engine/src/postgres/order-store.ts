import { and, eq, notInArray, sql } from 'drizzle-orm';
import type { Order, OrderInput } from '@holdfast/operation';
import { judgeOrder, type KnownOrder, type OrderFacts } from '../catalogue/judge-order.ts';
import type { PutAnswer } from '../engine-interface.ts';
import type { ProviderUnits } from '../intake/judge-provider-money.ts';
import { lockPayment } from './change-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import { touchOrdersOfPayment, writeFeed } from './feed-writer.ts';
import { viewOrders } from './order-reader.ts';
import { operations, orders, payments, returns, type OrderRow, type PaymentRow } from './schema.ts';

/**
 * Takes in the shop's own record of an order. The same record again changes nothing. `units`: the provider's, by which
 * the currency is judged; without them it is not.
 */
export const putOrder = async (
  tx: OrganisationTransaction,
  orderId: string,
  input: OrderInput,
  accountId: string | null,
  units?: ProviderUnits,
): Promise<PutAnswer<Order>> => {
  const { provider, reference, captured } = input.payment;
  const heldByAnother = await heldElsewhere(tx, provider, reference, accountId);
  // The payment is locked before the order, like everywhere.
  const payment = heldByAnother ? undefined : await lockPayment(tx, provider, reference);
  const order = await lockOrder(tx, orderId);
  const facts = await factsOf(tx, orderId, order, payment, heldByAnother);
  const verdict = judgeOrder(input, facts, units);
  switch (verdict.kind) {
    case 'refuse':
      return { ok: false, problem: verdict.problem };
    case 'unchanged':
      return { ok: true, item: await view(tx, order), created: false, changed: false };
    case 'write': {
      await writePayment(tx, payment, { provider, reference, accountId, captured });
      const row = await writeOrder(tx, orderId, input);
      await writeReturns(tx, orderId, input.returns);
      writeFeed(tx, [{ subject: 'order', subjectId: orderId, version: row.version }]);
      return { ok: true, item: await view(tx, row), created: verdict.created, changed: true };
    }
  }
};

const view = async (tx: OrganisationTransaction, row: OrderRow | undefined): Promise<Order> => {
  const [order] = row === undefined ? [] : await viewOrders(tx, [row]);
  if (order === undefined) throw new Error('an order that was just written can be read');
  return order;
};

const heldElsewhere = async (
  tx: OrganisationTransaction,
  provider: string,
  reference: string,
  accountId: string | null,
): Promise<boolean> => {
  const [row] = await tx.db.execute<{ held: boolean }>(
    sql`select payment_held_by_another(${provider}, ${reference}, ${tx.organisationId}, ${accountId}) as held`,
  );
  return row?.held === true;
};

const lockOrder = async (tx: OrganisationTransaction, orderId: string): Promise<OrderRow | undefined> => {
  const [row] = await tx.db
    .select()
    .from(orders)
    .where(and(eq(orders.organisationId, tx.organisationId), eq(orders.orderId, orderId)))
    .for('update');
  return row;
};

const factsOf = async (
  tx: OrganisationTransaction,
  orderId: string,
  order: OrderRow | undefined,
  payment: PaymentRow | undefined,
  heldByAnother: boolean,
): Promise<OrderFacts> => {
  const ofOrganisation = eq(operations.organisationId, tx.organisationId);
  const byOrder = await tx.db.$count(operations, and(ofOrganisation, eq(operations.orderId, orderId)));
  const byPayment =
    payment === undefined
      ? 0
      : await tx.db.$count(
          operations,
          and(
            ofOrganisation,
            eq(operations.provider, payment.provider),
            eq(operations.paymentReference, payment.paymentReference),
          ),
        );
  return {
    orderId,
    known: order && (await knownOrder(tx, order)),
    usedByOperations: byOrder > 0,
    heldByAnother,
    paymentCurrency: payment?.currency,
    paymentUsed: byPayment > 0,
  };
};

const knownOrder = async (tx: OrganisationTransaction, row: OrderRow): Promise<KnownOrder> => {
  const shown = await view(tx, row);
  return {
    customer: shown.customer,
    payment: {
      provider: shown.payment.provider,
      reference: shown.payment.reference,
      captured: shown.payment.captured,
    },
    lines: shown.lines,
    returns: shown.returns,
    placedAt: shown.placedAt,
  };
};

type PaymentInput = {
  readonly provider: string;
  readonly reference: string;
  readonly accountId: string | null;
  readonly captured: { readonly minor: number; readonly currency: string };
};

const writePayment = async (
  tx: OrganisationTransaction,
  known: PaymentRow | undefined,
  { provider, reference, accountId, captured }: PaymentInput,
): Promise<void> => {
  await tx.db
    .insert(payments)
    .values({
      organisationId: tx.organisationId,
      provider,
      paymentReference: reference,
      accountId,
      currency: captured.currency,
      captured: captured.minor,
      createdAt: tx.now,
      updatedAt: tx.now,
    })
    .onConflictDoUpdate({
      target: [payments.organisationId, payments.provider, payments.paymentReference],
      set: {
        currency: captured.currency,
        captured: captured.minor,
        accountId: sql`coalesce(${payments.accountId}, excluded.account_id)`,
        updatedAt: tx.now,
      },
    });
  // Other orders of the same payment show its figures too.
  if (known !== undefined && known.captured !== captured.minor) touchOrdersOfPayment(tx, provider, reference);
};

const writeOrder = async (
  tx: OrganisationTransaction,
  orderId: string,
  input: OrderInput,
): Promise<OrderRow> => {
  const columns = {
    customerId: input.customer.id,
    customerName: input.customer.name,
    provider: input.payment.provider,
    paymentReference: input.payment.reference,
    lines: input.lines,
    placedAt: new Date(input.placedAt),
    updatedAt: tx.now,
  };
  const [row] = await tx.db
    .insert(orders)
    .values({ organisationId: tx.organisationId, orderId, createdAt: tx.now, ...columns })
    .onConflictDoUpdate({
      target: [orders.organisationId, orders.orderId],
      set: { ...columns, version: sql`${orders.version} + 1` },
    })
    .returning();
  if (row === undefined) throw new Error(`order ${orderId} was not written`);
  return row;
};

const writeReturns = async (
  tx: OrganisationTransaction,
  orderId: string,
  given: OrderInput['returns'],
): Promise<void> => {
  const ofOrder = and(eq(returns.organisationId, tx.organisationId), eq(returns.orderId, orderId));
  const ids = given.map(({ id }) => id);
  await tx.db
    .delete(returns)
    .where(ids.length === 0 ? ofOrder : and(ofOrder, notInArray(returns.returnId, ids)));
  for (const { id, status, receivedAt } of given) {
    const columns = { status, receivedAt: receivedAt === undefined ? null : new Date(receivedAt) };
    await tx.db
      .insert(returns)
      .values({ organisationId: tx.organisationId, orderId, returnId: id, ...columns })
      .onConflictDoUpdate({
        target: [returns.organisationId, returns.orderId, returns.returnId],
        set: columns,
      });
  }
};
