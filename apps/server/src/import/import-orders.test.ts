import type { Engine } from '@holdfast/engine';
import type { OrderInput } from '@holdfast/operation';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineDouble } from '../../test/engine-double.ts';
import { commandLine } from '../command-line/workplace.ts';
import { UnusableFile } from './csv-file.ts';
import { importOrders, orderColumns } from './import-orders.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'holdfast-import-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** An engine that keeps orders and knows whether one changed. */
const shelf = () => {
  const orders = new Map<string, OrderInput>();
  const putOrder: Engine['putOrder'] = (_who, id, input) => {
    const before = orders.get(id);
    orders.set(id, structuredClone(input));
    const changed = JSON.stringify(before) !== JSON.stringify(input);
    return Promise.resolve({ ok: true, item: {} as never, created: before === undefined, changed });
  };
  return { orders, engine: engineDouble({ putOrder }).engine };
};

const header = orderColumns.join(',');
const row = (values: Partial<Record<(typeof orderColumns)[number], string>>): string =>
  orderColumns
    .map(
      (column) =>
        values[column] ??
        {
          order_id: '1',
          customer_id: 'c',
          customer_name: 'Ann',
          payment_reference: 'pi_1',
          captured: '49.99',
          currency: 'EUR',
          placed_at: '2026-11-01T10:00:00Z',
          sku: 's',
          title: 'Lamp',
          quantity: '1',
          line_amount: '49.99',
          return_id: '',
          return_status: '',
          return_received_at: '',
        }[column],
    )
    .join(',');

const run = async (contents: string | Uint8Array, kept = shelf()) => {
  const file = path.join(folder, 'orders.csv');
  await writeFile(file, contents);
  const report = await importOrders(kept.engine, commandLine('o'), file);
  return { report, orders: kept.orders };
};

const refusalOf = async (contents: string | Uint8Array): Promise<string> => {
  const kept = shelf();
  try {
    await run(contents, kept);
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    expect(kept.orders.size).toBe(0);
    return error.message;
  }
  throw new Error('the file was taken');
};

describe('orders from a file', () => {
  it('rows of one order become one order, with its lines and returns', async () => {
    const { report, orders } = await run(
      [
        header,
        row({
          sku: 'a',
          line_amount: '20.00',
          return_id: 'R1',
          return_status: 'received',
          return_received_at: '2026-11-09',
        }),
        row({
          sku: 'b',
          line_amount: '29.99',
          quantity: '2',
          return_id: 'R1',
          return_status: 'received',
          return_received_at: '2026-11-09',
        }),
        row({
          order_id: '2',
          payment_reference: 'pi_2',
          currency: 'KWD',
          captured: '1.005',
          line_amount: '1.005',
          customer_name: '"Al-Sabah, ""Noor"""',
        }),
      ].join('\r\n'),
    );
    expect(report).toEqual({ rows: 3, created: 2, changed: 0, unchanged: 0, badRows: [], warnings: [] });
    expect(orders.get('1')).toEqual({
      customer: { id: 'c', name: 'Ann' },
      payment: { provider: 'stripe', reference: 'pi_1', captured: { minor: 4_999, currency: 'EUR' } },
      lines: [
        { sku: 'a', title: 'Lamp', quantity: 1, amount: { minor: 2_000, currency: 'EUR' } },
        { sku: 'b', title: 'Lamp', quantity: 2, amount: { minor: 2_999, currency: 'EUR' } },
      ],
      returns: [{ id: 'R1', status: 'received', receivedAt: '2026-11-09T00:00:00.000Z' }],
      placedAt: '2026-11-01T10:00:00.000Z',
    });
    expect(orders.get('2')?.customer.name).toBe('Al-Sabah, "Noor"');
    expect(orders.get('2')?.payment.captured).toEqual({ minor: 1_005, currency: 'KWD' });
  });

  it('each bad row is reported with its number and reason, and every good one is taken', async () => {
    const { report, orders } = await run(
      [
        header,
        row({ order_id: 'good-1' }),
        row({ order_id: 'bad-amount', captured: '49,99' }).replace('49,99', '"49,99"'),
        row({ order_id: 'bad-currency', currency: 'EURO' }),
        row({ order_id: 'bad-time', placed_at: '2026-02-31' }),
        row({ order_id: 'bad-quantity', quantity: '0' }),
        row({ order_id: 'bad-return', return_id: 'R', return_status: 'lost' }),
        'too,few',
        row({ order_id: '' }),
        row({ order_id: 'good-2' }),
        row({ order_id: 'good-2', customer_name: 'Somebody else' }),
        row({ order_id: 'good-1' }),
      ].join('\n'),
    );
    expect(report.badRows.map((bad) => bad.row)).toEqual([3, 4, 5, 6, 7, 8, 9, 11, 12]);
    expect(report.badRows.map((bad) => bad.reason)).toEqual([
      expect.stringContaining('captured'),
      'currency: "EURO" is not an ISO 4217 currency code in upper case',
      expect.stringContaining('2026-02-31'),
      expect.stringContaining('quantity'),
      expect.stringContaining('lost'),
      expect.stringContaining('columns'),
      expect.stringContaining('order_id'),
      expect.stringContaining('differ'),
      expect.stringContaining('together'),
    ]);
    expect([...orders.keys()]).toEqual(['good-1', 'good-2']);
    expect(report.rows).toBe(11);
  });

  // Red when: `every` throws at the first part that is bad.
  it('a row with several faults is reported once, with all of them', async () => {
    const { report, orders } = await run(
      [
        header,
        row({
          captured: 'much',
          currency: 'EURO',
          placed_at: 'today',
          quantity: '0',
          line_amount: '',
          return_id: 'R',
          return_status: 'lost',
          return_received_at: 'later',
        }),
      ].join('\n'),
    );
    const [bad, ...others] = report.badRows;
    expect([bad?.row, others, orders.size]).toEqual([2, [], 0]);
    const columns = (bad?.reason ?? '').split('; ').map((fault) => fault.split(/[ :]/)[0]);
    expect(columns).toEqual([
      ...['captured', 'currency', 'placed_at', 'quantity', 'line_amount'],
      ...['return_status', 'return_received_at'],
    ]);
  });

  // Red when: `oddity` refuses the order, is never asked, or speaks of lines that add up to what was captured.
  it('an order whose lines add up to more than was captured is taken, with a warning', async () => {
    const { report, orders } = await run(
      [
        header,
        row({ order_id: 'even', line_amount: '49.99' }),
        row({ order_id: 'above', line_amount: '49.99' }),
        row({ order_id: 'above', line_amount: '0.01' }),
      ].join('\n'),
    );
    expect(report).toMatchObject({ created: 2, badRows: [], warnings: [{ row: 3 }] });
    expect(orders.get('above')?.lines).toHaveLength(2);
  });

  it('the same file twice changes nothing', async () => {
    const kept = shelf();
    const contents = [header, row({}), row({ order_id: '2', payment_reference: 'pi_2' })].join('\n');
    await run(contents, kept);
    const { report } = await run(contents, kept);
    expect(report).toMatchObject({ created: 0, changed: 0, unchanged: 2, badRows: [] });
  });

  it('a file that cannot be used is named as such, and nothing of it is taken', async () => {
    const good = [header, row({}), row({ order_id: '2' })].join('\n');
    expect(await refusalOf(good.replaceAll(',', ';'))).toContain('semicolons');
    expect(await refusalOf(good.replaceAll(',', '\t'))).toContain('tabs');
    expect(await refusalOf(Buffer.from(good.replace('Ann', 'Zoë'), 'latin1'))).toContain(
      'not encoded as UTF-8',
    );
    expect(await refusalOf(Buffer.from(`\uFEFF${good}`, 'utf16le'))).toContain('UTF-16');
    expect(await refusalOf(good.replace('captured', 'total'))).toContain('"captured"');
    expect(await refusalOf('')).toContain('empty');
  });

  it('a byte-order mark and umlauts in UTF-8 are fine', async () => {
    const { report, orders } = await run(
      `\uFEFF${[header, row({ customer_name: 'Zoë Yılmaz' })].join('\n')}`,
    );
    expect(report.badRows).toEqual([]);
    expect(orders.get('1')?.customer.name).toBe('Zoë Yılmaz');
  });
});
