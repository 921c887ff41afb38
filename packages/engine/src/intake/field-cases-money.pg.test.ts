import { afterAll, beforeAll, expect, test } from 'vitest';
import { stripeContract } from '@holdfast/providers/stripe';
import {
  ada,
  approval,
  ben,
  createEngineHouse,
  mint,
  operationIn,
  orderInput,
  problemIn,
  proposal,
  shop,
  slugIn,
  type EngineHouse,
} from '../../test/engine-house.ts';
import { createScriptedProvider } from '../../test/scripted-provider.ts';

let house: EngineHouse;
beforeAll(async () => {
  const { adapter } = createScriptedProvider();
  const contract = { ...adapter.contract, money: stripeContract.money };
  house = await createEngineHouse({ adapter: { ...adapter, contract }, maximum: 12 });
});
afterAll(() => house.close());

const orderIn = (currency: string, capturedMinor: number): Promise<string> =>
  house.order({ currency, capturedMinor });
const propose = async (orderId: string, minor: number, currency: string) => {
  const command = proposal(orderId, minor, { amount: { minor, currency } });
  const [result] = await house.give(ada, command);
  return { id: command.operationId, result };
};
const rowsOf = async (operationId: string): Promise<number> =>
  (await house.database.admin`select 1 from operations where id = ${operationId}`).length;

// Red when: `judgeRefundMoney` is not asked, or asked only when the claim encodes the request.
test('F070: what the provider’s units cannot say is refused when it is proposed, by its field and with what can be asked', async () => {
  const cases = [
    ['KWD', 18_600, 1_235, 'amount.minor', 'KWD 1.230 or KWD 1.240'],
    ['BHD', 18_600, 18_599, 'amount.minor', 'BHD 18.590 or BHD 18.600'],
    ['MGA', 50_000, 150, 'amount.minor', 'MGA 1.00 or MGA 2.00'],
    ['USD', 2_000_000_000_000, 1_000_000_000_000, 'amount.minor', 'USD 9,999,999,999.99'],
    ['EUR', 10_000, 1_000, 'amount.currency', 'IQD'],
  ] as const;
  for (const [currency, captured, minor, path, remedy] of cases) {
    const orderId = await orderIn(currency, captured);
    const { id, result } = await propose(orderId, minor, path === 'amount.currency' ? 'IQD' : currency);
    expect(slugIn(result)).toBe('invalid');
    expect(problemIn(result)).toMatchObject({ status: 422, final: true, operationId: id });
    expect(problemIn(result).issues?.map((issue) => issue.path)).toEqual([path]);
    expect(problemIn(result).issues?.[0]?.message).toContain(remedy);
    expect(await rowsOf(id)).toBe(0);
  }
});

// Red when: a step or a largest amount is applied where the provider has none.
test('F070: to the last digit that the provider takes, it is accepted, and said with the currency’s own decimals', async () => {
  const cases = [
    ['KWD', 18_600],
    ['UGX', 1],
    ['ISK', 9_999_999_999],
    ['JPY', 4_294_967_297],
    ['IDR', 999_999_999_999],
  ] as const;
  for (const [currency, minor] of cases) {
    const { result } = await propose(await orderIn(currency, minor), minor, currency);
    const operation = operationIn(result);
    expect(operation).toMatchObject({ state: 'proposed', amount: { minor, currency } });
    const approved = operationIn((await house.give(ben, approval(operation)))[0]);
    expect(approved).toMatchObject({ state: 'approved', amount: { minor, currency } });
  }
  const tooMuch = await propose(await orderIn('KWD', 18_600), 18_610, 'KWD');
  expect(slugIn(tooMuch.result)).toBe('exceeds-refundable');
  expect(problemIn(tooMuch.result).detail).toBe('Only KWD 18.600 is left.');
});

// Red when: `judgeOrder` does not ask for the currency, or argues with how much was captured.
test('an order whose payment is in a currency that the provider is not known to take is refused by that field, with what to do', async () => {
  const input = orderInput({ currency: 'LYD', capturedMinor: 5_000 });
  const answer = await house.engine.putOrder(house.as(shop), 'order-lyd', input);
  expect(answer).toMatchObject({ ok: false, problem: { status: 422, final: true } });
  if (answer.ok) throw new Error('the order was taken');
  expect(answer.problem.issues).toEqual([
    {
      path: 'payment.captured.currency',
      message: expect.stringMatching(/LYD.*Use the currency in which/) as string,
    },
  ]);
  expect(await house.engine.getOrder(house.as(ada), 'order-lyd')).toBeNull();
  // A fact from outside is not argued with: what was captured was captured.
  const odd = await house.engine.putOrder(
    house.as(shop),
    'order-kwd',
    orderInput({ currency: 'KWD', capturedMinor: 18_605 }),
  );
  expect(odd).toMatchObject({ ok: true, item: { captured: { minor: 18_605, currency: 'KWD' } } });
});

// Red when: `judgeEligibility` does not compare the currencies, or compares amounts across them.
test('F079: a refund in the shop’s currency instead of the charge’s is refused; the approver sees the charge’s currency and total', async () => {
  const orderId = await orderIn('INR', 9_863_300);
  const { id, result } = await propose(orderId, 100_000, 'GBP');
  expect(slugIn(result)).toBe('not-eligible');
  expect(problemIn(result).reasons?.map(({ reason }) => reason)).toContain('currency-differs');
  expect(problemIn(result).detail).toContain('INR');
  expect(await rowsOf(id)).toBe(0);
  const operation = operationIn((await propose(orderId, 100_000, 'INR')).result);
  expect(operation.amount).toEqual({ minor: 100_000, currency: 'INR' });
  const order = await house.engine.getOrder(house.as(ben), orderId);
  expect(order?.captured).toEqual({ minor: 9_863_300, currency: 'INR' });
});

// Red when: IDs of the provider are folded, or compared without case (a collation), or operation IDs are not folded.
test('F111: two payments whose references differ in case alone are two payments; an operation’s ID is one in any case', async () => {
  const [upper, lower] = ['ch_AbC1', 'ch_aBc1'];
  const orders: string[] = [];
  for (const reference of [upper, lower]) {
    const captured = { minor: 10_000, currency: 'EUR' };
    orders.push(await house.order({ payment: { provider: 'stripe', reference, captured } }));
  }
  const { id, result } = await propose(orders[1] ?? '', 4_000, 'EUR');
  const operation = operationIn(result);
  expect(operation.paymentReference).toBe(lower);
  expect(operationIn((await house.give(ben, approval(operation)))[0]).state).toBe('approved');
  const refundable = await Promise.all(
    orders.map(async (order) => (await house.engine.getOrder(house.as(ada), order))?.refundable.minor),
  );
  expect(refundable).toEqual([10_000, 6_000]);
  const lookedUp = await house.engine.lookUp(house.as(ada), [id.toUpperCase()]);
  expect(lookedUp.operations[id.toUpperCase()]?.id).toBe(id);
  expect((await house.engine.getOperation(house.as(ada), id.toUpperCase()))?.id).toBe(id);
});

// Red when: the insert has no conflict rule (the lock of one payment cannot keep an ID unique over two payments).
test('F024: one ID from many connections at the same moment, for two payments, is one row and one entry in its history', async () => {
  for (let round = 0; round < 5; round += 1) {
    const operationId = mint();
    const orderIds = [await house.order(), await house.order()];
    const commands = Array.from({ length: 10 }, (_, at) =>
      proposal(orderIds[at % 2] ?? '', 1_000, { operationId }),
    );
    const results = await Promise.all(commands.map((command) => house.give(ada, command)));
    const ends = results.map(([result]) => (result?.status === 'rejected' ? slugIn(result) : result?.status));
    expect(ends.toSorted()).toEqual([
      'applied',
      ...Array.from({ length: 5 }, () => 'operation-mismatch'),
      ...Array.from({ length: 4 }, () => 'replayed'),
    ]);
    expect(await rowsOf(operationId)).toBe(1);
    const audit = await house.database.admin<{ type: string }[]>`
      select type from audit where operation_id = ${operationId}`;
    expect(audit.filter(({ type }) => type === 'propose')).toHaveLength(1);
  }
});
