import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../test/postgres-rig.ts';
import { createScriptedProvider, type ScriptedProvider } from '../../test/scripted-provider.ts';
import { createWorkerHouse, shortSettings, whileRunning, type WorkerHouse } from '../../test/worker-house.ts';
import type { ClaimRequest } from '../claim/claim-approved.ts';
import type { ProviderAccount } from '../engine-interface.ts';
import type { Claimed } from '../execute/claimed.ts';
import { claimPorts } from './claim-store-ports.ts';

let house: WorkerHouse;
let provider: ScriptedProvider;
let orders = 0;

beforeAll(async () => {
  provider = createScriptedProvider();
  house = await createWorkerHouse(provider.adapter, { maximum: 20 });
  await house.database.admin.unsafe(`
    create table poisoned (operation_id uuid);
    grant select on poisoned to public;
    create function refuse_poisoned() returns trigger language plpgsql as $$
    begin
      if exists (select from poisoned p where p.operation_id = new.operation_id) then
        raise exception 'poison';
      end if;
      return new;
    end $$;
    create trigger refuse_poisoned before insert on attempts for each row execute function refuse_poisoned();
    create trigger refuse_poisoned before insert on observations for each row execute function refuse_poisoned();`);
});
afterAll(() => house.close());

const theAccount = (): ProviderAccount => {
  const [account] = house.providers.accounts();
  if (account === undefined) throw new Error('no account');
  return account;
};
const ports = () =>
  claimPorts({
    connection: house.database.connection,
    inOrganisation: house.inOrganisation,
    providers: house.providers,
    settings: shortSettings,
    workerName: 'this worker',
  });
const approved = async (): Promise<string> => {
  orders += 1;
  const payment = `pi_${String(orders)}`;
  await house.order(`order-${String(orders)}`, payment, 10_000);
  const id = await house.approved(`order-${String(orders)}`, 1_000);
  await house.database.admin`update payments set asked_at = now() where payment_reference = ${payment}`;
  return id;
};
const requestFor = (operationId: string): ClaimRequest => ({
  organisationId: house.organisationId,
  operationId,
  kind: 'first',
  account: theAccount(),
  askedSinceMs: 0,
  accountPausedForMs: 0,
  settings: shortSettings,
});
const someApproved = async (count: number): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await approved());
  return ids;
};
const poison = (id: string | undefined) =>
  house.database.admin`insert into poisoned (operation_id) values (${id ?? ''})`;
const transactionsAt = async (ids: readonly string[], version: number): Promise<number> => {
  const [row] = await house.database.admin<{ count: number }[]>`
    select count(distinct tx_id::text)::int as count from feed
    where subject_id = any(${[...ids]}) and version = ${version}`;
  return row?.count ?? 0;
};
const statesOf = async (ids: readonly string[]): Promise<readonly string[]> => {
  const rows = await Promise.all(ids.map((id) => house.operation(id)));
  return rows.map(({ state }) => state);
};

describe('claims at the same moment', () => {
  // Red when: each is claimed in a transaction of its own, or an attempt is written for what was not claimed.
  test('are one transaction, with one attempt and one fence each', async () => {
    const ids = await someApproved(6);
    const { claim } = ports();
    const results = await Promise.all(ids.map((id) => claim(requestFor(id))));
    expect(results.map(({ kind }) => kind)).toEqual(ids.map(() => 'claimed'));
    expect(await transactionsAt(ids, 3)).toBe(1);
    const attempts = await house.database.admin<{ count: number }[]>`
      select count(*)::int as count from attempts where operation_id = any(${[...ids]}) and fence = 1`;
    expect(attempts[0]?.count).toBe(6);
  });

  // Red when: what one claim throws is the answer to all of its group.
  test('spoil nothing for one another: one that breaks is not claimed, the others are', async () => {
    const ids = await someApproved(4);
    await poison(ids[2]);
    const { claim } = ports();
    const results = await Promise.allSettled(ids.map((id) => claim(requestFor(id))));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await statesOf(ids)).toEqual(['submitting', 'submitting', 'approved', 'submitting']);
  });
});

describe('answers at the same moment', () => {
  const claimedNow = async (count: number): Promise<readonly Claimed[]> => {
    const ids = await someApproved(count);
    const { claim } = ports();
    const results = await Promise.all(ids.map((id) => claim(requestFor(id))));
    return results.map((result) => {
      if (result.kind !== 'claimed') throw new Error(`not claimed: ${JSON.stringify(result)}`);
      return result.claimed;
    });
  };
  const recordAll = async (claims: readonly Claimed[]) => {
    const account = theAccount();
    const reports = await Promise.all(
      claims.map(({ request, expected }) => account.adapter.submit(request, expected, Date.now() + 1_000)),
    );
    const { storeAndSettle } = ports();
    return Promise.allSettled(
      claims.map(async (claimed, index) => {
        const report = reports[index];
        if (report !== undefined) await storeAndSettle(account, claimed, report);
      }),
    );
  };

  // Red when: each answer is recorded in a transaction of its own.
  test('are recorded and settled in one transaction', async () => {
    const claims = await claimedNow(6);
    const ids = claims.map(({ operationId }) => operationId);
    await recordAll(claims);
    expect(new Set(await statesOf(ids))).toEqual(new Set(['confirmed']));
    expect(await transactionsAt(ids, 4)).toBe(1);
  });

  // Red when: what one answer throws is the answer to all of its group, or half of a group is committed.
  test('spoil nothing for one another: one that cannot be kept is not kept, the others settle', async () => {
    const claims = await claimedNow(4);
    const ids = claims.map(({ operationId }) => operationId);
    await poison(ids[1]);
    const results = await recordAll(claims);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await statesOf(ids)).toEqual(['confirmed', 'submitting', 'confirmed', 'confirmed']);
    const ended = await house.database.admin`
      select from attempts where operation_id = ${ids[1] ?? ''} and ended_at is not null`;
    expect([...ended]).toEqual([]);
  });
});

// Red when: two of one payment are in flight together, a payment is locked out of order, or a group loses one of its own.
test('two workers over the same payments carry out each operation once, one of a payment at a time', async () => {
  const payments = 5;
  const ofEach = 4;
  const ids: string[] = [];
  for (let number = 0; number < payments; number += 1) {
    const name = `shared-${String(number)}`;
    await house.order(name, `pi_${name}`, 100_000);
    for (let one = 0; one < ofEach; one += 1) {
      ids.push(await house.approved(name, 1_000 + one, { reason: 'goodwill', note: 'one of several' }));
    }
  }
  await whileRunning(house.worker({ name: 'one' }), () =>
    whileRunning(house.worker({ name: 'two' }), async () => {
      await eventually(async () => (await statesOf(ids)).every((state) => state === 'confirmed'), 60_000);
    }),
  );
  // Of these alone: what the tests before left claimed becomes due here, where the machine is slow.
  const made = await house.database.admin`select from attempts where operation_id = any(${ids})`;
  expect(made).toHaveLength(ids.length);
  // One that a list has settled before its own answer came is under way no more.
  const overlaps = await house.database.admin`
    select from attempts a join operations o on o.id = a.operation_id
    join operations p on p.payment_reference = o.payment_reference and p.id <> o.id
    join attempts b on b.operation_id = p.id
    where o.id = any(${ids}) and a.started_at <= b.started_at
      and least(a.ended_at, o.settled_at) > b.started_at`;
  expect([...overlaps]).toEqual([]);
});
