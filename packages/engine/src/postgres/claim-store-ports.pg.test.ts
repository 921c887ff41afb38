import { afterAll, beforeAll, expect, test } from 'vitest';
import { createScriptedProvider, type ScriptedProvider } from '../../test/scripted-provider.ts';
import { createWorkerHouse, shortSettings, type WorkerHouse } from '../../test/worker-house.ts';
import { eventually } from '../../test/postgres-rig.ts';
import type { ProviderAccount } from '../engine-interface.ts';
import type { Claimed } from '../execute/claimed.ts';
import { claimPorts, evidencePorts, type StoreContext } from './claim-store-ports.ts';

let house: WorkerHouse;
let provider: ScriptedProvider;
let context: StoreContext;
let orders = 0;

beforeAll(async () => {
  provider = createScriptedProvider();
  house = await createWorkerHouse(provider.adapter);
  context = {
    connection: house.database.connection,
    inOrganisation: house.inOrganisation,
    readClock: (now) => now,
    providers: house.providers,
    settings: shortSettings,
    workerName: 'this worker',
  };
});
afterAll(async () => {
  await house.close();
});

const theAccount = (): ProviderAccount => {
  const [account] = house.providers.accounts();
  if (account === undefined) throw new Error('no account');
  return account;
};

/** An operation claimed for its first request, which has not been made yet. */
const claimedNow = async (): Promise<{ readonly claimed: Claimed; readonly payment: string }> => {
  orders += 1;
  const payment = `pi_${String(orders)}`;
  await house.order(`order-${String(orders)}`, payment, 10_000);
  const operationId = await house.approved(`order-${String(orders)}`, 1_000);
  await house.database.admin`update payments set asked_at = now() where payment_reference = ${payment}`;
  const result = await claimPorts(context).claim({
    organisationId: house.organisationId,
    operationId,
    kind: 'first',
    account: theAccount(),
    askedSinceMs: 0,
    accountPausedForMs: 0,
    settings: shortSettings,
  });
  if (result.kind !== 'claimed') throw new Error(`not claimed: ${JSON.stringify(result)}`);
  return { claimed: result.claimed, payment };
};

/** Runs `work` beside a transaction that holds the payment and then wants the operation, as all others do. */
const besideAnother = async (
  payment: string,
  operationId: string,
  work: () => Promise<void>,
): Promise<void> => {
  await house.database.admin
    .begin(async (other) => {
      await other`select from payments where payment_reference = ${payment} for no key update`;
      const working = work();
      // Handled below; a refusal before that is no unhandled one.
      working.catch(() => undefined);
      await eventually(async () => {
        const [row] = await house.database.admin<{ waiting: number }[]>`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
        return row !== undefined && row.waiting > 0 ? true : undefined;
      }, 5_000);
      await other`select from operations where id = ${operationId} for update`;
      return { working };
    })
    .then(({ working }) => working);
};

// Red when: `storeAndSettle` does not lock the payment before it keeps the answer.
test('an answer is saved beside whoever else works on its payment: nobody waits for the other in a circle', async () => {
  const { claimed, payment } = await claimedNow();
  const account = theAccount();
  const report = await account.adapter.submit(claimed.request, claimed.expected, Date.now() + 1_000);
  await besideAnother(payment, claimed.operationId, () =>
    claimPorts(context).storeAndSettle(account, claimed, report),
  );
  expect((await house.operation(claimed.operationId)).state).toBe('confirmed');
});

// Red when: `recordLookUp` does not lock the payment before it keeps what the look-up showed.
test('a look-up is recorded beside whoever else works on its payment: nobody waits for the other in a circle', async () => {
  const { claimed, payment } = await claimedNow();
  await besideAnother(payment, claimed.operationId, () =>
    evidencePorts(context).recordLookUp(theAccount(), claimed.operationId, { kind: 'absent-yet' }),
  );
  const kept = await house.database.admin`
    select source from observations where operation_id = ${claimed.operationId}`;
  expect(kept.map(({ source }) => source)).toEqual(['look-up']);
});
