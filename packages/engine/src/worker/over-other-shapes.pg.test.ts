import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProviderAdapter, ProviderContract } from '@holdfast/providers';
import { createAdyenAdapter } from '@holdfast/providers/adyen';
import { createMollieAdapter } from '@holdfast/providers/mollie';
import { createPaypalAdapter } from '@holdfast/providers/paypal';
import { createSingleShotAdapter } from '@holdfast/providers/single-shot';
import { createSquareAdapter } from '@holdfast/providers/square';
import {
  startFakeProviders,
  startWebhookDoor,
  type FakeProviders,
  type ShapeName,
} from '../../test/fake-providers-process.ts';
import { eventually } from '../../test/postgres-rig.ts';
import { evidenceIn, type EvidenceReads } from '../../test/scripted-house.ts';
import { createWorkerHouse, shortSettings, whileRunning, type WorkerHouse } from '../../test/worker-house.ts';
import type { ProviderAccount, WorkerSettings } from '../engine-interface.ts';

let fakes: FakeProviders;
beforeAll(async () => {
  fakes = await startFakeProviders();
});
afterAll(() => fakes.stop());

type ShapeHouse = EvidenceReads & {
  readonly house: WorkerHouse;
  readonly contract: ProviderContract;
  readonly newOrder: () => Promise<{ readonly order: string; readonly payment: string }>;
  readonly worker: (
    settings?: Partial<WorkerSettings>,
    changes?: Partial<ProviderAdapter>,
  ) => ReturnType<WorkerHouse['worker']>;
  /** Each ends in the ledger, in the requests and in the reservation as it must. */
  readonly oneRefund: (payment: string) => Promise<void>;
};

/** The real intake and worker over one shape. Call it inside a `describe`. */
const shapeHouse = (
  shape: ShapeName,
  create: (apiBase: string) => ProviderAdapter,
  account: Partial<ProviderAccount> = {},
): (() => ShapeHouse) => {
  let made: ShapeHouse;
  let orders = 0;
  beforeAll(async () => {
    const adapter = create(`${fakes.base}/${shape}`);
    const house = await createWorkerHouse(adapter, { account });
    made = {
      ...evidenceIn(house),
      house,
      contract: adapter.contract,
      newOrder: async () => {
        orders += 1;
        const names = {
          order: `${shape}-${String(orders)}`,
          payment: `${shape}-pay-${String(orders)}-${randomBytes(3).toString('hex')}`,
        };
        await fakes.pay(shape, names.payment, 10_000);
        await house.order(names.order, names.payment, 10_000);
        return names;
      },
      worker: (settings = {}, changes = {}) => {
        const [known] = house.providers.accounts();
        if (known === undefined) throw new Error('no account');
        const over = { ...known, adapter: { ...known.adapter, ...changes } };
        const providers = { accountOf: () => over, accounts: () => [over] };
        return house.worker({ providers, settings: { ...shortSettings, ...settings } });
      },
      oneRefund: async (payment) => {
        expect(await fakes.ledger(payment)).toMatchObject([{ amount: 2_500, status: 'succeeded' }]);
        // However often it left: one key, and the same bytes.
        const sent = await fakes.submissions(payment);
        expect(new Set(sent.map(({ key, body }) => `${String(key)} ${body}`)).size).toBe(1);
      },
    };
  });
  afterAll(() => made.house.close());
  return () => made;
};

const secret = '5a'.repeat(32);

describe('Adyen’s shape: it says that it took the refund, and only a webhook says how that ended', () => {
  const adyen = shapeHouse(
    'adyen',
    (apiBase) =>
      createAdyenAdapter({ apiKey: 'key', merchantAccount: 'FakeMerchant', apiBase, nowMs: Date.now }),
    { accountId: 'FakeMerchant', webhookSecrets: [secret] },
  );
  let stopDoor: () => Promise<void>;
  beforeAll(async () => {
    const door = await startWebhookDoor(adyen().house);
    stopDoor = door.stop;
    await fakes.control('POST', '/fake/webhook_endpoint', { provider: 'adyen', url: door.url, secret });
  });
  afterAll(() => stopDoor());

  // Red when: "received" is settled as confirmed, or a lost answer as anything but unknown.
  test('an answer lost is asked for by the same bytes, pending once it is known to be taken, confirmed by the webhook', async () => {
    const { house, newOrder, worker, statesOf, oneRefund } = adyen();
    const { order, payment } = await newOrder();
    await fakes.fault('adyen', payment, { do: 'execute_then_drop', webhook: 'held' });
    const id = await house.approved(order, 2_500);
    await whileRunning(worker(), async () => {
      await house.settled(id, 'pending');
      await fakes.control('POST', '/fake/webhooks/release');
      await house.settled(id, 'confirmed');
      // Nothing can be asked about it again, so the event is done with.
      await eventually(async () => {
        const [left] = await house.database.admin<{ count: number }[]>`
          select count(*)::int from provider_events where applied_at is null`;
        return left?.count === 0;
      });
    });
    expect(await statesOf(id)).not.toContain('failed');
    expect(await fakes.submissions(payment)).toHaveLength(2);
    await oneRefund(payment);
  });

  // Red when: a webhook is joined to nothing, so that only sending again would settle it.
  test('an answer lost and a webhook that comes first: confirmed by the webhook alone, and nothing is sent again', async () => {
    const { house, newOrder, worker, evidenceOf, oneRefund } = adyen();
    const { order, payment } = await newOrder();
    await fakes.fault('adyen', payment, { do: 'execute_then_hang' });
    const id = await house.approved(order, 2_500);
    await whileRunning(worker({ checkBackoffMs: [60_000] }), async () => {
      await house.settled(id, 'confirmed');
    });
    expect((await evidenceOf(id)).map(({ source }) => source)).toContain('webhook');
    expect(await fakes.submissions(payment)).toHaveLength(1);
    await oneRefund(payment);
  });

  test('taken and then refused by webhook: failed, and the money is free again', async () => {
    const { house, newOrder, worker, figures } = adyen();
    const { order, payment } = await newOrder();
    await fakes.fault('adyen', payment, { do: 'stays_pending' });
    const id = await house.approved(order, 2_500);
    await whileRunning(worker(), async () => {
      await house.settled(id, 'pending');
      const [refund] = await fakes.ledger(payment);
      await fakes.control('POST', `/fake/refunds/${String(refund?.id)}`, { status: 'failed' });
      await house.settled(id, 'failed');
    });
    expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 0 });
    expect(await fakes.ledger(payment)).toMatchObject([{ status: 'failed' }]);
  });

  test('confirmed, and failed at the bank weeks later: reversed', async () => {
    const { house, newOrder, worker, figures } = adyen();
    const { order, payment } = await newOrder();
    const id = await house.approved(order, 2_500);
    await whileRunning(worker(), async () => {
      await house.settled(id, 'confirmed');
      const [refund] = await fakes.ledger(payment);
      await fakes.control('POST', `/fake/refunds/${String(refund?.id)}`, { status: 'failed' });
      await house.settled(id, 'reversed');
    });
    expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 0 });
  });

  // Red when: what webhooks showed of a payment is not looked at before a send that cannot ask, or only once it is applied.
  test('a refund made by hand that only a webhook tells of: the last check sees it, and nothing is sent', async () => {
    const { house, newOrder, worker, figures } = adyen();
    const { order, payment } = await newOrder();
    const id = await house.approved(order, 2_500);
    await fakes.control('POST', '/fake/refunds', { provider: 'adyen', payment, amount: 9_000 });
    const held = await eventually(async () => {
      const [row] = await house.database.admin<{ id: string }[]>`
        select event_id as id from provider_events where raw like ${`%${payment}%`}`;
      return row;
    });
    expect(held.id).toContain('REFUND');
    await whileRunning(worker(), async () => {
      await eventually(async () => (await figures(payment)).elsewhere === 9_000);
      await eventually(async () => (await house.operation(id)).state !== 'approved');
    });
    expect(await house.operation(id)).toMatchObject({ state: 'proposed', attempt_count: 0 });
    expect(await fakes.submissions(payment)).toHaveLength(0);
  });
});

describe('PayPal’s shape: it has no list, and the same bytes again are the look-up', () => {
  const paypal = shapeHouse('paypal', (apiBase) =>
    createPaypalAdapter({ accessToken: 'token', apiBase, nowMs: Date.now }),
  );

  // Red when: sending again waits for looks that this provider does not offer, or goes under another key.
  test.each([
    'execute_then_drop',
    'execute_then_hang',
    'execute_then_500',
    'truncated_body',
    'html_502',
    'empty_200',
  ])('an answer lost to %s: the same bytes again tell, confirmed, one refund', async (fault) => {
    const { house, newOrder, worker, statesOf, oneRefund } = paypal();
    const { order, payment } = await newOrder();
    await fakes.fault('paypal', payment, { do: fault });
    const id = await house.approved(order, 2_500);
    await whileRunning(worker({ providerTimeoutMs: 1_000 }), async () => {
      await house.settled(id, 'confirmed');
    });
    expect(await statesOf(id)).not.toContain('failed');
    expect(await fakes.submissions(payment)).toHaveLength(2);
    await oneRefund(payment);
  });

  test('a request cut before anything was done is done by the second, once', async () => {
    const { house, newOrder, worker, oneRefund } = paypal();
    const { order, payment } = await newOrder();
    await fakes.fault('paypal', payment, { do: 'drop_before' });
    const id = await house.approved(order, 2_500);
    await whileRunning(worker(), async () => {
      await house.settled(id, 'confirmed');
    });
    await oneRefund(payment);
  });

  // Red when: the window is not looked at where the look-up is a send.
  test('the window is over: nothing is sent again, and a person is asked', async () => {
    const { house, newOrder, worker } = paypal();
    const { order, payment } = await newOrder();
    await fakes.fault('paypal', payment, { do: 'execute_then_drop' });
    const id = await house.approved(order, 2_500);
    const contract = { ...paypal().contract, keyWindowMs: 1_000, keyWindowMarginMs: 500 };
    await whileRunning(worker({ needsPersonAfterMs: 3_000 }, { contract }), async () => {
      await eventually(async () => (await house.operation(id)).attention.length > 0, 20_000);
    });
    expect(await house.operation(id)).toMatchObject({
      ...{ state: 'outcome_unknown', attention: [expect.objectContaining({ reason: 'outcome-unresolved' })] },
    });
    expect(await fakes.submissions(payment)).toHaveLength(1);
  });
});

describe('Mollie’s shape: lists that lag, and a short window', () => {
  const mollie = shapeHouse('mollie', (apiBase) =>
    createMollieAdapter({ apiKey: 'test_key', apiBase, nowMs: Date.now }),
  );

  test('an answer lost and a list that is behind: one refund, pending and then confirmed', async () => {
    const { house, newOrder, worker, statesOf, oneRefund } = mollie();
    const { order, payment } = await newOrder();
    await fakes.fault('mollie', payment, { do: 'execute_then_drop', ms: 2_000 });
    const id = await house.approved(order, 2_500);
    await whileRunning(worker(), async () => {
      await house.settled(id, 'confirmed');
    });
    expect(await statesOf(id)).not.toContain('failed');
    await oneRefund(payment);
  });

  // Red when: an empty list is taken for "did not happen", or bytes leave after the window.
  test('the window is over while the list is still behind: nothing is sent, and the list tells in the end', async () => {
    const { house, newOrder, worker, oneRefund, evidenceOf } = mollie();
    const { order, payment } = await newOrder();
    await fakes.fault('mollie', payment, { do: 'execute_then_drop', ms: 4_000 });
    const id = await house.approved(order, 2_500);
    const contract = { ...mollie().contract, keyWindowMs: 900, keyWindowMarginMs: 400 };
    await whileRunning(worker({ providerTimeoutMs: 1_000 }, { contract }), async () => {
      await house.settled(id, 'confirmed');
    });
    expect((await evidenceOf(id)).filter(({ kind }) => kind === 'absent-yet').length).toBeGreaterThan(1);
    expect(await fakes.submissions(payment)).toHaveLength(1);
    await oneRefund(payment);
  });
});

describe('Square’s shape: lists that lag, and keys of a window that nobody publishes', () => {
  const square = shapeHouse('square', (apiBase) =>
    createSquareAdapter({ accessToken: 'token', apiBase, nowMs: Date.now }),
  );

  // Red when: a window that is not published is taken for one, or an empty list for an absence.
  test.each(['execute_then_drop', 'execute_then_500'])(
    'an answer lost to %s and a list that is behind: one request ever, confirmed once it is listed',
    async (fault) => {
      const { house, newOrder, worker, statesOf, evidenceOf, oneRefund } = square();
      const { order, payment } = await newOrder();
      // Long enough for two looks on a busy machine.
      await fakes.fault('square', payment, { do: fault, ms: 5_000 });
      const id = await house.approved(order, 2_500);
      await whileRunning(worker(), async () => {
        await house.settled(id, 'confirmed');
      });
      expect(await statesOf(id)).not.toContain('failed');
      expect((await evidenceOf(id)).filter(({ kind }) => kind === 'absent-yet').length).toBeGreaterThan(1);
      expect(await fakes.submissions(payment)).toHaveLength(1);
      await oneRefund(payment);
    },
  );

  test('a request cut before anything was done is not sent again: unknown, and a person decides', async () => {
    const { house, newOrder, worker, figures } = square();
    const { order, payment } = await newOrder();
    await fakes.fault('square', payment, { do: 'drop_before' });
    const id = await house.approved(order, 2_500);
    await whileRunning(worker({ needsPersonAfterMs: 1_000 }), async () => {
      await eventually(async () => (await house.operation(id)).attention.length > 0, 20_000);
    });
    expect(await house.operation(id)).toMatchObject({ state: 'outcome_unknown' });
    expect(await figures(payment)).toMatchObject({ reserved: 2_500, refunded: 0 });
    expect(await fakes.submissions(payment)).toHaveLength(1);
    expect(await fakes.ledger(payment)).toHaveLength(0);
  });
});

describe('a gateway without key and look-up: once, and then a person', () => {
  const gateway = shapeHouse('gateway', (apiBase) =>
    createSingleShotAdapter({ password: 'word', apiBase, books: 'none', nowMs: Date.now }),
  );

  // Red when: anything after the first request leaves for a provider that cannot tell it from another refund.
  test.each([
    ['execute_then_drop', 1],
    ['execute_then_500', 1],
    ['drop_before', 0],
  ])('an answer lost to %s: one request ever, unknown, and a person decides', async (fault, refunds) => {
    const { house, newOrder, worker, figures, statesOf, evidenceOf } = gateway();
    const { order, payment } = await newOrder();
    await fakes.fault('gateway', payment, { do: fault });
    const id = await house.approved(order, 2_500);
    await whileRunning(worker({ needsPersonAfterMs: 1_000 }), async () => {
      await eventually(async () => (await house.operation(id)).attention.length > 0, 20_000);
    });
    expect(await house.operation(id)).toMatchObject({
      ...{ state: 'outcome_unknown', attention: [expect.objectContaining({ reason: 'outcome-unresolved' })] },
    });
    expect(await statesOf(id)).not.toContain('failed');
    // A question that there is not leaves no evidence, however often its time comes.
    expect(await evidenceOf(id)).toEqual([{ source: 'response', kind: 'unknown' }]);
    expect(await figures(payment)).toMatchObject({ reserved: 2_500, refunded: 0 });
    expect(await fakes.submissions(payment)).toHaveLength(1);
    expect(await fakes.ledger(payment)).toHaveLength(refunds);
  });

  // Red when: after a restore our own record still counts as knowing what was sent.
  test('F125: approved before a restore that may have forgotten its request: nobody can tell, so nothing is ever sent', async () => {
    const { house, newOrder, worker } = gateway();
    const { order, payment } = await newOrder();
    const id = await house.approved(order, 2_500);
    await house.database.admin`update organisations set generation = gen_random_uuid()`;
    await whileRunning(worker(), async () => {
      await eventually(async () => (await house.operation(id)).waiting_for === 'provider');
    });
    expect(await house.operation(id)).toMatchObject({ state: 'approved', attempt_count: 0 });
    expect(await fakes.submissions(payment)).toHaveLength(0);
  });

  test('an equal refund of the payment waits while one is unknown, and another amount does not', async () => {
    const { house, newOrder, worker } = gateway();
    const { order, payment } = await newOrder();
    await fakes.fault('gateway', payment, { do: 'execute_then_drop' });
    const first = await house.approved(order, 2_000);
    await worker().runOnce();
    expect((await house.operation(first)).state).toBe('outcome_unknown');
    const equal = await house.approved(order, 2_000, { differentFrom: [first] });
    const unequal = await house.approved(order, 1_500, { differentFrom: [first, equal] });
    await whileRunning(worker(), async () => {
      await house.settled(unequal, 'confirmed');
      await eventually(async () => (await house.operation(equal)).waiting_for === 'payment');
    });
    expect(await house.operation(equal)).toMatchObject({ state: 'approved', attempt_count: 0 });
    expect(await fakes.ledger(payment)).toMatchObject([{ amount: 2_000 }, { amount: 1_500 }]);
  });
});

describe('a gateway whose statement names nobody', () => {
  const gateway = shapeHouse('gateway', (apiBase) =>
    createSingleShotAdapter({ password: 'word', apiBase, books: 'statement', nowMs: Date.now }),
  );
  const reasonsOf = async (id: string): Promise<readonly string[]> =>
    (await gateway().house.operation(id)).attention.map(({ reason }) => reason);

  // Red when: an entry of the statement is taken for ours by its amount.
  test('an answer lost and one equal entry: neither ours nor absent, and a person decides', async () => {
    const { house, newOrder, worker, evidenceOf } = gateway();
    const { order, payment } = await newOrder();
    await fakes.fault('gateway', payment, { do: 'execute_then_drop' });
    const id = await house.approved(order, 2_500);
    await whileRunning(worker(), async () => {
      await eventually(async () => (await evidenceOf(id)).some(({ kind }) => kind === 'unattributed'));
      await eventually(async () => (await reasonsOf(id)).length > 0);
    });
    expect(await house.operation(id)).toMatchObject({ state: 'outcome_unknown', provider_reference: null });
    expect(await reasonsOf(id)).toEqual(['conflicting-evidence']);
    expect(await fakes.ledger(payment)).toHaveLength(1);
    expect(await fakes.submissions(payment)).toHaveLength(1);
  });

  test('two equal ones sent and unknown, one of them paid: a person gets them as a pair, and neither is guessed', async () => {
    const { house, newOrder, worker, sentenceOf, figures } = gateway();
    const { order, payment } = await newOrder();
    await fakes.fault('gateway', payment, { do: 'execute_then_drop', ms: 3_000 });
    await fakes.fault('gateway', payment, { do: 'drop_before' });
    const first = await house.approved(order, 2_000);
    const second = await house.approved(order, 2_000, { differentFrom: [first] });
    // The second leaves beside the first only because its contract claims until now that its records name us.
    const believed = { contract: { ...gateway().contract, echoesReference: true } };
    await whileRunning(worker({ checkBackoffMs: [200] }, believed), async () => {
      await house.settled(first, 'outcome_unknown');
      await house.settled(second, 'outcome_unknown');
    });
    await whileRunning(worker(), async () => {
      for (const id of [first, second])
        await eventually(async () => (await reasonsOf(id)).length > 0, 20_000);
    });
    for (const id of [first, second]) {
      const row = await house.operation(id);
      expect(row).toMatchObject({ state: 'outcome_unknown', provider_reference: null, attempt_count: 1 });
      expect(await reasonsOf(id)).toEqual(['conflicting-evidence']);
      expect(row.settlement).toMatchObject({ unattributed: { refunds: 1, operations: 2 } });
      expect(await sentenceOf(id)).toContain('1 of 2 paid');
    }
    expect(await fakes.submissions(payment)).toHaveLength(2);
    expect(await fakes.ledger(payment)).toHaveLength(1);
    expect(await figures(payment)).toMatchObject({ reserved: 4_000, refunded: 0 });
  });
});
