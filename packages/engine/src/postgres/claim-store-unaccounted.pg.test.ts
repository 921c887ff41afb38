import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createScriptedProvider, type ScriptedProvider } from '../../test/scripted-provider.ts';
import { agent, createWorkerHouse, mint, type WorkerHouse } from '../../test/worker-house.ts';

let house: WorkerHouse;
let provider: ScriptedProvider;
let orders = 0;

beforeAll(async () => {
  provider = createScriptedProvider();
  house = await createWorkerHouse(provider.adapter);
});
afterAll(async () => {
  await house.close();
});
beforeEach(() => {
  provider.script.length = 0;
  provider.requests.length = 0;
});

const newOrder = async (): Promise<{ readonly order: string; readonly payment: string }> => {
  orders += 1;
  const names = { order: `order-${String(orders)}`, payment: `pi_${String(orders)}` };
  await house.order(names.order, names.payment, 10_000);
  return names;
};

/** A refund at the provider that names an operation of this organisation. */
const refundOf = (operationId: string, payment: string, minor: number): string => {
  const reference = `re_${mint()}`;
  provider.ledger.push({
    reference,
    status: 'succeeded',
    statusText: 'succeeded',
    amount: { minor, currency: 'EUR' },
    paymentReference: payment,
    failureReason: null,
    createdAtMs: Date.now(),
    organisationId: house.organisationId,
    operationId,
  });
  return reference;
};

const passes = async (count: number, id: string): Promise<void> => {
  for (let pass = 0; pass < count; pass += 1) {
    await house.database.admin`update operations set wake_at = now() where id = ${id}`;
    await house.worker().runOnce();
  }
};

/** The provider turned out to be ahead of us, so nothing is sent; people have looked, and let it go on. */
const liftHold = async (): Promise<void> => {
  const [held] = await house.database.admin`select hold_on, hold_by from organisations`;
  expect(held).toEqual({ hold_on: true, hold_by: 'system' });
  await house.database.admin`update organisations set hold_on = false, hold_by = null`;
  await house.database.admin`update operations set wake_at = now() where waiting_for = 'hold'`;
};

const reasonsOf = async (id: string): Promise<readonly string[]> =>
  (await house.operation(id)).attention.map(({ reason }) => reason);

// Red when: a refund is accounted for only where its operation carries its reference.
test('an operation beside another whose refund has the wrong amount goes back to people instead of waiting for ever', async () => {
  const { order, payment } = await newOrder();
  const unclear = await house.approved(order, 1_000);
  const beside = await house.approved(order, 2_000);
  const reference = refundOf(unclear, payment, 900);
  provider.script.push({ do: 'lose' });

  await passes(1, beside);
  await liftHold();
  await passes(4, beside);

  expect(await house.operation(unclear)).toMatchObject({ provider_reference: null });
  expect(await reasonsOf(unclear)).toContain('amount-differs');
  expect(await house.operation(beside)).toMatchObject({
    state: 'proposed',
    sent_back: { reasons: ['payment-blocked'] },
  });
  const kept = await house.database.admin`
    select from observations where operation_id = ${unclear} and source = 'listing'
      and finding -> 'record' ->> 'reference' = ${reference}`;
  expect(kept.length).toBeLessThanOrEqual(1);
  expect(provider.requests.length).toBeLessThanOrEqual(1);
});

// Red when: a refund whose operation is not known here raises nothing.
test('a refund of ours that names an unknown operation brings what waits for it before a person, once', async () => {
  const { order, payment } = await newOrder();
  const stranger = mint();
  refundOf(stranger, payment, 1_500);
  const waiting = await house.approved(order, 1_000);

  await passes(1, waiting);
  await liftHold();
  await passes(1, waiting);
  const first = await house.operation(waiting);
  expect(first).toMatchObject({ state: 'approved', waiting_for: 'payment' });
  expect(await reasonsOf(waiting)).toEqual(['conflicting-evidence']);
  await passes(2, waiting);
  expect((await house.operation(waiting)).version).toBe(first.version);

  // Known from now on: its refund becomes its own evidence, and is what people have to look at.
  await house.apply(agent, {
    type: 'cancel',
    commandId: mint(),
    operationId: stranger,
    reason: 'never meant',
  });
  await passes(3, waiting);
  expect(await house.operation(stranger)).toMatchObject({ state: 'confirmed' });
  expect(await reasonsOf(stranger)).toEqual(['contradicted']);
  expect(await reasonsOf(waiting)).toEqual([]);
  expect(await house.operation(waiting)).toMatchObject({
    state: 'proposed',
    sent_back: { reasons: ['payment-blocked'] },
  });
  expect(provider.requests).toHaveLength(0);
});

/** An approval whose time is over, at the policy and on its row. */
const overdue = async (id: string): Promise<void> => {
  await house.database.admin`
    update approvals set approved_at = now() - interval '8 days' where operation_id = ${id}`;
  await house.database.admin`
    update operations set expires_at = now() - interval '1 day', wake_at = now() where id = ${id}`;
};

// Red when: the expiry is judged after the hold.
test('an approval whose time is over expires on hold too', async () => {
  const { order } = await newOrder();
  const id = await house.approved(order, 1_000);
  await house.database.admin`update organisations set hold_on = true`;
  await house.worker().runOnce();
  await overdue(id);
  await house.worker().runOnce();
  expect(await house.operation(id)).toMatchObject({ state: 'expired' });
  await house.database.admin`update organisations set hold_on = false`;
});

// Red when: the expiry is judged after the missing account.
test('an approval whose time is over expires without a provider account too', async () => {
  const { order } = await newOrder();
  const id = await house.approved(order, 1_000);
  await overdue(id);
  await house.worker({ providers: { accountOf: () => undefined, accounts: () => [] } }).runOnce();
  expect(await house.operation(id)).toMatchObject({ state: 'expired' });
});
