import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ada, createEngineHouse, operationIn, proposal, type EngineHouse } from '../../test/engine-house.ts';
import { scriptedContract } from '../../test/scripted-provider.ts';
import type { ProviderAccount } from '../engine-interface.ts';
import { readPendingTimes } from './pending-times.ts';

let house: EngineHouse;
beforeAll(async () => {
  house = await createEngineHouse();
});
afterAll(() => house.close());

const hourMs = 3_600_000;

/** One that was confirmed a day ago, this long after the provider had accepted it. */
const confirmedAfter = async (hours: number, daysAgo = 1): Promise<void> => {
  const { id } = operationIn((await house.give(ada, proposal(await house.order(), 1_000)))[0]);
  await house.database
    .admin`update operations set state = 'confirmed', provider_reference = ${`re_${randomUUID()}`},
      settled_at = now() - make_interval(days => ${daysAgo}),
      pending_since = now() - make_interval(days => ${daysAgo}, hours => ${hours})
    where id = ${id}`;
};
const account = {
  organisationId: '',
  accountId: 'acct_test_holdfast',
  adapter: { contract: { ...scriptedContract, displayName: 'Stripe' } },
} as unknown as ProviderAccount;
const times = async (organisationId = house.organisationId) =>
  (await house.runtime.inOrganisation(organisationId, (tx) => readPendingTimes(tx, account))).items;

describe('how long a provider usually takes', () => {
  // Red when: few say what is usual, what is long past or not confirmed counts, or another organisation's does.
  it('is told by this organisation’s own past once there are twenty of it, and by the provider’s contract before', async () => {
    for (let number = 1; number < 20; number += 1) await confirmedAfter(number === 1 ? 90 : 2);
    await confirmedAfter(1_000, 91);
    const [few] = await times();
    expect(few?.past).toBeNull();
    expect(few?.endsWithinMs).toBeGreaterThan(0);
    await confirmedAfter(4);
    const [enough] = await times();
    expect(enough?.past).toEqual({ count: 20, medianMs: 2 * hourMs, mostMs: 4 * hourMs });
    const elsewhere = await house.engine.createOrganisation('Elsewhere');
    expect((await times(elsewhere.id)).filter(({ past }) => past !== null)).toEqual([]);
  });
});
