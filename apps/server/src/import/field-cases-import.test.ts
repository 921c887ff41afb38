import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PutAnswer } from '@holdfast/engine';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { engineDouble } from '../../test/engine-double.ts';
import { commandLine } from '../command-line/workplace.ts';
import { UnusableFile } from './csv-file.ts';
import type { ImportReport } from './grouped-import.ts';
import { importOrders, orderColumns } from './import-orders.ts';
import { importTickets, ticketColumns } from './import-tickets.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'holdfast-import-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** An engine that keeps what it is given under its ID, and after `capacity` things is away: the import is cut off. */
const shelf = (capacity = Number.POSITIVE_INFINITY) => {
  const kept = new Map<string, string>();
  let left = capacity;
  const put = (_who: unknown, id: string, input: unknown): Promise<PutAnswer<never>> => {
    const [before, after] = [kept.get(id), JSON.stringify(input)];
    if (before !== after && left === 0) return Promise.reject(new Error('the database is away'));
    if (before !== after) left -= 1;
    kept.set(id, after);
    return Promise.resolve({
      ok: true,
      item: undefined as never,
      created: before === undefined,
      changed: before !== after,
    });
  };
  const back = (): void => {
    left = Number.POSITIVE_INFINITY;
  };
  return { kept, back, engine: engineDouble({ putOrder: put, putTicket: put }).engine };
};

const upload = async (
  { engine }: ReturnType<typeof shelf>,
  kind: 'orders' | 'tickets',
  name: string,
  lines: readonly string[],
): Promise<ImportReport> => {
  const file = path.join(folder, name);
  await writeFile(file, lines.join('\n'));
  return (kind === 'orders' ? importOrders : importTickets)(engine, commandLine('o'), file);
};

const orderRow = (number: number, captured: string): string =>
  [
    ...[`o-${String(number)}`, `c-${String(number)}`, 'Ann', `pi_${String(number)}`, captured, 'EUR'],
    ...['2026-11-01T10:00:00Z', 'SKU', 'Lamp', '1', captured, '', '', ''],
  ].join(',');
const ticketRow = (number: number): string =>
  [`t-${String(number)}`, 'Broken lamp', 'c-1', '', 'open', '2026-11-02T10:00:00Z', 'Ann', 'It broke.'].join(
    ',',
  );

const rows = 1_106;
const numbers = Array.from({ length: rows }, (_, at) => at + 1);

// Red when: a bad row stops the rest, or what was taken is known by its place in the file or by the file's name.
it('F114: 1,106 orders with row 101 invalid, fixed and uploaded again, then under another name: each is there once', async () => {
  const shop = shelf();
  const file = (captured: string): string[] => [
    orderColumns.join(','),
    ...numbers.map((number) => orderRow(number, number === 101 ? captured : '49.99')),
  ];
  const first = await upload(shop, 'orders', 'orders.csv', file('"49,99"'));
  expect(first).toMatchObject({ rows, created: rows - 1, changed: 0, unchanged: 0 });
  expect(first.badRows).toEqual([{ row: 102, reason: expect.stringContaining('captured') as string }]);
  const second = await upload(shop, 'orders', 'orders.csv', file('49.99'));
  expect(second).toEqual({ rows, created: 1, changed: 0, unchanged: rows - 1, badRows: [], warnings: [] });
  const [header = '', ...sold] = file('49.99');
  const third = await upload(shop, 'orders', 'the same, newest first.csv', [header, ...sold.reverse()]);
  expect(third).toEqual({ rows, created: 0, changed: 0, unchanged: rows, badRows: [], warnings: [] });
  expect(shop.kept.size).toBe(rows);
});

// Red when: an import begins where an earlier one is thought to have stopped, or counts known things as new.
it.each([
  ['orders', orderColumns, (number: number) => orderRow(number, '49.99')],
  ['tickets', ticketColumns, ticketRow],
] as const)(
  'F114: an upload of 1,106 %s that was cut off after 100 is uploaded again: 100 known, 1,006 new',
  async (kind, columns, rowOf) => {
    const shop = shelf(100);
    const file = [columns.join(','), ...numbers.map(rowOf)];
    await expect(upload(shop, kind, 'cut.csv', file)).rejects.toThrow('away');
    expect(shop.kept.size).toBe(100);
    shop.back();
    const again = await upload(shop, kind, 'again.csv', file);
    expect(again).toEqual({ rows, created: 1_006, changed: 0, unchanged: 100, badRows: [], warnings: [] });
    expect(shop.kept.size).toBe(rows);
  },
);

// Red when: an ID is made up where the file has none.
it('F114: a file without the column of the ID is refused whole, and a row whose ID is empty by its number', async () => {
  const shop = shelf();
  const unnamed = orderColumns.map((column) => (column === 'order_id' ? 'number' : column)).join(',');
  const file = [unnamed, orderRow(1, '1.00')];
  await expect(upload(shop, 'orders', 'unnamed.csv', file)).rejects.toThrow(UnusableFile);
  const noTicketId = [ticketColumns.slice(1).join(','), ticketRow(1)];
  await expect(upload(shop, 'tickets', 'unnamed.csv', noTicketId)).rejects.toThrow(UnusableFile);
  const nameless = await upload(shop, 'orders', 'nameless.csv', [
    orderColumns.join(','),
    orderRow(2, '1.00').replace('o-2', ''),
  ]);
  expect(nameless).toMatchObject({ created: 0, badRows: [{ row: 2 }] });
  expect(shop.kept.size).toBe(0);
});
