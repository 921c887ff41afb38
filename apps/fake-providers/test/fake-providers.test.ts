import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProgram, type Program } from '../src/program.ts';

// How each shape behaves is held by the adapters' suite, which runs over this program. Here: what only its controls show.
let program: Program;
let base: string;
beforeAll(async () => {
  program = await startProgram(0);
  base = `http://127.0.0.1:${String(program.port)}`;
});
afterAll(() => program.stop());

const control = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${base}${path}`, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

const refund = (payment: string, key: string, value = '25.00') =>
  fetch(`${base}/mollie/v2/payments/${payment}/refunds`, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'idempotency-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: { value, currency: 'EUR' } }),
  });

const pay = (id: string) =>
  control('POST', '/fake/payments', [{ provider: 'mollie', id, amount: 10_000, currency: 'EUR' }]);

const ledgerOf = async (payment: string) =>
  ((await control('GET', '/fake/ledger')).body['refunds'] as { payment: string }[]).filter(
    (one) => one.payment === payment,
  );

describe('the controls of the fake providers', () => {
  // Red when: the books are changed by a call that was cut before it was read.
  test('a fault meets the next refund of its payment, so many times, and no other', async () => {
    await Promise.all([pay('tr_a'), pay('tr_b')]);
    const fault = { provider: 'mollie', payment: 'tr_a', do: 'drop_before', times: 2 };
    await control('POST', '/fake/faults', fault);
    expect((await refund('tr_b', 'b1')).status).toBe(201);
    await expect(refund('tr_a', 'a1')).rejects.toThrow();
    await expect(refund('tr_a', 'a1')).rejects.toThrow();
    expect(await ledgerOf('tr_a')).toHaveLength(0);
    expect((await refund('tr_a', 'a1')).status).toBe(201);
    expect(await ledgerOf('tr_a')).toHaveLength(1);
  });

  test('faults are cleared together, and what is no fault is refused with why', async () => {
    await pay('tr_c');
    await control('POST', '/fake/faults', { provider: 'mollie', payment: 'tr_c', do: 'rate_limit' });
    await control('DELETE', '/fake/faults');
    expect((await refund('tr_c', 'c1')).status).toBe(201);
    const wrong = await control('POST', '/fake/faults', {
      provider: 'mollie',
      payment: 'tr_c',
      do: 'explode',
    });
    expect(wrong.status).toBe(400);
    expect(String(wrong.body['problem'])).toContain('do');
  });

  test('the clock moves what is remembered, and comes back', async () => {
    await pay('tr_d');
    await refund('tr_d', 'd1');
    await refund('tr_d', 'd1');
    expect(await ledgerOf('tr_d')).toHaveLength(1);
    await control('POST', '/fake/clock', { aheadMs: 3_600_000 });
    await refund('tr_d', 'd1');
    expect(await ledgerOf('tr_d')).toHaveLength(2);
    await control('POST', '/fake/clock', { aheadMs: 0 });
  });

  test('more than is left is refused, and the books stay as they were', async () => {
    await pay('tr_e');
    await refund('tr_e', 'e1', '99.00');
    expect((await refund('tr_e', 'e2', '1.01')).status).toBe(422);
    expect(await ledgerOf('tr_e')).toHaveLength(1);
  });
});
