import { afterEach, expect, test } from 'vitest';
import { createScriptedProvider } from '../../test/scripted-provider.ts';
import { createWorkerHouse, whileRunning, type WorkerHouse } from '../../test/worker-house.ts';

let house: WorkerHouse;
afterEach(async () => {
  await house.close();
});

test('an approved refund is submitted once and confirmed by its answer', async () => {
  const provider = createScriptedProvider();
  house = await createWorkerHouse(provider.adapter);
  await house.order('order-1', 'pi_A', 10_000);
  const id = await house.approved('order-1', 2_500);
  await house.worker({ log: (...line) => console.log(line) }).runOnce();
  const row = await house.operation(id);
  expect(row).toMatchObject({ state: 'confirmed', attempt_count: 1, provider_reference: 're_1' });
  expect(provider.requests).toHaveLength(1);
});

test('a lost answer is looked up and confirmed, with one refund in the ledger', async () => {
  const provider = createScriptedProvider();
  provider.script.push({ do: 'execute-then-lose' });
  house = await createWorkerHouse(provider.adapter);
  await house.order('order-1', 'pi_A', 10_000);
  const id = await house.approved('order-1', 2_500);
  await whileRunning(house.worker({ log: (...line) => console.log(line) }), async () => {
    await house.settled(id, 'confirmed');
  });
  expect(provider.ledger).toHaveLength(1);
  expect(provider.requests).toHaveLength(1);
});
