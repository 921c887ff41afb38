import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signedText, verifyAdyenWebhook } from '../src/adyen/verify-adyen-webhook.ts';

/** Adyen's published example, with its published key and signature. */
const publishedKey = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056';
const published = {
  additionalData: { hmacSignature: 'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=' },
  amount: { value: 1130, currency: 'EUR' },
  pspReference: '7914073381342284',
  eventCode: 'AUTHORISATION',
  eventDate: '2019-05-06T17:15:34.121+02:00',
  merchantAccountCode: 'TestMerchant',
  merchantReference: 'TestPayment-1407325143704',
  success: 'true',
};

const bytesOf = (item: unknown, more: Readonly<Record<string, unknown>> = {}): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({ live: 'false', notificationItems: [{ NotificationRequestItem: item }], ...more }),
  );

const verify = (bytes: Uint8Array, ...secrets: readonly string[]) =>
  verifyAdyenWebhook(bytes, undefined, secrets);

const operationId = '0194e1a0-0000-7000-8000-000000000001';
const organisationId = '0194e1a0-0000-7000-8000-00000000000a';
const refundItem = {
  ...published,
  ...{ eventCode: 'REFUND', originalReference: 'PAYMENT0001', pspReference: 'REFUND0001' },
  merchantReference: `${organisationId}.${operationId}`,
};
const signed = <Item extends Readonly<Record<string, unknown>>>(item: Item) => ({
  ...item,
  additionalData: {
    hmacSignature: createHmac('sha256', Buffer.from(publishedKey, 'hex'))
      .update(signedText(item))
      .digest('base64'),
  },
});

describe('a webhook of Adyen', () => {
  // Red when: a part, its order or the key's encoding is not Adyen's. The values are Adyen's, not ours.
  test('published as an example is verified by its published signature', () => {
    expect(signedText(published)).toBe(
      '7914073381342284::TestMerchant:TestPayment-1407325143704:1130:EUR:AUTHORISATION:true',
    );
    expect(verify(bytesOf(published), publishedKey)).toMatchObject({
      ...{ ok: true, secretIndex: 0 },
      event: { type: 'AUTHORISATION', accountId: 'TestMerchant', liveMode: false, record: null },
    });
  });

  test.each([
    ['another amount', { amount: { value: 1131, currency: 'EUR' } }],
    ['another currency', { amount: { value: 1130, currency: 'USD' } }],
    ['another payment', { originalReference: 'OTHER' }],
    ['another operation', { merchantReference: 'other' }],
    ['another account', { merchantAccountCode: 'OtherMerchant' }],
    ['another end', { success: 'false' }],
    ['another kind', { eventCode: 'REFUND' }],
  ])('with %s than was signed is refused', (_what, change) => {
    expect(verify(bytesOf({ ...published, ...change }), publishedKey)).toEqual({
      ...{ ok: false, because: 'bad-signature' },
    });
  });

  test.each(['', 'zz', publishedKey.slice(0, -1), `${publishedKey}zz`, publishedKey.replace('4', '5')])(
    'is not verified by the key "%s"',
    (key) => {
      expect(verify(bytesOf(published), key).ok).toBe(false);
    },
  );

  test('names the secret that signed it while one is being rotated', () => {
    expect(verify(bytesOf(published), '00'.repeat(32), publishedKey)).toMatchObject({
      ok: true,
      secretIndex: 1,
    });
  });

  test.each([
    [
      'two items, of which one could be known and another new',
      { notificationItems: [{ NotificationRequestItem: published }, { NotificationRequestItem: {} }] },
    ],
    ['no items', { notificationItems: [] }],
  ])('of %s is not taken', (_what, more) => {
    expect(verify(bytesOf(published, more), publishedKey).ok).toBe(false);
  });

  // Red when: the mark that joins the parts may stand in a part that is not the merchant's own.
  test('whose signed text could be read in two ways is not taken', () => {
    const shifted = signed({ ...refundItem, pspReference: 'REFUND0001:PAYMENT0001', originalReference: 'X' });
    expect(verify(bytesOf(shifted), publishedKey)).toEqual({ ok: false, because: 'unreadable' });
  });

  test.each([
    ['REFUND', 'true', 'succeeded'],
    ['REFUND', 'false', 'failed'],
    ['REFUND_FAILED', 'true', 'failed'],
    ['REFUNDED_REVERSED', 'true', 'failed'],
  ])('%s %s says that the refund of our operation %s', (eventCode, success, status) => {
    expect(verify(bytesOf(signed({ ...refundItem, eventCode, success })), publishedKey)).toMatchObject({
      ok: true,
      event: {
        ...{ eventId: `${eventCode}:REFUND0001:${success}`, paymentReference: 'PAYMENT0001' },
        ...{ metadataOrganisationId: organisationId, metadataOperationId: operationId },
        record: { reference: 'REFUND0001', status, amount: { minor: 1_130, currency: 'EUR' }, operationId },
      },
    });
  });

  test.each([
    ['a kind that nobody knows', { eventCode: 'REFUND_WHATEVER' }],
    ['an amount in a currency that is not taken', { amount: { value: 100, currency: 'XXX' } }],
    ['no payment', { originalReference: undefined }],
    ['a late failure that did not succeed', { eventCode: 'REFUND_FAILED', success: 'false' }],
  ])('with %s is kept, and says nothing about a refund', (_what, change) => {
    const verdict = verify(bytesOf(signed({ ...refundItem, ...change })), publishedKey);
    expect(verdict).toMatchObject({ ok: true, event: { record: null } });
  });

  test.each([
    ['neither live nor test', { live: 'perhaps' }, {}],
    ['no time', {}, { eventDate: undefined }],
    ['no end', {}, { success: 'maybe' }],
  ])('that says %s is unreadable', (_what, more, change) => {
    expect(verify(bytesOf(signed({ ...refundItem, ...change }), more), publishedKey)).toEqual({
      ...{ ok: false, because: 'unreadable' },
    });
  });

  test('a chargeback is an open dispute of the payment', () => {
    const item = signed({ ...refundItem, eventCode: 'CHARGEBACK', pspReference: 'DISPUTE0001' });
    expect(verify(bytesOf(item), publishedKey)).toMatchObject({
      ok: true,
      event: {
        record: null,
        dispute: { reference: 'DISPUTE0001', paymentReference: 'PAYMENT0001', open: true },
      },
    });
  });
});
