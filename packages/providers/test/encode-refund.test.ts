import fc from 'fast-check';
import { refundReasons, type Amount } from '@holdfast/operation';
import { describe, expect, test } from 'vitest';
import { createStripeAdapter } from '../src/stripe/stripe.ts';
import { operationId, organisationId, refundRequest } from './stripe-objects.ts';

const adapter = createStripeAdapter({ secretKey: 'sk_test_x', nowMs: () => 0 });

const fieldsOf = (body: string): Record<string, string> => Object.fromEntries(new URLSearchParams(body));

const encoded = (changes: Parameters<typeof refundRequest>[0] = {}): Record<string, string> => {
  const result = adapter.encodeRefund(refundRequest(changes));
  if (!result.ok) throw new Error(result.because);
  return fieldsOf(result.request.body);
};

describe('a refund as the bytes that are stored and sent', () => {
  test('says the amount, the payment and whose it is, under one key and a pinned API version', () => {
    expect(adapter.encodeRefund(refundRequest())).toEqual({
      ok: true,
      request: {
        method: 'POST',
        path: '/v1/refunds',
        contentType: 'application/x-www-form-urlencoded',
        body:
          'payment_intent=pi_A&amount=1250&reason=requested_by_customer' +
          `&metadata[holdfast_organisation]=${organisationId}&metadata[holdfast_operation]=${operationId}`,
        idempotencyKey: `holdfast-${operationId}`,
        apiVersion: '2026-10-28.endive',
      },
    });
  });

  test('is the same bytes every time', () => {
    expect(adapter.encodeRefund(refundRequest())).toEqual(adapter.encodeRefund(refundRequest()));
  });

  // Red when: the default of the reason's mapping becomes the reason itself.
  test('only a fraud is called one: Stripe puts the customer on block lists for it', () => {
    const sent = Object.fromEntries(refundReasons.map((reason) => [reason, encoded({ reason })['reason']]));
    const expected = Object.fromEntries(refundReasons.map((reason) => [reason, 'requested_by_customer']));
    expect(sent).toEqual({ ...expected, duplicate_charge: 'duplicate', fraudulent: 'fraudulent' });
  });

  test.each([
    ['pi_A', 'payment_intent'],
    ['ch_A', 'charge'],
    ['py_A', 'charge'],
  ])('a payment %s is named as %s', (paymentReference, field) => {
    const fields = encoded({ paymentReference });
    expect(fields[field]).toBe(paymentReference);
    expect('payment_intent' in fields && 'charge' in fields).toBe(false);
  });

  // Red when: an ID is cut to fit, or bytes are not what is counted.
  test('F113: IDs that just fit in bytes leave whole', () => {
    const organisation = '🎁'.repeat(125);
    expect(encoded({ organisationId: organisation })['metadata[holdfast_organisation]']).toBe(organisation);
  });

  test('an ID with signs of its own stays one value', () => {
    const fields = encoded({ paymentReference: 'pi_A&amount=1', organisationId: 'a=b&c[d]=é' });
    expect(fields).toMatchObject({ payment_intent: 'pi_A&amount=1', amount: '1250' });
    expect(fields['metadata[holdfast_organisation]']).toBe('a=b&c[d]=é');
  });

  // Red when: any refund is encoded as something else than one refund of exactly its amount.
  test('F061: is always one refund of exactly what was approved, never a void or another amount', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99_999_999 }),
        fc.constantFrom('EUR', 'USD', 'GBP'),
        fc.constantFrom(...refundReasons),
        fc.constantFrom('pi_A', 'ch_A', 'py_A'),
        (minor, currency, reason, paymentReference) => {
          const result = adapter.encodeRefund(
            refundRequest({ amount: { minor, currency }, reason, paymentReference }),
          );
          if (!result.ok) throw new Error(result.because);
          const { method, path, body } = result.request;
          expect(`${method} ${path}`).toBe('POST /v1/refunds');
          const fields = fieldsOf(body);
          expect(fields['amount']).toBe(String(minor));
          expect(Object.keys(fields).sort()).toEqual(
            [
              'amount',
              'metadata[holdfast_operation]',
              'metadata[holdfast_organisation]',
              paymentReference === 'pi_A' ? 'payment_intent' : 'charge',
              'reason',
            ].sort(),
          );
        },
      ),
    );
  });

  test.each([
    ['a payment that is not Stripe’s', { paymentReference: 'tr_A' }],
    ['an amount that Stripe cannot take', { amount: { minor: 12_345, currency: 'KWD' } }],
    ['a key that is too long', { idempotencyKey: 'k'.repeat(256) }],
    ['no key', { idempotencyKey: '' }],
    ['a key that no header carries', { idempotencyKey: 'k\r\nStripe-Account: acct_other' }],
    ['no organisation', { organisationId: '' }],
    ['an ID longer than metadata holds', { operationId: 'x'.repeat(501) }],
    [
      'F113: an ID of fewer characters, and more bytes, than metadata holds',
      { organisationId: '返'.repeat(167) },
    ],
    ['F076: an amount without a number', { amount: { currency: 'EUR' } as Amount }],
    ['F076: no amount, which Stripe takes for all that is left', { amount: undefined as unknown as Amount }],
  ])('refuses %s, with the reason', (_what, changes) => {
    expect(adapter.encodeRefund(refundRequest(changes))).toMatchObject({
      ok: false,
      because: expect.any(String) as string,
    });
  });
});

describe('settings that cannot be used', () => {
  test.each(['', 'api.stripe.com', 'ftp://x', 'https://user:pass@x', 'https://x/?a=b', 'https://x/#a'])(
    'an API base "%s" stops the start',
    (apiBase) => {
      expect(() => createStripeAdapter({ secretKey: 'sk_test_x', apiBase, nowMs: () => 0 })).toThrow(
        /must look like/,
      );
    },
  );

  test.each(['', 'sk test', 'sk_test_x\n'])(
    'a key "%s" stops the start, without being shown',
    (secretKey) => {
      expect(() => createStripeAdapter({ secretKey, nowMs: () => 0 })).toThrow(
        /^Stripe’s secret key must be given/,
      );
    },
  );
});
