import type { Amount } from '@holdfast/operation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProviderUnderTest } from './conformance/provider-under-test.ts';
import { startFakeStripe } from './fake-stripe-under-test.ts';
import { refundRequest } from './stripe-objects.ts';

let provider: ProviderUnderTest;
beforeAll(async () => {
  provider = await startFakeStripe();
});
afterAll(() => provider.stop());

/** The same money three times: ISO minor units, the body that leaves us, and what is left at the provider. */
const cases: readonly (readonly [captured: Amount, refunded: number, sent: string])[] = [
  [{ minor: 18_600, currency: 'KWD' }, 18_600, 'amount=18600'],
  [{ minor: 5_000, currency: 'JPY' }, 1_234, 'amount=1234'],
  [{ minor: 9_900, currency: 'ISK' }, 4_950, 'amount=495000'],
  [{ minor: 37_000, currency: 'UGX' }, 36_999, 'amount=3699900'],
  [{ minor: 3_000_000_000, currency: 'KRW' }, 2_999_999_999, 'amount=2999999999'],
  [{ minor: 50_000_000_000, currency: 'VND' }, 49_999_999_999, 'amount=49999999999'],
  [{ minor: 12_345_600, currency: 'MGA' }, 12_345_600, 'amount=123456'],
  [{ minor: 5_000_000_000, currency: 'USD' }, 4_294_967_297, 'amount=4294967297'],
];

describe('money over the wire, with Stripe’s own client and a ledger to compare with', () => {
  // Red when: a currency's factor is wrong in one direction, or an amount is squeezed through 32 bits.
  test.each(cases)(
    'F070: of %j, %i refunded leaves as "%s" and is read back as the same money',
    async (captured, refunded, sent) => {
      const amount = { minor: refunded, currency: captured.currency };
      const paymentReference = await provider.pay(captured);
      const request = refundRequest({
        paymentReference,
        amount,
        idempotencyKey: `money-${captured.currency}`,
      });
      const encoded = provider.adapter.encodeRefund(request);
      if (!encoded.ok) throw new Error(encoded.because);
      expect(encoded.request.body.split('&')).toContain(sent);
      const { finding } = await provider.adapter.submit(encoded.request, request, Date.now() + 10_000);
      expect(finding).toMatchObject({ kind: 'accepted', record: { amount, status: 'succeeded' } });
      const answer = await provider.adapter.askAboutPayment(paymentReference, Date.now() + 10_000);
      expect(answer).toMatchObject({ kind: 'answer', captured, refunds: [{ amount }] });
    },
  );

  // Red when: the adapter rounds instead of refusing (the fake, like Stripe, would then be asked).
  test.each([
    ['KWD', 1_235],
    ['MGA', 150],
  ])('F070: %s %i cannot be said to Stripe, and no request leaves', async (currency, minor) => {
    const paymentReference = await provider.pay({ minor: 10_000, currency });
    const request = refundRequest({ paymentReference, amount: { minor, currency } });
    expect(provider.adapter.encodeRefund(request)).toMatchObject({ ok: false });
    expect(await provider.books(paymentReference)).toEqual([]);
  });
});
