import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ada,
  approval,
  ben,
  boss,
  cleo,
  createEngineHouse,
  operationIn,
  proposal,
  withdrawal,
  type EngineHouse,
} from '../../test/engine-house.ts';
import {
  claimNotices,
  organisationsWithNotices,
  planTestNotice,
  planWaitingNotices,
  recordDelivery,
  type ClaimedNotice,
} from './notice-store.ts';
import { chooseWay, endPushDevice, isOwnPushDevice, keepPushDevice } from './push-device-store.ts';

let house: EngineHouse;
let organisationId: string;
beforeAll(async () => {
  house = await createEngineHouse();
  ({ organisationId } = house);
  for (const { id, role, name } of [ada, ben, cleo, boss]) {
    await house.database.admin`insert into sign_in."user" (id, name, email) values (${id}, ${name}, ${id})`;
    await house.database.admin`insert into members (org_id, user_id, role, name, email)
      values (${organisationId}, ${id}, ${role}, ${name}, ${`${id}@example.test`}) on conflict do nothing`;
  }
});
afterAll(() => house.close());

const admin = () => house.database.admin;
const within = <Result>(work: Parameters<EngineHouse['runtime']['inOrganisation']>[1]): Promise<Result> =>
  house.runtime.inOrganisation(organisationId, work) as Promise<Result>;
const plan = (): Promise<number> => within((tx) => planWaitingNotices(tx, { mail: 'leaves', quietMs: 0 }));
const claim = (): Promise<readonly ClaimedNotice[]> => within((tx) => claimNotices(tx, 50));
const record = (one: ClaimedNotice, then: Parameters<typeof recordDelivery>[2]): Promise<boolean> =>
  within((tx) => recordDelivery(tx, one, then));
const sent = { then: 'sent' } as const;
const gone = { then: 'gone', because: 'gone' } as const;

/** Everything as if a day had gone by since what was sent. */
const restOver = () => admin()`update notices set made_at = made_at - interval '1 day'`;
const clean = async () => {
  await admin()`update operations set state = 'cancelled' where state = 'proposed'`;
  await admin()`delete from notices_told`;
  await admin()`delete from notices`;
  await admin()`update push_subscriptions set gone_at = now(), gone_because = 'test' where gone_at is null`;
  await admin()`delete from notification_ways`;
};

const openSession = async (userId: string): Promise<string> => {
  const id = randomUUID();
  await admin()`insert into sign_in.session (id, "expiresAt", token, "userId")
    values (${id}, now() + interval '1 day', ${id}, ${userId})`;
  return id;
};
const device = async (userId: string, endpoint = `https://push.example/${randomUUID()}`) => {
  const sessionId = await openSession(userId);
  const made = { id: randomUUID(), userId, sessionId, endpoint, publicKey: 'k', authSecret: 's' };
  expect(await within((tx) => keepPushDevice(tx, made))).toBe(true);
  return made;
};
const propose = async () => operationIn((await house.give(ada, proposal(await house.order(), 1_000)))[0]);
const placesOf = (notices: readonly ClaimedNotice[]): readonly string[] =>
  notices.map(({ to }) => (to.by === 'push' ? to.endpoint : to.address)).sort();

describe('a waiting proposal', () => {
  // Red when: telling is not written down as told, or claims are not by row.
  it('is told once by two workers at once, in one notice a place, and by mail where there is no browser', async () => {
    await clean();
    const { endpoint } = await device(ben.id);
    await propose();
    await propose();
    await Promise.all([plan(), plan()]);
    const both = await Promise.all([claim(), claim()]);
    const claimed = both.flat();
    expect(placesOf(claimed)).toEqual(
      [endpoint, `${boss.id}@example.test`, `${cleo.id}@example.test`].sort(),
    );
    expect(claimed.map(({ count }) => count)).toEqual([2, 2, 2]);
    for (const one of claimed) expect(await record(one, sent)).toBe(true);
    await restOver();
    expect(await plan()).toBe(0);
    expect(await claim()).toEqual([]);
    expect(await organisationsWithNotices(house.runtime.connection)).toEqual([organisationId]);
  });

  // Red when: what a dead process claimed is never taken again, or its late word still counts.
  it('is told though the process that had claimed it died; what that one says later counts no more', async () => {
    await clean();
    await device(ben.id);
    await propose();
    await plan();
    const first = (await claim()).find(({ way }) => way === 'push') as ClaimedNotice;
    expect((await claim()).length).toBe(0);
    await admin()`update notices set claimed_until = now() - interval '1 second'`;
    const again = (await claim()).find(({ way }) => way === 'push') as ClaimedNotice;
    expect(again.id).toBe(first.id);
    expect(await record(first, { then: 'given-up' })).toBe(false);
    expect(await record(again, sent)).toBe(true);
    expect(await record(first, sent)).toBe(false);
  });

  // Red when: what is taken is chosen in a subquery of the update, which a plan may run anew for each row.
  it('is taken as one of many where one was asked for, also by a plan that goes row by row', async () => {
    await clean();
    for (let number = 0; number < 4; number += 1) await device(ben.id);
    await propose();
    await plan();
    const one = await within(async (tx) => {
      for (const way of ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material', 'indexscan', 'bitmapscan']) {
        await tx.ask(`set local enable_${way} = off`, []);
      }
      return claimNotices(tx, 1);
    });
    expect(one).toHaveLength(1);
    const taken = await admin()`select from notices where claimed_until is not null`;
    expect(taken).toHaveLength(1);
  });

  // Red when: a notice leaves for what was decided after it was made.
  it('that is decided before the notice leaves is told to nobody', async () => {
    await clean();
    const operation = await propose();
    expect(await plan()).toBeGreaterThan(0);
    await house.give(ben, approval(operation));
    expect(await claim()).toEqual([]);
    const ended = await admin()`select distinct ended_because from notices`;
    expect(ended).toEqual([{ ended_because: 'nothing-waits' }]);
  });

  // Red when: an approval that was taken back leaves everybody told already.
  it('whose approval was taken back is told again', async () => {
    await clean();
    const operation = await propose();
    await plan();
    for (const one of await claim()) await record(one, sent);
    await house.give(ben, approval(operation));
    await house.give(ben, withdrawal(operation.id));
    await restOver();
    expect(await plan()).toBe(3);
  });
});

describe('a browser', () => {
  // Red when: the told rows of a batch that reached nobody stay.
  it('that is gone is asked no more, and its person is told by mail', async () => {
    await clean();
    const one = await device(ben.id);
    const other = await device(ben.id);
    await propose();
    await plan();
    const claimed = (await claim()).filter(({ way }) => way === 'push');
    expect(placesOf(claimed)).toEqual([one.endpoint, other.endpoint].sort());
    await Promise.all(claimed.map((each) => record(each, gone)));
    expect(await plan()).toBe(1);
    expect(placesOf((await claim()).filter(({ userId }) => userId === ben.id))).toEqual([
      `${ben.id}@example.test`,
    ]);
  });

  // Red when: a subscription outlives the session that made it.
  it('whose session has ended gets nothing more, also not what was on its way', async () => {
    await clean();
    const { sessionId } = await device(ben.id);
    await propose();
    await plan();
    await admin()`delete from sign_in.session where id = ${sessionId}`;
    expect((await claim()).filter(({ way }) => way === 'push')).toEqual([]);
    await plan();
    expect(placesOf(await claim())).toEqual([`${ben.id}@example.test`]);
  });

  // Red when: the next person's sign-in on a browser leaves the first one's subscription, in any organisation.
  it('belongs to whoever signed in there last', async () => {
    await clean();
    const elsewhere = (await house.engine.createOrganisation('Elsewhere')).id;
    const bens = await device(ben.id);
    await house.runtime.inOrganisation(elsewhere, (tx) => keepPushDevice(tx, { ...bens, id: randomUUID() }));
    const own = { userId: cleo.id, sessionId: await openSession(cleo.id), endpoint: bens.endpoint };
    expect(await within((tx) => isOwnPushDevice(tx, own))).toBe(false);
    const living = await admin()`select from push_subscriptions where gone_at is null`;
    expect(living).toHaveLength(0);
    await device(cleo.id, bens.endpoint);
    await propose();
    await plan();
    expect((await claim()).filter(({ way }) => way === 'push').map(({ userId }) => userId)).toEqual([
      cleo.id,
    ]);
    expect(await within((tx) => endPushDevice(tx, { userId: ben.id, endpoint: bens.endpoint }))).toBe(false);
    expect(await within((tx) => endPushDevice(tx, own))).toBe(true);
  });
});

describe('whoever chose to be told nothing', () => {
  // Red when: the choice is not looked at when a notice is made, or when it leaves.
  it('is told nothing, also of what was on its way; what they ask for to try it comes where they chose', async () => {
    await clean();
    await device(ben.id);
    await propose();
    await plan();
    await within((tx) => chooseWay(tx, ben.id, 'off'));
    expect((await claim()).filter(({ userId }) => userId === ben.id)).toEqual([]);
    expect(await plan()).toBe(0);
    expect(await within((tx) => planTestNotice(tx, ben.id, 'leaves'))).toBe(0);
    await within((tx) => chooseWay(tx, ben.id, 'mail'));
    expect(await within((tx) => planTestNotice(tx, ben.id, 'leaves'))).toBe(1);
    expect(await within((tx) => planTestNotice(tx, ben.id, 'leaves'))).toBe(1);
    const tests = (await claim()).filter(({ kind }) => kind === 'test');
    expect(placesOf(tests)).toEqual([`${ben.id}@example.test`]);
  });
});
