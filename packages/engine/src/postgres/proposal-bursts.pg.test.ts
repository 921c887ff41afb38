import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ada,
  ben,
  boss,
  createEngineHouse,
  looseKey,
  olga,
  operationIn,
  proposal,
  robot,
  type EngineHouse,
} from '../../test/engine-house.ts';
import {
  claimNotices,
  organisationsWithNotices,
  planWaitingNotices,
  recordDelivery,
} from './notice-store.ts';

let house: EngineHouse;
beforeAll(async () => {
  house = await createEngineHouse();
  for (const { id, role, name } of [ada, ben, olga, boss]) {
    await admin()`insert into members (org_id, user_id, role, name, email)
      values (${house.organisationId}, ${id}, ${role}, ${name}, ${`${id}@example.test`}) on conflict do nothing`;
  }
});
afterAll(() => house.close());

const admin = () => house.database.admin;
const propose = async (actor: typeof ada, times: number): Promise<void> => {
  for (let number = 0; number < times; number += 1) {
    operationIn((await house.give(actor, proposal(await house.order(), 1_000)))[0]);
  }
};
/** What operators and admins are sent of bursts now, each as who and of how many. */
const sentNow = (): Promise<readonly string[]> =>
  house.runtime.inOrganisation(house.organisationId, async (tx) => {
    // Nothing is told of what waits for approval, which would let letters of bursts rest.
    await planWaitingNotices(tx, { mail: 'leaves', quietMs: 7 * 86_400_000 });
    const claimed = await claimNotices(tx, 50);
    for (const one of claimed) await recordDelivery(tx, one, { then: 'sent' });
    const told = claimed.filter(({ kind }) => kind === 'proposals-in-a-burst');
    return told.map(({ userId, count }) => `${userId} ${String(count)}`).sort();
  });
const later = async (minutes: number): Promise<void> => {
  await admin()`update operations set created_at = created_at - make_interval(mins => ${minutes})`;
  await admin()`update notices set made_at = made_at - make_interval(mins => ${minutes})`;
};
const places = async (): Promise<readonly unknown[]> =>
  admin()`select user_id, count(*)::int as notices from notices where kind = 'proposals-in-a-burst'
    group by user_id order by user_id`;

describe('very many proposals of one at once', () => {
  // Red when: thirty are counted over everybody, a person's and an assistant's together, or the thirty-first is a new burst.
  it('are told to every operator and admin in exactly one notice, however long it goes on', async () => {
    await propose(robot, 15);
    await propose(ada, 15);
    await propose(looseKey, 29);
    expect(await sentNow()).toEqual([]);
    await propose(looseKey, 1);
    expect(await sentNow()).toEqual([`${boss.id} 1`, `${olga.id} 1`]);
    await propose(looseKey, 5);
    await later(20);
    expect(await sentNow()).toEqual([]);
    await propose(looseKey, 30);
    await later(20);
    expect(await sentNow()).toEqual([]);
    expect(await places()).toEqual([
      { user_id: boss.id, notices: 1 },
      { user_id: olga.id, notices: 1 },
    ]);
  });

  // Red when: a burst is never over, or an organisation in which nothing waits for approval is not looked at.
  it('are told of again after an hour without, also where none of them waits for anybody', async () => {
    await later(90);
    expect(await sentNow()).toEqual([]);
    await propose(looseKey, 30);
    await admin()`update operations set state = 'cancelled' where state = 'proposed'`;
    await admin()`update notices set ended_at = now(), ended_because = 'sent' where ended_at is null`;
    expect(await organisationsWithNotices(house.runtime.connection)).toEqual([house.organisationId]);
    expect(await sentNow()).toEqual([`${boss.id} 1`, `${olga.id} 1`]);
    await later(20);
    expect(await sentNow()).toEqual([]);
  });
});
