import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLine } from '../src/command-line/workplace.ts';
import { importOrders, orderColumns } from '../src/import/import-orders.ts';
import { mintId, openHouse, proposalOf, type Answered, type House } from './house-rig.ts';

let house: House;
let agent: string;
let approver: string;
let integrator: string;
beforeAll(async () => {
  house = await openHouse();
  agent = await house.key('agent');
  approver = await house.key('approver');
  integrator = await house.key('integrator');
  await house.order('zero');
});
afterAll(() => house.stop());

type Money = { readonly minor: number; readonly currency: string };
type Refund = {
  readonly payment_intent: string;
  readonly amount: number;
  readonly currency: string;
  readonly metadata: Record<string, string>;
};

const atTheFake = async (route: string, body?: unknown): Promise<unknown> => {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${house.fake.access.apiBase}/fake/${route}`, init);
  if (!response.ok) throw new Error(`${route}: ${String(response.status)} ${await response.text()}`);
  return response.json();
};
const ledger = async (payment: string): Promise<Refund[]> =>
  ((await atTheFake('ledger')) as { refunds: Refund[] }).refunds.filter(
    ({ payment_intent }) => payment_intent === payment,
  );

const putOrder = (id: string, reference: string, captured: Money): Promise<Answered> =>
  house.ask('PUT', `/v1/orders/${id}`, {
    key: integrator,
    body: {
      customer: { id: 'c-1', name: 'Ann' },
      payment: { provider: 'stripe', reference, captured },
      lines: [],
      returns: [{ id: `r-${id}`, status: 'received' }],
      placedAt: new Date(Date.now() - 86_400_000).toISOString(),
    },
  });
/** An order whose payment the provider took too, `providerAmount` in the provider's own units. */
const paidOrder = async (id: string, captured: Money, providerAmount = captured.minor): Promise<string> => {
  const payment = `pi_${id.replaceAll('-', '')}`;
  const currency = captured.currency.toLowerCase();
  await atTheFake('payment_intents', [{ id: payment, amount: providerAmount, currency }]);
  expect((await putOrder(id, payment, captured)).status).toBe(201);
  return payment;
};

const put = (id: string, body: unknown): Promise<Answered> =>
  house.ask('PUT', `/v1/operations/${id}`, { key: agent, body });
const asCommand = async (id: string, body: object): Promise<Record<string, unknown>> => {
  const command = { ...body, type: 'propose', commandId: id, operationId: id };
  const answer = await house.ask('POST', '/v1/commands', { key: agent, body: { commands: [command] } });
  const [result] = answer.body['results'] as Record<string, unknown>[];
  return result ?? {};
};
const rows = async (id: string): Promise<number> =>
  (await house.admin`select 1 from operations where id = ${id}`).length;

/** Proposed, approved, and carried out until its state is one that the test wants. */
const carriedOut = async (
  orderId: string,
  amount: Money,
  state = 'confirmed',
): Promise<Record<string, unknown>> => {
  const id = mintId();
  const proposed = await put(id, { ...proposalOf(orderId), amount });
  expect([proposed.status, proposed.body['detail']]).toEqual([201, undefined]);
  const approval = { commandId: mintId(), fingerprint: proposed.body['fingerprint'] };
  await house.ask('POST', `/v1/operations/${id}/approve`, { key: approver, body: approval });
  for (let pass = 0; pass < 50; pass += 1) {
    await house.opened.made.worker.runOnce();
    const { body } = await house.ask('GET', `/v1/operations/${id}`, { key: agent });
    if (body['state'] === state) return body;
  }
  throw new Error(`${id} did not become ${state}`);
};

const issuesOf = (problem: unknown): { path: string; message: string }[] =>
  (problem as { issues?: { path: string; message: string }[] }).issues ?? [];

describe('an amount that cannot be one', () => {
  // Red when: the schema coerces, or zero and what looks like it pass for "all of it".
  it.each(['0', '"0"', '""', 'null', 'false', '-0', '-1', '1.5', '"10.00"', '9007199254740993', '1e400'])(
    'F074: %s is refused by its field before anything is stored, alone and in a batch',
    async (minor) => {
      const id = mintId();
      const fields = `"kind":"refund","orderId":"zero","reason":"returned","amount":{"minor":${minor},"currency":"EUR"}`;
      const alone = await house.ask('PUT', `/v1/operations/${id}`, { key: agent, raw: `{${fields}}` });
      expect([alone.status, issuesOf(alone.body)[0]?.path]).toEqual([422, 'amount.minor']);
      const command = `{${fields},"type":"propose","commandId":"${id}","operationId":"${id}"}`;
      const batch = await house.ask('POST', '/v1/commands', { key: agent, raw: `{"commands":[${command}]}` });
      const [result] = batch.body['results'] as { status: string; problem: unknown }[];
      expect([result?.status, issuesOf(result?.problem)[0]?.path]).toEqual(['rejected', 'amount.minor']);
      expect(await rows(id)).toBe(0);
    },
  );
});

describe('an amount that the provider’s units cannot say', () => {
  // Red when: one of the ways in does not ask the provider's contract.
  it('F070: is refused by its field and with what to do, alone and in a batch', async () => {
    const payment = await paidOrder('kwd-refused', { minor: 18_600, currency: 'KWD' });
    const body = { ...proposalOf('kwd-refused'), amount: { minor: 1_235, currency: 'KWD' } };
    const id = mintId();
    const alone = await put(id, body);
    expect([alone.status, alone.body['final'], alone.body['operationId']]).toEqual([422, true, id]);
    expect(issuesOf(alone.body)).toEqual([
      { path: 'amount.minor', message: expect.stringContaining('KWD 1.230 or KWD 1.240') as string },
    ]);
    const result = await asCommand(id, body);
    expect([result['status'], issuesOf(result['problem'])]).toEqual(['rejected', issuesOf(alone.body)]);
    expect(await rows(id)).toBe(0);
    expect(await ledger(payment)).toEqual([]);
  });

  // Red when: an order's currency is not asked about, so that its refunds would be stuck.
  it('an order in a currency that the provider is not known to take is refused by that field, put or imported', async () => {
    const answer = await putOrder('lyd', 'pi_lyd', { minor: 5_000, currency: 'LYD' });
    const issues = [
      {
        path: 'payment.captured.currency',
        message: expect.stringMatching(/LYD.*Use the currency/) as string,
      },
    ];
    expect([answer.status, issuesOf(answer.body)]).toEqual([422, issues]);
    const unknown = await putOrder('zzz', 'pi_zzz', { minor: 5_000, currency: 'ZZZ' });
    expect([unknown.status, issuesOf(unknown.body)[0]?.path]).toEqual([422, 'payment.captured.currency']);
    const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-currency-'));
    const file = path.join(folder, 'orders.csv');
    const row = ['lyd-csv', 'c', 'Ann', 'pi_lydcsv', '5.000', 'LYD', '2026-11-01', 's', 'Lamp', '1', '5.000'];
    await writeFile(file, [orderColumns.join(','), [...row, '', '', ''].join(',')].join('\n'));
    const report = await importOrders(house.opened.made.engine, commandLine(house.organisationId), file);
    await rm(folder, { recursive: true });
    expect(report).toMatchObject({ created: 0 });
    expect(report.badRows).toEqual([
      { row: 2, reason: expect.stringMatching(/^payment\.captured\.currency: .*LYD/) as string },
    ]);
    const known = await house.admin`select order_id from orders where order_id in ('lyd', 'zzz', 'lyd-csv')`;
    expect(known).toHaveLength(0);
  });
});

describe('money from the proposal to the provider’s ledger', () => {
  // Red when: a currency's factor is wrong, or an amount is cut to 32 bits anywhere on its way.
  it.each([
    ['KWD', 18_600, 18_600, 18_600],
    ['JPY', 5_000, 5_000, 5_000],
    ['UGX', 37_000, 3_700_000, 3_700_000],
    ['ISK', 9_900, 990_000, 990_000],
    ['VND', 50_000_000_000, 50_000_000_000, 50_000_000_000],
    ['USD', 4_294_967_297, 4_294_967_297, 4_294_967_297],
  ])(
    'F081: %s %i, refunded whole, is %i there, and nothing is left here',
    async (currency, minor, there, captured) => {
      const order = `whole-${currency.toLowerCase()}`;
      const payment = await paidOrder(order, { minor, currency }, captured);
      const operation = await carriedOut(order, { minor, currency });
      expect(await ledger(payment)).toMatchObject([{ amount: there, currency: currency.toLowerCase() }]);
      expect(operation).toMatchObject({ amount: { minor, currency }, attention: [] });
      const zero = { minor: 0, currency };
      expect((await house.ask('GET', `/v1/orders/${order}`, { key: agent })).body).toMatchObject({
        captured: { minor, currency },
        refunded: { minor, currency },
        refundedElsewhere: zero,
        reserved: zero,
        refundable: zero,
      });
    },
  );

  // Red when: the request leaves without an amount (the provider then refunds everything), or its answer is not compared.
  it('F076: every request that ever left says its amount, and an answer with another amount is never taken for ours', async () => {
    const payment = await paidOrder('compared', { minor: 10_000, currency: 'EUR' });
    await atTheFake('faults', {
      on: 'refund.create',
      do: 'wrong_amount',
      amount: 9_000,
      paymentIntent: payment,
    });
    const id = mintId();
    const proposed = await put(id, { ...proposalOf('compared'), amount: { minor: 1_000, currency: 'EUR' } });
    const approval = { commandId: mintId(), fingerprint: proposed.body['fingerprint'] };
    await house.ask('POST', `/v1/operations/${id}/approve`, { key: approver, body: approval });
    await house.opened.made.worker.runOnce();
    const { body } = await house.ask('GET', `/v1/operations/${id}`, { key: agent });
    expect(body['state']).not.toBe('confirmed');
    expect(body['needsPerson']).toBe(true);
    expect(body['attention']).toMatchObject([{ reason: 'amount-differs' }]);
    const { requests } = (await atTheFake('requests')) as { requests: { path: string; body: string }[] };
    expect(requests.length).toBeGreaterThan(0);
    for (const request of requests.filter((one) => one.path === '/v1/refunds')) {
      expect(new URLSearchParams(request.body).get('amount')).toMatch(/^[1-9]\d*$/);
    }
  });

  // Red when: the currency of a proposal is taken for the payment's without being compared.
  it('F079: a refund in the shop’s currency of a charge in another is refused, and nothing is asked of the provider', async () => {
    const payment = await paidOrder('inr', { minor: 9_863_300, currency: 'INR' });
    const id = mintId();
    const answer = await put(id, { ...proposalOf('inr'), amount: { minor: 100_000, currency: 'GBP' } });
    expect([answer.status, answer.body['reasons']]).toEqual([
      422,
      [{ reason: 'currency-differs', sentence: expect.stringContaining('INR') as string }],
    ]);
    expect([await rows(id), await ledger(payment)]).toEqual([0, []]);
  });

  // Red when: the reference is folded anywhere between the proposal, the request and the look-up.
  it('F111: of two charges whose names differ in case alone, exactly the one that was named is refunded', async () => {
    const charges = ['ch_AbC1', 'ch_aBc1'];
    for (const [at, charge] of charges.entries()) {
      await atTheFake('payment_intents', [
        { id: `pi_case${String(at)}`, charge, amount: 10_000, currency: 'eur' },
      ]);
      const captured = { minor: 10_000, currency: 'EUR' };
      expect((await putOrder(`case-${String(at)}`, charge, captured)).status).toBe(201);
    }
    const operation = await carriedOut('case-1', { minor: 4_000, currency: 'EUR' });
    expect(operation['paymentReference']).toBe('ch_aBc1');
    expect([await ledger('pi_case0'), await ledger('pi_case1')]).toMatchObject([[], [{ amount: 4_000 }]]);
    const shouted = await house.ask('GET', `/v1/operations/${String(operation['id']).toUpperCase()}`, {
      key: agent,
    });
    expect(shouted.body['id']).toBe(operation['id']);
  });
});

describe('what a client sends again, and what it may write', () => {
  // Red when: a proposal sent again is stored again, or answered with something else than what is stored.
  it('F008: sent again after a gateway gave up, it is answered with the stored one: one row, one entry', async () => {
    await house.order('gateway');
    const id = mintId();
    const first = await put(id, proposalOf('gateway'));
    const again = await put(id, proposalOf('gateway'));
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    const audit = await house.admin<{ type: string }[]>`select type from audit where operation_id = ${id}`;
    expect([await rows(id), audit.map(({ type }) => type)]).toEqual([1, ['propose']]);
  });

  // Red when: a store that takes nothing is called a mistake for good, or what was not stored is carried out.
  it('F024: while the store takes nothing a proposal is answered 503 and nothing is done; two at once later are one row', async () => {
    const payment = await paidOrder('away', { minor: 5_000, currency: 'EUR' });
    const id = mintId();
    await house.admin.unsafe(`
      create function store_is_away() returns trigger language plpgsql as $$
      begin raise exception 'the database system is starting up' using errcode = '57P03'; end $$;
      create trigger store_is_away before insert on operations execute function store_is_away()`);
    const refused = await put(id, proposalOf('away'));
    await house.admin.unsafe('drop trigger store_is_away on operations');
    expect([refused.status, refused.body['final']]).toEqual([503, false]);
    await house.opened.made.worker.runOnce();
    expect([await rows(id), await ledger(payment)]).toEqual([0, []]);
    const both = await Promise.all([put(id, proposalOf('away')), put(id, proposalOf('away'))]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 201]);
    expect(await rows(id)).toBe(1);
  });

  // Red when: text is cut or counted by halves of characters, what no database keeps is let in, or an ID is cut.
  it('F113: 400 emoji are kept whole, half of one and NUL are refused by their field, and the provider hears the whole ID', async () => {
    const payment = await paidOrder('emoji', { minor: 5_000, currency: 'EUR' });
    const note = '返金🎁'.repeat(133) + '🎁';
    const id = mintId();
    const proposed = await put(id, { ...proposalOf('emoji'), note });
    expect([proposed.status, proposed.body['note']]).toEqual([201, note]);
    for (const bad of ['half \\ud83c', '\\ude00 half', 'nul \\u0000']) {
      const raw = `{"kind":"refund","orderId":"emoji","reason":"other","amount":{"minor":1,"currency":"EUR"},"note":"${bad}"}`;
      const answer = await house.ask('PUT', `/v1/operations/${mintId()}`, { key: agent, raw });
      expect([answer.status, issuesOf(answer.body).map((issue) => issue.path)]).toEqual([422, ['note']]);
    }
    const approval = { commandId: mintId(), fingerprint: proposed.body['fingerprint'] };
    await house.ask('POST', `/v1/operations/${id}/approve`, { key: approver, body: approval });
    await house.opened.made.worker.runOnce();
    const [refund] = await ledger(payment);
    expect(refund?.metadata['holdfast_operation']).toBe(id);
    for (const value of Object.values(refund?.metadata ?? {})) {
      expect(Buffer.byteLength(value)).toBeLessThanOrEqual(500);
    }
  });
});
