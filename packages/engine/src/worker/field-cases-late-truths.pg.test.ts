import { expect, test } from 'vitest';
import type { MirroredRefund } from '@holdfast/providers';
import { eventually } from '../../test/postgres-rig.ts';
import { scriptedHouse } from '../../test/scripted-house.ts';
import { whileRunning } from '../../test/worker-house.ts';
import { readMetrics } from '../postgres/metrics-reader.ts';

const scripted = await scriptedHouse();
const { house, provider, newOrder, figures, inLedger, changeAtProvider, statesOf, sentenceOf, wakeNow } =
  scripted;
const { evidenceOf, ask } = scripted;

const lateReversals = async (): Promise<number> => {
  const { samples } = await house.inOrganisation(house.organisationId, readMetrics);
  return samples.find(({ name }) => name === 'holdfast_late_reversals_total')?.value ?? 0;
};

const confirmed = async (minor: number) => {
  const { order, payment } = await newOrder();
  const id = await house.approved(order, minor);
  await house.worker().runOnce();
  expect((await house.operation(id)).state).toBe('confirmed');
  const [refund] = inLedger(payment);
  if (refund === undefined) throw new Error('no refund');
  return { order, payment, id, refund };
};

const failsLater = ({ reference }: MirroredRefund): void => {
  changeAtProvider(reference, {
    status: 'failed',
    statusText: 'failed',
    failureReason: 'lost_or_stolen_card',
  });
};

// Red when: a failure that comes after success leaves it confirmed, its money booked, or nobody told.
test('F055: a refund that the bank sends back later is visibly no longer done, its money can be refunded again, and it is counted', async () => {
  const { order, payment, id, refund } = await confirmed(10_000);
  const before = await lateReversals();
  failsLater(refund);
  await wakeNow(id);
  await house.worker().runOnce();
  expect((await house.operation(id)).state).toBe('reversed');
  expect(await sentenceOf(id)).toMatch(/came back|did not|returned/i);
  expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 0 });
  expect(await lateReversals()).toBe(before + 1);
  // Another way of paying is a refund of its own, and there is money for it.
  const again = await ask(order, 10_000);
  expect(again.problem?.type ?? '').not.toMatch(/exceeds-refundable/);
});

// Red when: the end depends on which word came first, or a late failure is answered with another request.
test('F056: success and then failure of one refund is reversed however it is heard, both stay on record, and nothing is sent again', async () => {
  const { id, refund } = await confirmed(2_500);
  failsLater(refund);
  await whileRunning(house.worker(), async () => {
    await wakeNow(id);
    await house.settled(id, 'reversed');
    await wakeNow(id);
    await eventually(async () => (await house.operation(id)).wake_at === null);
  });
  expect(await statesOf(id)).toEqual(['proposed', 'approved', 'submitting', 'confirmed', 'reversed']);
  expect((await evidenceOf(id)).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['accepted', 'found']),
  );
  expect(provider.requests).toHaveLength(1);
});

// Red when: something pending waits for an event that never comes.
test('F058: a provider that says nothing when a pending refund succeeds is asked again, and it is confirmed', async () => {
  const { order, payment } = await newOrder();
  provider.script.push({ do: 'pending' });
  const id = await house.approved(order, 2_500);
  await house.worker().runOnce();
  const row = await house.operation(id);
  expect(row.state).toBe('pending');
  expect(row.wake_at?.getTime()).toBeGreaterThan(0);
  await whileRunning(house.worker(), async () => {
    changeAtProvider(inLedger(payment)[0]?.reference ?? '', { status: 'succeeded', statusText: 'succeeded' });
    await house.settled(id, 'confirmed');
  });
  expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 2_500 });
  expect(provider.requests).toHaveLength(1);
});
