import { afterAll, beforeAll, expect, test } from 'vitest';
import { createScriptedProvider, type ScriptedProvider } from '../../test/scripted-provider.ts';
import { readOperation, viewOperation } from './operation-reader.ts';
import { agent, createWorkerHouse, mint, type WorkerHouse } from '../../test/worker-house.ts';

let house: WorkerHouse;
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = createScriptedProvider();
  house = await createWorkerHouse(provider.adapter);
});
afterAll(async () => {
  await house.close();
});

/** A refund of ours in the provider's ledger whose operation is not known here, as after a restore. */
const carriedOutBefore = async (payment: string, id: string): Promise<void> => {
  provider.ledger.push({
    reference: `re_${id}`,
    status: 'succeeded',
    statusText: 'succeeded',
    amount: { minor: 3_000, currency: 'EUR' },
    paymentReference: payment,
    failureReason: null,
    createdAtMs: Date.now(),
    organisationId: house.organisationId,
    operationId: id,
  });
  await house.database.admin`update mirror_positions set next_listing_at = now()`;
  await house.worker().runOnce();
  const mirrored = await house.database.admin`
    select 1 from mirror_refunds where metadata_operation_id = ${id}`;
  expect(mirrored).toHaveLength(1);
};

const elsewhere = async (payment: string): Promise<unknown> => {
  const [row] = await house.database.admin`
    select refunded_elsewhere::int as minor from payments where payment_reference = ${payment}`;
  return row?.['minor'];
};

// Red when: a new proposal does not look for its refund in the mirror (it then waits and expires as if unpaid).
test('a proposal retold after a restore is confirmed by the refund the mirror holds, without an approval', async () => {
  await house.order('order-1', 'pi_1', 10_000);
  const id = mint();
  await carriedOutBefore('pi_1', id);
  await house.propose('order-1', 3_000, { operationId: id, commandId: id });
  await house.worker().runOnce();
  const row = await house.operation(id);
  expect(row).toMatchObject({ state: 'confirmed', provider_reference: `re_${id}` });
  expect(row.attention.map(({ reason }) => reason)).toEqual(['contradicted']);
  expect(provider.requests).toHaveLength(0);
  // Nothing had been settled here: nobody is told that it was.
  const sentence = await house.inOrganisation(house.organisationId, async (tx) => {
    const stored = await readOperation(tx, id);
    return stored && (await viewOperation(tx, stored, () => 'Stripe')).sentence;
  });
  expect(sentence).toContain('no request of it is on record here, as after a restore from a backup');
  expect(sentence).not.toContain('settled here');
});

// Red when: a remembered cancellation does not look for its refund in the mirror.
test('a cancellation of an operation that was carried out before a restore is contradicted by its refund', async () => {
  await house.order('order-2', 'pi_2', 10_000);
  const id = mint();
  await carriedOutBefore('pi_2', id);
  const [result] = await house.apply(agent, {
    type: 'cancel',
    commandId: mint(),
    operationId: id,
    reason: 'The customer called it off.',
  });
  expect(result?.status).toBe('applied');
  await house.worker().runOnce();
  const row = await house.operation(id);
  expect(row.attention.map(({ reason }) => reason)).toContain('contradicted');
  expect(provider.requests).toHaveLength(0);
  expect(await elsewhere('pi_2')).toBe(3_000);
});

// Red when: the sum of what was refunded elsewhere leaves out what a remembered cancellation names.
test('what was refunded under a remembered cancellation is gone from the payment, once', async () => {
  await house.order('order-3', 'pi_3', 10_000);
  const id = mint();
  await house.apply(agent, { type: 'cancel', commandId: mint(), operationId: id, reason: 'Not wanted.' });
  await carriedOutBefore('pi_3', id);
  await house.worker().runOnce();
  expect((await house.operation(id)).attention.map(({ reason }) => reason)).toContain('contradicted');
  expect(await elsewhere('pi_3')).toBe(3_000);
  await house.worker().runOnce();
  expect(await elsewhere('pi_3')).toBe(3_000);
});

// Red when: a person's end takes the wake-up away with which evidence waits for a worker.
test('a proposal retold after a restore and cancelled before a worker has looked is contradicted by its refund', async () => {
  await house.order('order-4', 'pi_4', 10_000);
  const id = mint();
  await carriedOutBefore('pi_4', id);
  await house.propose('order-4', 3_000, { operationId: id, commandId: id });
  const [result] = await house.apply(agent, {
    type: 'cancel',
    commandId: mint(),
    operationId: id,
    reason: 'The customer called it off.',
  });
  expect(result?.operation?.state).toBe('cancelled');
  await house.worker().runOnce();
  const row = await house.operation(id);
  expect(row).toMatchObject({ state: 'confirmed', provider_reference: `re_${id}` });
  expect(row.attention.map(({ reason }) => reason)).toContain('contradicted');
});
