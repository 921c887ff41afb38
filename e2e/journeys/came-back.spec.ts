import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { devices, expect, test } from '../harness/journey.ts';
import { expectReachable } from '../harness/reachable.ts';
import { approve, card, expectInside, propose, reach, signIn } from '../harness/steps.ts';

test.use({ settings: { HOLDFAST_UNDO_MS: '1', HOLDFAST_WEBHOOKS_ALLOW_LOOPBACK: 'on' } });

/** A program outside, which only remembers what it was told. */
const startListener = async () => {
  const heard: { type: string; operationId: string | null; signature: string }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const told = JSON.parse(Buffer.concat(parts).toString('utf8')) as {
        type: string;
        data: { operationId: string | null };
      };
      const signature = String(request.headers['webhook-signature']);
      heard.push({ type: told.type, operationId: told.data.operationId, signature });
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { heard, url: `http://127.0.0.1:${String(port)}/events`, stop: () => server.close() };
};

// Red when: the refund stays "done", nobody is given the task, or the world outside is not told.
test('F055: the bank sends a refund back days later: the agent has it before them, sees to it and closes it with a note, and a program outside has heard both', async ({
  house,
  browser,
  visit,
}) => {
  const listener = await startListener();
  const ada = await house.welcome('admin', { email: 'ada@example.test', name: 'Ada Admin' });
  const context = await browser.newContext(devices.operator);
  const admin = await context.newPage();
  await admin.goto(house.origin);
  await signIn(admin, ada);
  await expectInside(admin);
  await admin.goto(`${house.origin}/settings/webhooks`);
  await expect(admin.getByText('Nothing outside is told yet.')).toBeVisible();
  await expectReachable(admin, 'webhooks, empty');
  await admin.getByRole('button', { name: 'Add an address' }).click();
  await admin.getByLabel('Address').fill('http://10.0.0.1/');
  await admin.getByRole('button', { name: 'Add it' }).click();
  await expect(admin.getByText('must be https')).toBeVisible();
  await admin.getByLabel('Address').fill(listener.url);
  await admin.getByLabel('Which events').selectOption({ label: 'Only some' });
  await admin.getByRole('checkbox', { name: 'It is confirmed' }).check();
  await admin.getByRole('checkbox', { name: 'It did not last' }).check();
  await expectReachable(admin, 'webhooks, adding');
  await admin.getByRole('button', { name: 'Add it' }).click();
  await expect(admin.getByText(/^whsec_/)).toBeVisible();
  await admin.getByRole('button', { name: 'I have copied it' }).click();
  await admin.getByRole('button', { name: /^Send a test/ }).click();
  await expect.poll(() => listener.heard.map(({ type }) => type)).toEqual(['webhook.test']);

  const order = await house.sell({ name: 'came-back', minor: 4_900 });
  const agent = await visit('agent');
  const id = await propose(agent, order);
  await house.provider.fault({ on: 'refund.create', do: 'succeeded_then_failed', ms: 4_000, times: 1 });
  await approve(await visit('approver'), order);
  await reach(house, id, 'reversed');
  await expect(card(agent)).toContainText('The customer does not have the money.');
  await expect(agent.getByRole('heading', { name: 'Pay the customer another way' })).toBeVisible();
  await expectReachable(agent, 'operation, came back');
  await agent.goto(house.origin);
  await expect(agent.getByRole('region', { name: /Needs you/ })).toContainText('did not last');

  const operator = await visit('operator');
  await operator.getByRole('link', { name: '1 refund came back' }).click();
  await expect(operator.getByText('Nobody sees to it yet.')).toBeVisible();
  await expectReachable(operator, 'came back');

  await agent.goto(`${house.origin}/operations/${id}`);
  await agent.getByRole('button', { name: 'I see to it' }).click();
  await expect(agent.getByText('You see to it.')).toBeVisible();
  await expect(operator.getByText(/sees to it\.$/)).toBeVisible();
  await agent.getByRole('button', { name: 'Close with a note' }).click();
  const dialog = agent.getByRole('alertdialog');
  await dialog.getByLabel('What was done').fill('Paid to the customer’s bank account by hand.');
  await dialog.getByRole('button', { name: 'Close it' }).click();
  await expect(agent.getByRole('heading', { name: 'Seen to' })).toBeVisible();
  await expect(operator.getByText('Every customer whose refund came back has been seen to.')).toBeVisible();

  await expect
    .poll(() => listener.heard.filter(({ operationId }) => operationId === id).map(({ type }) => type))
    .toEqual(['operation.confirmed', 'operation.reversed']);
  await admin.getByRole('button', { name: /^Deliveries/ }).click();
  await expect(admin.getByRole('link', { name: 'It did not last' })).toBeVisible();
  await expectReachable(admin, 'webhooks, deliveries');
  await context.close();
  listener.stop();
});
