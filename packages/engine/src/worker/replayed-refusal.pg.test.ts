import { expect, test } from 'vitest';
import type { ProviderAdapter } from '@holdfast/providers';
import { eventually } from '../../test/postgres-rig.ts';
import { scriptedHouse } from '../../test/scripted-house.ts';
import { shortSettings, whileRunning } from '../../test/worker-house.ts';

const { house, provider, newOrder, inLedger, refundByHand, accountBy } = await scriptedHouse();

// Red when: only a saved failure, and no saved refusal, is known for what the key answers for ever.
test('a refusal that may speak of our own refund, replayed under the key, is sent no third time; a person decides', async () => {
  const { order, payment } = await newOrder();
  refundByHand(payment, 500);
  await house.database.admin`update mirror_positions set next_listing_at = now()`;
  await house.worker().runOnce();
  const refusal = { kind: 'rejected', decline: 'exceeds-unrefunded', code: null } as const;
  const submit: ProviderAdapter['submit'] = (request) => {
    provider.requests.push(request);
    const replayed = provider.requests.length > 1;
    return Promise.resolve({
      finding: refusal,
      status: 400,
      requestId: null,
      replayed,
      providerDateMs: null,
    });
  };
  const id = await house.approved(order, 1_000);
  const settings = { ...shortSettings, needsPersonAfterMs: 1_500 };
  await whileRunning(house.worker({ providers: accountBy({ submit }), settings }), async () => {
    await eventually(async () =>
      (await house.operation(id)).attention.some(({ reason }) => reason === 'outcome-unresolved'),
    );
  });
  expect((await house.operation(id)).state).toBe('outcome_unknown');
  expect(provider.requests.length).toBeLessThanOrEqual(2);
  expect(inLedger(payment)).toHaveLength(1);
});
