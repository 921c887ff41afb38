import type { Page } from '@playwright/test';
import { expect, test } from '../harness/outbox-test.ts';
import { until } from '../harness/program.ts';
import { queueRows } from '../harness/queue-rows.ts';
import { card, expectInside, fillRefund, operationOn, sendButton } from '../harness/steps.ts';

type SetRoom = (quotaSize?: number) => Promise<unknown>;

/**
 * What sets how much this origin may store; without a size as much as there is. It has to be set before the origin
 * stores anything in this run of the browser: later a browser goes by what it found before.
 */
const roomOf = async (page: Page, origin: string): Promise<SetRoom> => {
  // Ended, the session would take its setting back with it.
  const session = await page.context().newCDPSession(page);
  return (quotaSize) =>
    session.send('Storage.overrideQuotaForOrigin', {
      origin,
      ...(quotaSize !== undefined && { quotaSize }),
    });
};

/** Fills what room there is, down to the last hundred bytes, with rows of another database of this origin. */
const fillUp = (page: Page): Promise<string | undefined> =>
  page.evaluate(async () => {
    const opening = indexedDB.open('somebody-elses', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('rows', { autoIncrement: true });
    await new Promise((resolve) => (opening.onsuccess = resolve));
    const add = (size: number): Promise<string | undefined> =>
      new Promise((resolve) => {
        const adding = opening.result.transaction('rows', 'readwrite');
        const bytes = crypto.getRandomValues(new Uint8Array(Math.min(size, 65_536)));
        adding
          .objectStore('rows')
          .add(size > bytes.length ? new Uint8Array(size).fill(bytes[0] ?? 1) : bytes);
        adding.oncomplete = () => resolve(undefined);
        adding.onabort = () => resolve(adding.error?.name);
      });
    let ended: string | undefined;
    for (const size of [1_000_000, 100_000, 10_000, 1_000, 100]) {
      for (ended = undefined; ended === undefined; ended = await add(size));
    }
    opening.result.close();
    return ended;
  });

// Red when: a write that failed is answered as saved, the form is emptied by it, or the queue's earlier rows are given
// up to make room.
test('storage is full: the screen says "Not saved", the form and the earlier items stay; with room again it is saved', async ({
  house,
  serverRows,
  deviceOf,
}) => {
  const earlier = await house.sell({ name: 'before-full', minor: 2_300 });
  const order = await house.sell({ name: 'full', minor: 2_400 });
  const device = await deviceOf('agent');
  const page = await device.start();
  const setRoom = await roomOf(page, house.origin);
  await setRoom(10_000_000);
  await page.goto(`${house.origin}/orders/${earlier.id}`);
  await expectInside(page);
  await fillRefund(page, earlier);
  house.network.decide(({ path }) => (path === '/v1/commands' ? 'refuse' : 'pass'));
  await sendButton(page).click();
  const earlierId = await operationOn(page);
  await expect(card(page)).toContainText('Saved on this device.');

  await page.goto(`${house.origin}/orders/${order.id}`);
  await fillRefund(page, order);
  const note = 'The left ear pad was torn. '.repeat(40);
  expect(await fillUp(page)).toBe('QuotaExceededError');
  await page.getByLabel('Note').fill(note);
  await sendButton(page).click();
  await expect(page.getByText(/Not saved/).first()).toBeVisible();
  await expect(page.getByText('Saved on this device.')).toHaveCount(0);
  await expect(page.getByLabel('Note')).toHaveValue(note);
  const full = await queueRows(page);
  expect(full.entries.map(({ operationId }) => operationId)).toEqual([earlierId]);
  expect(await serverRows.operationsOf([order.id, earlier.id])).toEqual([]);

  await setRoom();
  await sendButton(page).click();
  const id = await operationOn(page);
  await expect(card(page)).toContainText('Saved on this device.');
  expect((await queueRows(page)).entries.map(({ operationId }) => operationId)).toEqual([earlierId, id]);
  await house.network.mend();
  await page.goto(house.origin);
  await until(
    'both to be received',
    async () => {
      const stored = await serverRows.operationsOf([order.id, earlier.id]);
      return stored.length === 2 ? true : undefined;
    },
    60_000,
  );
  const stored = await serverRows.operationsOf([order.id, earlier.id]);
  expect(stored.map((operation) => operation.id).sort()).toEqual([earlierId, id].sort());
});
