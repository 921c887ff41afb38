import { afterAll, beforeAll, expect, test } from 'vitest';
import { createScriptedProvider, type ScriptedProvider } from '../../test/scripted-provider.ts';
import { createWorkerHouse, shortSettings, type WorkerHouse } from '../../test/worker-house.ts';
import { claimPorts } from './claim-store-ports.ts';
import { takeDueOperations } from './claim-store-due.ts';
import { readEvidence } from './evidence-reader.ts';

let house: WorkerHouse;
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = createScriptedProvider();
  house = await createWorkerHouse(provider.adapter);
});
afterAll(async () => {
  await house.close();
});

// Red when: the columns of the outer row are written into the subquery without their table's name.
test('what is taken says of each operation whether it, and not another, holds evidence', async () => {
  await house.order('order-seen', 'pi_seen', 10_000);
  await house.order('order-unseen', 'pi_unseen', 10_000);
  const seen = await house.approved('order-seen', 1_000);
  await house.worker().runOnce();
  expect((await house.operation(seen)).state).toBe('confirmed');
  const unseen = await house.approved('order-unseen', 1_000);
  await house.database.admin`update operations set wake_at = now() - interval '1 second'`;

  const taken = await house.inOrganisation(house.organisationId, (tx) => takeDueOperations(tx, 10, 60_000));

  const evidence = Object.fromEntries(
    taken.map(({ operationId, hasEvidence }) => [operationId, hasEvidence]),
  );
  expect(evidence).toEqual({ [seen]: true, [unseen]: false });
});

// Red when: the next pass does not settle from what is saved before it does anything else.
test('an answer that was saved and not settled is settled by the next pass, without a question or a request', async () => {
  await house.order('order-saved', 'pi_saved', 10_000);
  const id = await house.approved('order-saved', 1_000);
  const ports = claimPorts({
    connection: house.database.connection,
    inOrganisation: house.inOrganisation,
    readClock: (now) => now,
    providers: house.providers,
    settings: shortSettings,
    workerName: 'a process that dies',
  });
  const account = house.providers.accounts()[0];
  if (account === undefined) throw new Error('no account');
  await house.inOrganisation(house.organisationId, (tx) => takeDueOperations(tx, 10, 60_000));
  await house.database.admin`update payments set asked_at = now() where payment_reference = 'pi_saved'`;
  const result = await ports.claim({
    organisationId: house.organisationId,
    operationId: id,
    kind: 'first',
    account,
    askedSinceMs: 0,
    accountPausedForMs: 0,
    settings: shortSettings,
  });
  if (result.kind !== 'claimed') throw new Error(`not claimed: ${JSON.stringify(result)}`);
  const { claimed } = result;
  const report = await account.adapter.submit(claimed.request, claimed.expected, Date.now() + 1_000);
  await ports.storeAnswer(account, claimed, report);
  expect((await house.operation(id)).state).toBe('submitting');
  const requests = provider.requests.length;

  await house.worker().runOnce();

  expect((await house.operation(id)).state).toBe('confirmed');
  expect(provider.requests).toHaveLength(requests);
  const kept = await house.inOrganisation(house.organisationId, (tx) => readEvidence(tx, id, 'all'));
  expect(kept.observations.map(({ source }) => source)).toEqual(['response']);
});
