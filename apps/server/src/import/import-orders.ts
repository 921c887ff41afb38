import type { Engine, Principal } from '@holdfast/engine';
import {
  formatAmount,
  minorUnitDigits,
  orderInputSchema,
  type Order,
  type OrderInput,
} from '@holdfast/operation';
import { BadCell, every, optional, reasonOf, required, timeIn } from './cell.ts';
import type { Row } from './csv-file.ts';
import { decimalFault, parseDecimalAmount } from './decimal-amount.ts';
import { importFile, type Gathering, type ImportReport } from './grouped-import.ts';

/** Columns of an orders file: one row a line item, rows of one order together. Amounts in major units with a dot. */
export const orderColumns = [
  ...['order_id', 'customer_id', 'customer_name', 'payment_reference', 'captured', 'currency', 'placed_at'],
  ...['sku', 'title', 'quantity', 'line_amount', 'return_id', 'return_status', 'return_received_at'],
] as const;

type OrderHead = Pick<OrderInput, 'customer' | 'payment' | 'placedAt'>;
type Line = OrderInput['lines'][number];
type Return = OrderInput['returns'][number];

const currencyIn = (row: Row): string => {
  const currency = required(row, 'currency');
  if (minorUnitDigits(currency) !== undefined) return currency;
  throw new BadCell(`currency: "${currency}" is not an ISO 4217 currency code in upper case`);
};

const decimalIn = (row: Row, column: string): string => {
  const text = required(row, column);
  const fault = decimalFault(text);
  if (fault !== undefined) throw new BadCell(`${column}: ${fault}`);
  return text;
};

const amountIn = (row: Row, column: string): { minor: number; currency: string } => {
  const { text, currency } = every({
    text: () => decimalIn(row, column),
    currency: () => currencyIn(row),
  });
  const parsed = parseDecimalAmount(text, currency);
  if (!parsed.ok) throw new BadCell(`${column}: ${parsed.because}`);
  return { minor: parsed.minor, currency };
};

const headIn = (row: Row): OrderHead => {
  const { id, name, reference, captured, placedAt } = every({
    id: () => required(row, 'customer_id'),
    name: () => required(row, 'customer_name'),
    reference: () => required(row, 'payment_reference'),
    captured: () => amountIn(row, 'captured'),
    placedAt: () => timeIn(required(row, 'placed_at'), 'placed_at'),
  });
  return { customer: { id, name }, payment: { provider: 'stripe', reference, captured }, placedAt };
};

const quantityIn = (row: Row): number => {
  const quantity = required(row, 'quantity');
  if (!/^[1-9]\d{0,8}$/.test(quantity))
    throw new BadCell(`quantity "${quantity}" is not a whole number above zero`);
  return Number(quantity);
};

/** A row may carry a line item, a return, or both. */
const lineIn = (row: Row): Line | undefined => {
  if (['sku', 'title', 'quantity', 'line_amount'].every((column) => optional(row, column) === undefined)) {
    return undefined;
  }
  return every({
    sku: () => required(row, 'sku'),
    title: () => required(row, 'title'),
    quantity: () => quantityIn(row),
    amount: () => amountIn(row, 'line_amount'),
  });
};

const returnStatusIn = (row: Row): Return['status'] => {
  const status = required(row, 'return_status');
  if (status === 'expected' || status === 'received' || status === 'rejected') return status;
  throw new BadCell(`return_status "${status}" is not one of expected, received, rejected`);
};

const returnIn = (row: Row): Return | undefined => {
  const id = optional(row, 'return_id');
  if (id === undefined) {
    if (optional(row, 'return_status') !== undefined)
      throw new BadCell('return_status is given without return_id');
    return undefined;
  }
  const { status, receivedAt } = every({
    status: () => returnStatusIn(row),
    receivedAt: () => {
      const text = optional(row, 'return_received_at');
      return text === undefined ? undefined : timeIn(text, 'return_received_at');
    },
  });
  return { id, status, ...(receivedAt === undefined ? {} : { receivedAt }) };
};

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const demandSchema = (order: OrderInput): void => {
  const parsed = orderInputSchema.safeParse(order);
  if (parsed.success) return;
  throw new BadCell(
    ...parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'order'}: ${message}`),
  );
};

export const gatherOrder = (): Gathering<OrderInput> => {
  let head: OrderHead | undefined;
  const lines: Line[] = [];
  const returns = new Map<string, Return>();

  const headLikeFirst = (row: Row): OrderHead => {
    const found = headIn(row);
    if (head === undefined || same(head, found)) return found;
    throw new BadCell('customer, payment or placed_at differ from the first row of this order');
  };
  const returnLikeEarlier = (row: Row): Return | undefined => {
    const back = returnIn(row);
    const known = back === undefined ? undefined : returns.get(back.id);
    if (known === undefined || same(known, back)) return back;
    throw new BadCell(`return ${known.id} differs from an earlier row`);
  };

  const takeRow = (row: Row): void => {
    const { found, line, back } = every({
      found: () => headLikeFirst(row),
      line: () => lineIn(row),
      back: () => returnLikeEarlier(row),
    });
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

/** Lines above what was captured may be right (a voucher paid the rest); they may be a slip of the export, too. */
const linesAboveCaptured = ({ lines, payment }: OrderInput): string | undefined => {
  const sum = lines.reduce((total, { amount }) => total + amount.minor, 0);
  return sum > payment.captured.minor
    ? `its lines add up to more than the ${formatAmount(payment.captured)} that were captured; taken as it is`
    : undefined;
};

/** Takes a shop's export. The same file again changes nothing. */
export const importOrders = (engine: Engine, who: Principal, file: string): Promise<ImportReport> =>
  importFile<OrderInput, Order>(file, {
    columns: orderColumns,
    idColumn: 'order_id',
    gather: gatherOrder,
    oddity: linesAboveCaptured,
    put: (id, input) => engine.putOrder(who, id, input),
  });
