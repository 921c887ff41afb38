import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Actor, ProviderRecord } from '@holdfast/operation';
import { createScriptedProvider, type ScriptedProvider } from '../../test/scripted-provider.ts';
import { createWorkerHouse, mint, shortSettings, type WorkerHouse } from '../../test/worker-house.ts';
import { addObservation, settleOperation } from './observation-store.ts';

let house: WorkerHouse;
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = createScriptedProvider();
  house = await createWorkerHouse(provider.adapter);
});
afterAll(async () => {
  await house.close();
});

const operator: Actor = {
  id: 'operator-1',
  name: 'Olga',
  role: 'operator',
  assistant: false,
  via: 'session',
};

// Red when: `addObservation` leaves `clearedAttention` as it is, or `visible` compares what is not on record.
test('what a person cleared stays cleared on the same evidence, and stands again when a refund shows a new status', async () => {
  await house.order('order-1', 'pi_1', 10_000);
  provider.script.push({ do: 'find', finding: { kind: 'rejected', decline: 'other', code: null } });
  const id = await house.approved('order-1', 1_000);
  await house.worker().runOnce();
  expect((await house.operation(id)).state).toBe('failed');

  const shown = (status: ProviderRecord['status'], reference = 're_1'): Promise<void> =>
    house.inOrganisation(house.organisationId, async (tx) => {
      const record: ProviderRecord = {
        reference,
        status,
        statusText: status,
        amount: { minor: 1_000, currency: 'EUR' },
        paymentReference: 'pi_1',
        failureReason: null,
        createdAtMs: 1,
        organisationId: house.organisationId,
        operationId: id,
      };
      await addObservation(tx, { operationId: id, source: 'listing', finding: { kind: 'found', record } });
      await settleOperation(tx, id, house.providers.accounts()[0], shortSettings);
    });
  const reasons = async (): Promise<readonly string[]> =>
    (await house.operation(id)).attention.map(({ reason }) => reason);

  await shown('pending');
  expect(await reasons()).toEqual(['contradicted']);
  const { version } = await house.operation(id);
  const [cleared] = await house.apply(operator, {
    type: 'resolve',
    commandId: mint(),
    operationId: id,
    version,
    outcome: 'failed',
    note: 'seen',
  });
  expect(cleared?.problem).toBeUndefined();
  expect(await reasons()).toEqual([]);

  await shown('pending');
  expect(await house.operation(id)).toMatchObject({ state: 'failed', attention: [], version: version + 1 });

  await shown('pending', 're_2');
  expect(await reasons()).toContain('contradicted');
  await shown('succeeded');
  expect((await house.operation(id)).state).toBe('confirmed');
  expect(await reasons()).toContain('contradicted');
});
