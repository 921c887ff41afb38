import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedProvider } from '../../test/scripted-provider.ts';
import { createWorkerHouse, shortSettings, type WorkerHouse } from '../../test/worker-house.ts';
import type { ClaimRequest } from '../claim/claim-approved.ts';
import type { ProviderAccount } from '../engine-interface.ts';
import type { SeenAtProvider } from '../mirror/seen-at-provider.ts';
import { claimPorts, evidencePorts, type StoreContext } from './claim-store-ports.ts';

let house: WorkerHouse;
let context: StoreContext;
let orders = 0;

beforeAll(async () => {
  house = await createWorkerHouse(createScriptedProvider().adapter, { maximum: 20 });
  context = {
    connection: house.database.connection,
    inOrganisation: house.inOrganisation,
    providers: house.providers,
    settings: shortSettings,
    workerName: 'this worker',
  };
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
    create trigger refuse_poisoned before insert on attempts for each row execute function refuse_poisoned();`);
});
beforeEach(() => house.database.admin`delete from provider_accounts`);
afterAll(() => house.close());

const theAccount = (): ProviderAccount => {
  const [account] = house.providers.accounts();
  if (account === undefined) throw new Error('no account');
  return account;
};
const approved = async (): Promise<{ readonly id: string; readonly payment: string }> => {
  orders += 1;
  const payment = `pi_${String(orders)}`;
  await house.order(`order-${String(orders)}`, payment, 10_000);
  return { id: await house.approved(`order-${String(orders)}`, 1_000), payment };
};
const requestFor = (operationId: string, more: Partial<ClaimRequest> = {}): ClaimRequest => ({
  organisationId: house.organisationId,
  operationId,
  kind: 'first',
  account: theAccount(),
  askedSinceMs: 0,
  accountPausedForMs: 0,
  settings: shortSettings,
  ...more,
});
const nothingAt = (askedPayment: string, askedAtMs: number): SeenAtProvider => ({
  refunds: [],
  disputes: [],
  askedPayment,
  askedAtMs,
  source: 'look-up',
});
const databaseNowMs = () =>
  house.inOrganisation(house.organisationId, (tx) => Promise.resolve(tx.now.getTime()));
const askedAtMs = async (payment: string): Promise<number | null> => {
  const [row] = await house.database.admin<{ asked_at: Date | null }[]>`
    select asked_at from payments where payment_reference = ${payment}`;
  return row?.asked_at?.getTime() ?? null;
};
const itsOwnIsKnown = async (): Promise<void> => {
  const { accountId, liveMode, fake } = theAccount();
  await house.database.admin`
    insert into provider_accounts (org_id, provider, account_id, live_mode, fake, first_used_at)
    values (${house.organisationId}, 'stripe', ${accountId}, ${liveMode}, ${fake}, now())`;
};
const requestsOf = async (id: string): Promise<number> => (await house.operation(id)).attempt_count;

describe('the last look before a send', () => {
  beforeEach(() => itsOwnIsKnown());

  // Red when: an answer counts as a look of the moment at which it is stored.
  test('is as old as its question: one that lay around since is asked again, and nothing is sent', async () => {
    const { id, payment } = await approved();
    const putMs = (await databaseNowMs()) - 2 * shortSettings.providerTimeoutMs - 1;
    const request = requestFor(id, { askedSinceMs: putMs, answered: nothingAt(payment, putMs) });
    const { kind } = await claimPorts(context).claim(request);
    expect([kind, await requestsOf(id)]).toEqual(['waits', 0]);
    expect(await askedAtMs(payment)).toBe(putMs);
  });

  // Red when: what a question showed is stored as seen at the moment of storing it.
  test('that showed something is as old as its question, too', async () => {
    const { id, payment } = await approved();
    const putMs = (await databaseNowMs()) - 3_600_000;
    await evidencePorts(context).absorb(theAccount(), nothingAt(payment, putMs));
    const { kind } = await claimPorts(context).claim(requestFor(id, { askedSinceMs: putMs }));
    expect([kind, await requestsOf(id)]).toEqual(['waits', 0]);
    expect(await askedAtMs(payment)).toBe(putMs);
  });

  // Red when: no answer is ever young enough.
  test('that was put just now is one that a send stands on', async () => {
    const { id, payment } = await approved();
    const putMs = await databaseNowMs();
    const request = requestFor(id, { askedSinceMs: putMs, answered: nothingAt(payment, putMs) });
    expect((await claimPorts(context).claim(request)).kind).toBe('claimed');
    expect(await askedAtMs(payment)).toBe(putMs);
  });

  // Red when: the time of asking is written whatever is known of a later question.
  test('is not made older by an answer that comes late', async () => {
    const { id, payment } = await approved();
    const putMs = await databaseNowMs();
    await evidencePorts(context).absorb(theAccount(), nothingAt(payment, putMs));
    await evidencePorts(context).absorb(theAccount(), nothingAt(payment, putMs - 60_000));
    const request = requestFor(id, { answered: nothingAt(payment, putMs - 60_000) });
    await claimPorts(context).claim(request);
    expect(await askedAtMs(payment)).toBe(putMs);
  });

  // Red when: an answer is stored before it is judged whose payment it is about.
  test('is never the answer of another account', async () => {
    const { id, payment } = await approved();
    await house.database.admin`
      update payments set account_id = 'acct_another' where payment_reference = ${payment}`;
    const putMs = await databaseNowMs();
    const request = requestFor(id, { askedSinceMs: putMs, answered: nothingAt(payment, putMs) });
    const { kind } = await claimPorts(context).claim(request);
    expect([kind, await askedAtMs(payment)]).toEqual(['waits', null]);
  });
});

describe('the account that an organisation is used with first', () => {
  // Red when: it is remembered in the process before, or longer than, the database has it.
  test('is its own only once that is committed: nothing goes out by one that was not', async () => {
    const { id, payment } = await approved();
    await house.database.admin`update payments set asked_at = now() where payment_reference = ${payment}`;
    await house.database.admin`insert into poisoned (operation_id) values (${id})`;
    const { claim } = claimPorts(context);
    await expect(claim(requestFor(id))).rejects.toThrow();
    await house.database.admin`delete from poisoned`;
    await house.database.admin`
      insert into provider_accounts (org_id, provider, account_id, live_mode, fake, first_used_at)
      values (${house.organisationId}, 'stripe', 'acct_another', false, true, now())`;
    const { kind } = await claim(requestFor(id));
    expect([kind, await requestsOf(id)]).toEqual(['waits', 0]);
  });

  // Red when: each claim of a group asks for itself, or what is known hangs on the object that describes the account.
  test('is asked about once for all claims of a group', async () => {
    let questions = 0;
    const { claim } = claimPorts({
      ...context,
      inOrganisation: (organisationId, work) =>
        house.inOrganisation(organisationId, (tx) =>
          work(
            new Proxy(tx, {
              get: (target, name): unknown => {
                if (name !== 'rows') return Reflect.get(target, name);
                const rows: typeof tx.rows = (codec, tail, parameters) => {
                  if (codec.table === 'provider_accounts') questions += 1;
                  return target.rows(codec, tail, parameters);
                };
                return rows;
              },
            }),
          ),
        ),
    });
    await itsOwnIsKnown();
    const ids = [(await approved()).id, (await approved()).id, (await approved()).id];
    await Promise.all(ids.map((id) => claim(requestFor(id, { account: { ...theAccount() } }))));
    expect(questions).toBe(1);
  });
});
