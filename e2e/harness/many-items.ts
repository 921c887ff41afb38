import type { Page } from '@playwright/test';
import { randomBytes } from 'node:crypto';
import type { Order } from './house.ts';

/** An ID as browsers mint it: time first, then chance. */
export const mintId = (): string => {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** The row that the app writes for the whole refund of an order by this person, saved then. */
const rowFor = (order: Order, minor: number, subject: string, savedAtMs: number, reason: string) => {
  const operationId = mintId();
  return {
    v: 1,
    key: `${operationId}/propose/1`,
    operationId,
    commandId: operationId,
    type: 'propose',
    subject,
    orderId: order.id,
    position: 1,
    supersedes: null,
    protocol: 1,
    body: JSON.stringify({
      commandId: operationId,
      subject,
      type: 'propose',
      operationId,
      kind: 'refund',
      orderId: order.id,
      amount: { minor, currency: 'EUR' },
      reason,
      // Every other reason has to be explained.
      ...(reason === 'returned' ? {} : { note: 'As the bank told us.' }),
    }),
    queuedAtMs: savedAtMs,
  };
};

/** Who was last signed in on this device, as the app keeps it. */
export const subjectOn = (page: Page): Promise<string> =>
  page.evaluate(
    () => (JSON.parse(localStorage.getItem('holdfast-last-person') ?? '{}') as { subject: string }).subject,
  );

/**
 * Puts one saved refund for each order into the queue, as a day without a connection leaves them. The page is one of
 * the app's origin where the app does not run; the app takes them up when it is opened.
 * @returns the operations' IDs, in the orders' order
 */
export const saveMany = async (
  page: Page,
  subject: string,
  orders: readonly Order[],
  minor: number,
  savedAtMs = Date.now(),
  reason = 'returned',
): Promise<readonly string[]> => {
  const rows = orders.map((order) => rowFor(order, minor, subject, savedAtMs, reason));
  await page.evaluate(
    (entries) =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('holdfast-queue');
        opening.onerror = () => reject(opening.error ?? new Error('the queue did not open'));
        opening.onsuccess = () => {
          const database = opening.result;
          const transaction = database.transaction(['entries', 'unended'], 'readwrite', {
            durability: 'strict',
          });
          for (const entry of entries) {
            transaction.objectStore('entries').add(entry);
            transaction.objectStore('unended').put({ id: entry.operationId });
          }
          transaction.oncomplete = () => {
            database.close();
            resolve();
          };
          transaction.onabort = () => reject(transaction.error ?? new Error('the rows were not written'));
        };
      }),
    rows,
  );
  return rows.map(({ operationId }) => operationId);
};
