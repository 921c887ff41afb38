import type { Engine, Principal } from '@holdfast/engine';
import { orderInputSchema, type Order, type OrderInput } from '@holdfast/operation';
import { BadCell, optional, reasonOf, required, timeIn } from './cell.ts';
import type { Row } from './csv-file.ts';
import { parseDecimalAmount } from './decimal-amount.ts';
import { importFile, type Gathering, type ImportReport } from './grouped-import.ts';

/** Columns of an orders file: one row a line item, rows of one order together. Amounts in major units with a dot. */
export const orderColumns = [
  ...['order_id', 'customer_id', 'customer_name', 'payment_reference', 'captured', 'currency', 'placed_at'],
  ...['sku', 'title', 'quantity', 'line_amount', 'return_id', 'return_status', 'return_received_at'],
] as const;

type OrderHead = Pick<OrderInput, 'customer' | 'payment' | 'placedAt'>;
type Line = OrderInput['lines'][number];
type Return = OrderInput['returns'][number];

const amountIn = (row: Row, column: string, currency: string): { minor: number; currency: string } => {
  const parsed = parseDecimalAmount(required(row, column), currency);
  if (!parsed.ok) throw new BadCell(`${column}: ${parsed.because}`);
  return { minor: parsed.minor, currency };
};

const headIn = (row: Row): OrderHead => ({
  customer: { id: required(row, 'customer_id'), name: required(row, 'customer_name') },
  payment: {
    provider: 'stripe',
    reference: required(row, 'payment_reference'),
    captured: amountIn(row, 'captured', required(row, 'currency')),
  },
  placedAt: timeIn(required(row, 'placed_at'), 'placed_at'),
});

/** A row may carry a line item, a return, or both. */
const lineIn = (row: Row): Line | undefined => {
  if (['sku', 'title', 'quantity', 'line_amount'].every((column) => optional(row, column) === undefined)) {
    return undefined;
  }
  const quantity = required(row, 'quantity');
  if (!/^[1-9]\d{0,8}$/.test(quantity))
    throw new BadCell(`quantity "${quantity}" is not a whole number above zero`);
  return {
    sku: required(row, 'sku'),
    title: required(row, 'title'),
    quantity: Number(quantity),
    amount: amountIn(row, 'line_amount', required(row, 'currency')),
  };
};

const returnIn = (row: Row): Return | undefined => {
  const id = optional(row, 'return_id');
  if (id === undefined) {
    if (optional(row, 'return_status') !== undefined)
      throw new BadCell('return_status is given without return_id');
    return undefined;
  }
  const status = required(row, 'return_status');
  if (status !== 'expected' && status !== 'received' && status !== 'rejected') {
    throw new BadCell(`return_status "${status}" is not one of expected, received, rejected`);
  }
  const receivedAt = optional(row, 'return_received_at');
  return {
    id,
    status,
    ...(receivedAt === undefined ? {} : { receivedAt: timeIn(receivedAt, 'return_received_at') }),
  };
};

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const demandSchema = (order: OrderInput): void => {
  const parsed = orderInputSchema.safeParse(order);
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  throw new BadCell(`${issue?.path.join('.') ?? 'order'}: ${issue?.message ?? 'is not valid'}`);
};

export const gatherOrder = (): Gathering<OrderInput> => {
  let head: OrderHead | undefined;
  const lines: Line[] = [];
  const returns = new Map<string, Return>();

  const takeRow = (row: Row): void => {
    const found = headIn(row);
    if (head !== undefined && !same(head, found)) {
      throw new BadCell('customer, payment or placed_at differ from the first row of this order');
    }
    const line = lineIn(row);
    const back = returnIn(row);
    const known = back === undefined ? undefined : returns.get(back.id);
    if (known !== undefined && !same(known, back))
      throw new BadCell(`return ${known.id} differs from an earlier row`);
    demandSchema({
      ...found,
      lines: line === undefined ? [] : [line],
      returns: back === undefined ? [] : [back],
    });
    head = found;
    if (line !== undefined) lines.push(line);
    if (back !== undefined) returns.set(back.id, back);
  };

  return {
    take: (row) =>
      reasonOf(() => {
        takeRow(row);
      }),
    finish: () => (head === undefined ? undefined : { ...head, lines, returns: [...returns.values()] }),
  };
};

/** Takes a shop's export. The same file again changes nothing. */
export const importOrders = (engine: Engine, who: Principal, file: string): Promise<ImportReport> =>
  importFile<OrderInput, Order>(file, {
    columns: orderColumns,
    idColumn: 'order_id',
    gather: gatherOrder,
    put: (id, input) => engine.putOrder(who, id, input),
  });
