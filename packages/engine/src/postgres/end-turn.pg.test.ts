import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createScriptedProvider } from '../../test/scripted-provider.ts';
import { createWorkerHouse, shortSettings, type WorkerHouse } from '../../test/worker-house.ts';
import { takeDueOperations } from './claim-store-due.ts';
import { claimPorts, evidencePorts } from './claim-store-ports.ts';
import { addObservation } from './observation-store.ts';

let house: WorkerHouse;
let orders = 0;

beforeAll(async () => {
  house = await createWorkerHouse(createScriptedProvider().adapter);
});
afterAll(() => house.close());

const ports = () => {
  const context = {
    connection: house.database.connection,
    inOrganisation: house.inOrganisation,
    providers: house.providers,
    settings: shortSettings,
    workerName: 'this worker',
  };
  return { ...claimPorts(context), ...evidencePorts(context) };
};
/** One that a worker has taken and is handling. */
const taken = async (state: 'denied' | 'confirmed'): Promise<string> => {
  orders += 1;
  await house.order(`order-${String(orders)}`, `pi_${String(orders)}`, 10_000);
  const id = await house.approved(`order-${String(orders)}`, 1_000);
  await house.database.admin`
    update operations set state = ${state}, wake_at = now() - interval '1 second',
      next_check_at = now() - interval '1 second' where id = ${id}`;
  await house.inOrganisation(house.organisationId, (tx) => takeDueOperations(tx, 10, 60_000));
  return id;
};
const evidenceArrives = (operationId: string) =>
  house.inOrganisation(house.organisationId, (tx) =>
    addObservation(tx, { operationId, source: 'look-up', finding: { kind: 'absent-yet' } }),
  );
const isDue = async (id: string): Promise<boolean> => {
  const { wake_at: wakeAt } = await house.operation(id);
  return wakeAt !== null && wakeAt.getTime() <= Date.now();
};

describe('evidence that arrives while a worker handles its operation', () => {
  // Red when: what nothing is due of is put to rest whatever happened to it meanwhile.
  test('is settled, also where the worker found that nothing is ever due', async () => {
    const id = await taken('denied');
    await evidenceArrives(id);
    await ports().stopWaking(house.organisationId, id);
    expect(await isDue(id)).toBe(true);
  });

  // Red when: what is put off is put off whatever happened to it meanwhile.
  test('is not put off with the rest', async () => {
    const id = await taken('confirmed');
    await evidenceArrives(id);
    await ports().pushWake(house.organisationId, id, 3_600_000);
    expect(await isDue(id)).toBe(true);
  });

  // Red when: a look that knows nothing of it decides when the operation is looked at next.
  test('outlives the verdict of a look at something settled', async () => {
    const id = await taken('confirmed');
    await evidenceArrives(id);
    await ports().applyKnown(house.organisationId, id, { raises: [], clears: [], wakeAtMs: null });
    expect(await isDue(id)).toBe(true);
  });
});

// Red when: a turn ends only where there is evidence.
test('a turn without news ends as its worker says', async () => {
  const [over, later, seen] = [await taken('denied'), await taken('confirmed'), await taken('confirmed')];
  await ports().stopWaking(house.organisationId, over);
  await ports().pushWake(house.organisationId, later, 3_600_000);
  await ports().applyKnown(house.organisationId, seen, { raises: [], clears: [], wakeAtMs: null });
  expect((await house.operation(over)).wake_at).toBeNull();
  const put = await house.operation(later);
  expect(put.wake_at?.getTime()).toBeGreaterThan(Date.now() + 600_000);
  // Red when: people are shown a look that was put off as if it were still to come when it was.
  expect(put.next_check_at).toEqual(put.wake_at);
  expect((await house.operation(seen)).wake_at).toBeNull();
});

describe('an approval that arrives while a worker handles its proposal', () => {
  // Red when: whoever looks whether a proposal's time is over gives what was approved meanwhile another wake-up: it
  // would rest until its approval runs out, and never be sent.
  test('is due at once, whatever was found of the proposal', async () => {
    orders += 1;
    const order = `order-${String(orders)}`;
    await house.order(order, `pi_${String(orders)}`, 10_000);
    const id = await house.propose(order, 1_000);
    await house.database.admin`update operations set wake_at = now() - interval '1 second' where id = ${id}`;
    const due = await house.inOrganisation(house.organisationId, (tx) => takeDueOperations(tx, 10, 60_000));
    expect(due.map(({ operationId, state }) => [operationId, state])).toContainEqual([id, 'proposed']);
    await house.approve(id);
    expect(await ports().expire(house.organisationId, id)).toBe(false);
    expect([(await house.operation(id)).state, await isDue(id)]).toEqual(['approved', true]);
  });
});
