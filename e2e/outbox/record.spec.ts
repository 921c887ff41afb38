import { readFile, writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from '../harness/journey.ts';
import { queueRows } from '../harness/queue-rows.ts';
import { graveFindings } from '../harness/reachable.ts';
import { fillRefund, operationOn, reach } from '../harness/steps.ts';

const toDevice = (page: Page): Promise<void> =>
  page.getByRole('navigation').getByRole('link', { name: 'This device' }).click();

const takeUp = async (page: Page, file: string) => {
  await page.getByRole('button', { name: 'Take up a record' }).click();
  const sheet = page.getByRole('dialog', { name: 'Take up a record' });
  await sheet.getByLabel('Choose the file').setInputFiles(file);
  return sheet;
};

// Red when: the file's bytes are not the queue's, taking up mints an ID or writes the bytes anew, a known ID is queued
// again, or a changed file is believed.
test("a lost device's record is taken up on another: same ID and bytes, once, and a changed file is not believed", async ({
  house,
  visit,
}, testInfo) => {
  const order = await house.sell({ name: 'lost-device', minor: 4_300 });
  const lost = await visit('agent');
  await lost.goto(`${house.origin}/orders/${order.id}`);
  await fillRefund(lost, order);
  // What is not open yet has to come from the device once the network is gone.
  await lost.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await house.network.cut();
  await lost.getByRole('button', { name: /^(Send for approval|Save on this device)$/ }).click();
  const id = await operationOn(lost);
  await toDevice(lost);
  const downloading = lost.waitForEvent('download');
  await lost.getByRole('button', { name: 'Save record as a file' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^holdfast-record-\d{4}-\d{2}-\d{2}\.json$/);
  const file = testInfo.outputPath('record.json');
  await download.saveAs(file);
  const [entry] = (await queueRows(lost)).entries;
  const record = JSON.parse(await readFile(file, 'utf8')) as { items: { command: string }[] };
  expect(record.items.map(({ command }) => command)).toEqual([entry?.body]);
  await lost.context().close();
  await house.network.mend();
  expect(await house.operationsOf(order.id)).toEqual([]);

  const changed = testInfo.outputPath('changed.json');
  await writeFile(
    changed,
    (await readFile(file, 'utf8')).replace(String.raw`\"minor\":4300`, String.raw`\"minor\":9300`),
  );
  const next = await visit('agent');
  await toDevice(next);
  let sheet = await takeUp(next, changed);
  await expect(sheet).toContainText('Cannot be read: its bytes are not those that the device wrote.');
  await expect(sheet.getByRole('button', { name: /^Send the/ })).toHaveCount(0);
  await next.keyboard.press('Escape');

  sheet = await takeUp(next, file);
  await expect(sheet).toContainText('Holdfast does not know it. It can be sent from here.');
  expect(await graveFindings(next)).toEqual([]);
  await sheet.getByRole('button', { name: 'Send the one that is missing' }).click();
  await expect(sheet).toContainText('Saved on this device. It is sent with its own reference.');
  await reach(house, id, 'proposed');
  expect((await queueRows(next)).entries.map(({ body }) => body)).toEqual([entry?.body]);
  await next.keyboard.press('Escape');
  sheet = await takeUp(next, file);
  await expect(sheet).toContainText('Has it: Waiting for approval');
  await expect(sheet.getByRole('button', { name: /^Send the/ })).toHaveCount(0);
  expect((await house.operationsOf(order.id)).map((operation) => operation.id)).toEqual([id]);
});
