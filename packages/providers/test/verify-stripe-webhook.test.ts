import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { WebhookVerdict } from '@holdfast/providers';
import { createStripeAdapter } from '../src/stripe/stripe.ts';
import { operationId, organisationId, stripeDispute, stripeRefund } from './stripe-objects.ts';

const adapter = createStripeAdapter({ secretKey: 'sk_test_x', nowMs: () => 0 });
const nowSeconds = 1_795_953_600;
const nowMs = nowSeconds * 1000 + 400;

const event = (
  object: unknown,
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  id: 'evt_1',
  object: 'event',
  type: 'refund.updated',
  created: nowSeconds - 3,
  livemode: false,
  request: { id: 'req_1', idempotency_key: `holdfast-${operationId}` },
  data: { object },
  ...changes,
});

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const hmac = (payload: Uint8Array, atSeconds: number, secret: string): string =>
  createHmac('sha256', secret).update(`${atSeconds}.`).update(payload).digest('hex');
const signed = (payload: Uint8Array, atSeconds = nowSeconds, secret = 'whsec_a'): string =>
  `t=${atSeconds},v1=${hmac(payload, atSeconds, secret)}`;

const body = bytes(event(stripeRefund()));
const verify = (
  payload: Uint8Array,
  header: string | undefined,
  secrets: readonly string[] = ['whsec_a'],
): WebhookVerdict => adapter.verifyWebhook(payload, header, secrets, nowMs);

describe('a webhook', () => {
  test('that is signed and fresh is read', () => {
    expect(verify(body, signed(body))).toEqual({
      ok: true,
      secretIndex: 0,
      skewMs: 400,
      event: {
        eventId: 'evt_1',
        type: 'refund.updated',
        createdAtMs: (nowSeconds - 3) * 1000,
        liveMode: false,
        accountId: null,
        objectReference: 're_1',
        paymentReference: 'pi_A',
        idempotencyKey: `holdfast-${operationId}`,
        metadataOrganisationId: organisationId,
        metadataOperationId: operationId,
        record: expect.objectContaining({
          reference: 're_1',
          amount: { minor: 1250, currency: 'GBP' },
        }) as object,
        dispute: null,
      },
    });
  });

  // Red when: the check of the other direction is left to the library.
  test.each([
    [300, true],
    [301, 'too-old'],
    [86_400, 'too-old'],
    [-300, true],
    [-301, 'from-the-future'],
    [-86_400 * 365, 'from-the-future'],
  ])('signed %d seconds ago: %s', (ageSeconds, expected) => {
    const verdict = verify(body, signed(body, nowSeconds - ageSeconds));
    expect(verdict.ok ? true : verdict.because).toBe(expected);
    if (verdict.ok) expect(verdict.skewMs).toBe(ageSeconds * 1000 + 400);
  });

  test('says which secret signed it, while one is rotated', () => {
    expect(verify(body, signed(body, nowSeconds, 'whsec_b'), ['whsec_a', 'whsec_b'])).toMatchObject({
      ok: true,
      secretIndex: 1,
    });
    const both = `${signed(body, nowSeconds, 'whsec_old')},v1=${hmac(body, nowSeconds, 'whsec_b')}`;
    expect(verify(body, both, ['whsec_a', 'whsec_b'])).toMatchObject({ ok: true, secretIndex: 1 });
  });

  test.each([
    ['without a header', undefined, 'no-signature'],
    ['with an empty header', '', 'no-signature'],
    ['with a header that is none', 'hello', 'bad-signature'],
    ['without a time', `v1=${hmac(body, nowSeconds, 'whsec_a')}`, 'bad-signature'],
    ['signed with another secret', signed(body, nowSeconds, 'whsec_x'), 'bad-signature'],
    ['signed by another scheme', signed(body).replace('v1=', 'v0='), 'bad-signature'],
    [
      'whose time is not the signed one',
      signed(body).replace(`t=${nowSeconds}`, `t=${nowSeconds - 1}`),
      'bad-signature',
    ],
  ])('%s is refused', (_what, header, because) => {
    expect(verify(body, header)).toEqual({ ok: false, because });
  });

  // Red when: signedAtSeconds takes the first of several times.
  test('an old one made young by a second time in its header is refused', () => {
    const old = signed(body, nowSeconds - 10_000);
    for (const header of [`t=${nowSeconds},${old}`, `${old},t=${nowSeconds}`]) {
      expect(verify(body, header)).toEqual({ ok: false, because: 'bad-signature' });
    }
  });

  test('with one byte changed is refused', () => {
    const changed = body.slice();
    changed[20] = 0x20;
    expect(verify(changed, signed(body))).toEqual({ ok: false, because: 'bad-signature' });
  });

  test('no secret, or a blank one, verifies nothing', () => {
    expect(verify(body, signed(body, nowSeconds, ''), [])).toMatchObject({ ok: false });
    expect(verify(body, signed(body, nowSeconds, ' '), ['', ' '])).toMatchObject({ ok: false });
  });

  test.each([
    ['is no JSON', new TextEncoder().encode('{"id":')],
    ['is JSON of another kind', bytes('hello')],
    ['has no ID', bytes(event({}, { id: undefined }))],
    ['has no time', bytes(event({}, { created: undefined }))],
    ['is a thin event', bytes(event({}, { object: 'v2.core.event' }))],
  ])('well signed that %s is unreadable', (_what, payload) => {
    expect(verify(payload, signed(payload))).toEqual({ ok: false, because: 'unreadable' });
  });

  test.each([
    [
      'a dispute',
      event(stripeDispute(), { request: null }),
      {
        objectReference: 'dp_1',
        paymentReference: 'pi_A',
        record: null,
        idempotencyKey: null,
        dispute: { reference: 'dp_1', open: true },
      },
    ],
    [
      'a charge',
      event({ id: 'ch_A', object: 'charge', payment_intent: 'pi_A' }),
      { objectReference: 'ch_A', paymentReference: 'pi_A', record: null, dispute: null },
    ],
    [
      'a payment intent',
      event({ id: 'pi_A', object: 'payment_intent' }),
      { paymentReference: 'pi_A', record: null },
    ],
    [
      'half a refund',
      event(stripeRefund({ amount: null })),
      { objectReference: 're_1', paymentReference: 'pi_A', record: null },
    ],
    [
      'a refund made by hand',
      event(stripeRefund({ metadata: {} }), { request: { id: null, idempotency_key: null } }),
      { metadataOperationId: null, idempotencyKey: null, record: { operationId: null } },
    ],
    [
      'nothing',
      event(undefined, { data: undefined, account: 'acct_2', livemode: true }),
      { objectReference: null, paymentReference: null, accountId: 'acct_2', liveMode: true },
    ],
  ])('about %s is kept with what it says', (_what, value, expected) => {
    const payload = bytes(value);
    expect(verify(payload, signed(payload))).toMatchObject({ ok: true, event: expected });
  });
});
