import { expect, test } from 'vitest';
import { eventually } from '../../test/postgres-rig.ts';
import { scriptedHouse } from '../../test/scripted-house.ts';
import { agent, mint, whileRunning } from '../../test/worker-house.ts';

const { house, provider, newOrder, inLedger, refundByHand, wakeNow } = await scriptedHouse();

const reasonsOf = async (id: string): Promise<readonly string[]> =>
  (await house.operation(id)).attention.map(({ reason }) => reason);
/** A record of ours for what was never sent holds everything; people have looked, and let it go on. */
const letGoOn = () =>
  house.database.admin`update organisations set hold_on = false, hold_by = null where hold_on`;

// Red when: evidence that settles nothing is ignored before a request was made, so that nobody is told and it is sent.
test.each(['another amount', 'another payment'])(
  'a refund that names an operation and is of %s: before it was sent nothing of it is sent any more, and a person is told',
  async (what) => {
    const { order, payment } = await newOrder();
    const other = await newOrder();
    const id = await house.propose(order, 1_000);
    const [target, minor] = what === 'another amount' ? [payment, 999] : [other.payment, 1_000];
    refundByHand(target, minor, { organisationId: house.organisationId, operationId: id });
    await house.database.admin`update mirror_positions set next_listing_at = now()`;
    await whileRunning(house.worker(), async () => {
      await eventually(async () => (await reasonsOf(id)).includes('amount-differs'));
      await letGoOn();
      await house.approve(id);
      await wakeNow(id);
      // Another one goes through meanwhile, so that there was time for this one.
      const third = await newOrder();
      await house.settled(await house.approved(third.order, 700), 'confirmed');
    });
    expect((await house.operation(id)).attempt_count).toBe(0);
    expect(inLedger(target)).toHaveLength(1);
    expect(provider.requests).toHaveLength(1);
  },
);

// Red when: the same is ignored once the operation has ended here.
test('a refund of another amount that names a denied operation is shown to a person', async () => {
  const { order, payment } = await newOrder();
  const id = await house.propose(order, 1_000);
  await house.apply(agent, { type: 'cancel', commandId: mint(), operationId: id, reason: 'a mistake' });
  refundByHand(payment, 999, { organisationId: house.organisationId, operationId: id });
  await house.database.admin`update mirror_positions set next_listing_at = now()`;
  await whileRunning(house.worker(), async () => {
    await eventually(async () => (await reasonsOf(id)).includes('amount-differs'));
  });
  expect((await house.operation(id)).state).toBe('cancelled');
  await letGoOn();
});
