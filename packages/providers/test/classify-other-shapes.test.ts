import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttemptFinding } from '@holdfast/operation';
import { classifyAdyen } from '../src/adyen/adyen-refund.ts';
import { classifyMollie } from '../src/mollie/mollie-refund.ts';
import { classifyPaypal } from '../src/paypal/paypal-refund.ts';
import { classifySingleShot } from '../src/single-shot/single-shot-adapter.ts';
import { classifySquare } from '../src/square/square-refund.ts';
import type { JsonAnswered } from '../src/wire/call-json.ts';
import type { Fields } from '../src/wire/fields.ts';

const nowMs = Date.parse('2026-11-30T12:00:00.000Z');
const classifiers = {
  Adyen: (answer: JsonAnswered): AttemptFinding => classifyAdyen(answer, nowMs),
  PayPal: classifyPaypal,
  Mollie: classifyMollie,
  Square: classifySquare,
  gateway: classifySingleShot,
} as const;
type Name = keyof typeof classifiers;

const answered = (status: number, body: Fields | undefined, headers = {}): JsonAnswered => ({
  ...{ kind: 'answered', status, body, headers },
});

const adyen = (status: number, errorCode: string, errorType: string): Fields => ({
  status,
  errorCode,
  errorType,
});
const paypal = (name: string, ...issues: readonly string[]): Fields => ({
  ...{ name, debug_id: 'a1', details: issues.map((issue) => ({ issue })) },
});
const mollie = (status: number, field?: string): Fields => ({ status, title: 'words', field });

const square = (category: string, ...codes: readonly string[]): Fields => ({
  errors: codes.map((code) => ({ category, code })),
});

const adyenTaken: Fields = {
  ...{ status: 'received', pspReference: 'R1', paymentPspReference: 'P1', reference: 'org.op' },
  amount: { value: 2500, currency: 'EUR' },
};
const paypalTaken: Fields = {
  ...{ id: 'R1', status: 'COMPLETED', custom_id: 'org.op', create_time: '2026-11-30T11:00:00Z' },
  amount: { value: '25.00', currency_code: 'EUR' },
  links: [{ rel: 'up', href: 'https://api-m.paypal.com/v2/payments/captures/P1' }],
};
const mollieTaken: Fields = {
  ...{
    resource: 'refund',
    id: 're_1',
    status: 'queued',
    paymentId: 'tr_1',
    createdAt: '2026-11-30T11:00:00Z',
  },
  amount: { value: '25.00', currency: 'EUR' },
};
const squareRefund: Fields = {
  ...{ id: 'SQ1', status: 'PENDING', payment_id: 'P1', reason: 'org.op', created_at: '2026-11-30T11:00:00Z' },
  amount_money: { amount: 2500, currency: 'EUR' },
};
const squareTaken: Fields = { refund: squareRefund };
const gatewayTaken: Fields = {
  ...{ code: 0, refund: 'G1', payment: 'P1', amount: 2500, currency: 'EUR', state: 'done' },
  at: '2026-11-30T11:00:00Z',
};
const taken: Readonly<Record<Name, Fields>> = {
  ...{
    Adyen: adyenTaken,
    PayPal: paypalTaken,
    Mollie: mollieTaken,
    Square: squareTaken,
    gateway: gatewayTaken,
  },
};

const rows: readonly (readonly [
  Name,
  number,
  Fields | undefined,
  Readonly<Record<string, unknown>>,
  object?,
])[] = [
  ['Adyen', 201, adyenTaken, { kind: 'accepted', record: { status: 'pending', operationId: 'op' } }],
  ['Adyen', 422, adyen(422, '704', 'validation'), { kind: 'in-flight-elsewhere' }],
  ['Adyen', 409, adyen(409, '704', 'validation'), { kind: 'in-flight-elsewhere' }],
  ['Adyen', 503, adyen(503, '703', 'internal'), { kind: 'unknown' }],
  [
    'Adyen',
    422,
    adyen(422, '167', 'validation'),
    { kind: 'rejected', decline: 'invalid-request', code: '167' },
  ],
  ['Adyen', 422, adyen(422, '167', 'validation'), { kind: 'unknown' }, { 'transient-error': 'true' }],
  ['Adyen', 422, adyen(422, '167', 'brand-new'), { kind: 'unknown' }],
  ['Adyen', 401, adyen(401, '000', 'security'), { kind: 'deferred', because: 'key-refused' }],
  ['Adyen', 403, adyen(403, '901', 'security'), { kind: 'deferred', because: 'key-refused' }],
  ['Adyen', 403, adyen(403, '901', 'validation'), { kind: 'unknown' }],
  [
    'Adyen',
    429,
    adyen(429, '1', 'security'),
    { kind: 'deferred', retryAfterMs: 7_000 },
    { 'retry-after': '7' },
  ],
  ['Adyen', 500, adyen(500, '905', 'internal'), { kind: 'unknown' }],
  // A body that speaks of another status than the answer's was not written for it.
  ['Adyen', 422, adyen(500, '167', 'validation'), { kind: 'unknown' }],
  ['PayPal', 201, paypalTaken, { kind: 'accepted', record: { status: 'succeeded', paymentReference: 'P1' } }],
  [
    'PayPal',
    200,
    { ...paypalTaken, status: 'CANCELLED' },
    { kind: 'accepted', record: { status: 'failed' } },
  ],
  [
    'PayPal',
    200,
    { ...paypalTaken, status: 'BRAND_NEW' },
    { kind: 'accepted', record: { status: 'pending' } },
  ],
  [
    'PayPal',
    422,
    paypal('UNPROCESSABLE_ENTITY', 'CAPTURE_FULLY_REFUNDED'),
    { kind: 'rejected', decline: 'already-refunded' },
  ],
  [
    'PayPal',
    422,
    paypal('UNPROCESSABLE_ENTITY', 'REFUND_AMOUNT_EXCEEDED'),
    { kind: 'rejected', decline: 'exceeds-unrefunded' },
  ],
  [
    'PayPal',
    422,
    paypal('UNPROCESSABLE_ENTITY', 'REFUND_TIME_LIMIT_EXCEEDED'),
    { kind: 'rejected', decline: 'too-old' },
  ],
  ['PayPal', 422, paypal('UNPROCESSABLE_ENTITY', 'DUPLICATE_INVOICE_ID'), { kind: 'unknown' }],
  ['PayPal', 422, paypal('UNPROCESSABLE_ENTITY', 'BRAND_NEW'), { kind: 'unknown' }],
  ['PayPal', 422, paypal('UNPROCESSABLE_ENTITY'), { kind: 'unknown' }],
  [
    'PayPal',
    422,
    paypal('UNPROCESSABLE_ENTITY', 'REFUND_TIME_LIMIT_EXCEEDED', 'BRAND_NEW'),
    { kind: 'unknown' },
  ],
  ['PayPal', 409, paypal('RESOURCE_CONFLICT'), { kind: 'in-flight-elsewhere' }],
  ['PayPal', 400, paypal('INVALID_REQUEST'), { kind: 'rejected', decline: 'invalid-request' }],
  ['PayPal', 400, paypal('BRAND_NEW'), { kind: 'unknown' }],
  ['PayPal', 404, paypal('RESOURCE_NOT_FOUND'), { kind: 'rejected' }],
  ['PayPal', 401, paypal('AUTHENTICATION_FAILURE'), { kind: 'deferred', because: 'key-refused' }],
  ['PayPal', 500, paypal('INTERNAL_SERVER_ERROR'), { kind: 'unknown' }],
  ['Mollie', 201, mollieTaken, { kind: 'accepted', record: { status: 'pending', operationId: null } }],
  ['Mollie', 422, mollie(422, 'amount'), { kind: 'rejected', decline: 'exceeds-unrefunded' }],
  ['Mollie', 422, mollie(422), { kind: 'rejected', decline: 'invalid-request' }],
  // "This key was used with other parameters", and "a duplicate": something stands there.
  ['Mollie', 400, mollie(400), { kind: 'unknown' }],
  ['Mollie', 409, mollie(409), { kind: 'unknown' }],
  ['Mollie', 410, mollie(410), { kind: 'unknown' }],
  ['Mollie', 404, mollie(404), { kind: 'rejected' }],
  ['Mollie', 404, mollie(503), { kind: 'unknown' }],
  ['Mollie', 503, mollie(503), { kind: 'unknown' }],
  ['Square', 200, squareTaken, { kind: 'accepted', record: { status: 'pending', operationId: 'op' } }],
  [
    'Square',
    200,
    { refund: { ...squareRefund, status: 'REJECTED' } },
    { kind: 'accepted', record: { status: 'failed' } },
  ],
  ['Square', 200, { refund: squareRefund, errors: [] }, { kind: 'unknown' }],
  ['Square', 200, { refund: { ...squareRefund, amount_money: { amount: 2500 } } }, { kind: 'unknown' }],
  [
    'Square',
    400,
    square('REFUND_ERROR', 'REFUND_AMOUNT_INVALID'),
    { kind: 'rejected', decline: 'exceeds-unrefunded' },
  ],
  [
    'Square',
    400,
    square('REFUND_ERROR', 'PAYMENT_NOT_REFUNDABLE'),
    { kind: 'rejected', decline: 'not-refundable' },
  ],
  ['Square', 400, square('INVALID_REQUEST_ERROR', 'IDEMPOTENCY_KEY_REUSED'), { kind: 'unknown' }],
  ['Square', 400, square('REFUND_ERROR', 'REFUND_ALREADY_PENDING'), { kind: 'unknown' }],
  ['Square', 400, square('REFUND_ERROR', 'PAYMENT_NOT_REFUNDABLE', 'BRAND_NEW'), { kind: 'unknown' }],
  ['Square', 404, square('INVALID_REQUEST_ERROR', 'NOT_FOUND'), { kind: 'rejected' }],
  [
    'Square',
    401,
    square('AUTHENTICATION_ERROR', 'UNAUTHORIZED'),
    { kind: 'deferred', because: 'key-refused' },
  ],
  ['Square', 429, square('RATE_LIMIT_ERROR', 'RATE_LIMITED'), { kind: 'deferred', because: 'rate-limited' }],
  ['Square', 500, square('API_ERROR', 'PAYMENT_NOT_REFUNDABLE'), { kind: 'unknown' }],
  ['gateway', 200, gatewayTaken, { kind: 'accepted', record: { status: 'succeeded', operationId: null } }],
  ['gateway', 200, { ...gatewayTaken, code: 3 }, { kind: 'unknown' }],
  ['gateway', 422, { code: 3 }, { kind: 'rejected', decline: 'exceeds-unrefunded' }],
  ['gateway', 422, { code: 77 }, { kind: 'unknown' }],
  ['gateway', 409, { code: 7 }, { kind: 'unknown' }],
  ['gateway', 500, { code: 3 }, { kind: 'unknown' }],
];

describe('how a request to a provider of another shape ended', () => {
  test.each(rows.map(([name, ...row]) => [name, row] as const))(
    '%s: %j',
    (name, [status, body, finding, headers = {}]) => {
      expect(classifiers[name](answered(status, body, headers))).toMatchObject(finding);
    },
  );

  // Red when: a part of a record may be missing, wrong or of another kind and it is accepted all the same.
  test.each(Object.keys(classifiers) as Name[])(
    '%s: half a record is no acceptance, whichever half',
    (name) => {
      const whole = taken[name];
      const optional = ['custom_id', 'reference', 'metadata'];
      for (const field of Object.keys(whole).filter((key) => !optional.includes(key))) {
        for (const wrong of [undefined, null, '', 0.5, [], {}]) {
          const { kind } = classifiers[name](answered(200, { ...whole, [field]: wrong }));
          expect(kind, `${field} ${JSON.stringify(wrong)}`).toBe('unknown');
        }
      }
    },
  );

  // Red when: a status alone decides, a message is read, or any body makes it throw.
  test.each(Object.keys(classifiers) as Name[])(
    '%s: whatever else is answered is unknown, and nothing throws',
    (name) => {
      const known = [
        'status',
        'errorCode',
        'errorType',
        'name',
        'debug_id',
        'title',
        'code',
        'pspReference',
        'errors',
      ];
      const body = fc.dictionary(
        fc.oneof(fc.constantFrom('message', 'error', 'detail', 'reason', 'details', 'issue'), fc.string()),
        fc.oneof(fc.constantFrom('already refunded', 'not refundable', 'declined'), fc.jsonValue()),
      );
      fc.assert(
        fc.property(
          fc.integer({ min: 100, max: 599 }),
          fc.option(body, { nil: undefined }),
          (status, given) => {
            const foreign =
              given && Object.fromEntries(Object.entries(given).filter(([key]) => !known.includes(key)));
            expect(classifiers[name](answered(status, foreign)).kind).toBe('unknown');
          },
        ),
        { numRuns: 500 },
      );
      fc.assert(
        fc.property(fc.integer({ min: 100, max: 599 }), fc.object(), (status, given) => {
          expect(() => classifiers[name](answered(status, given as Fields))).not.toThrow();
          // No server error ever says that nothing was done.
          if (status >= 500)
            expect(classifiers[name](answered(status, given as Fields)).kind).toBe('unknown');
        }),
      );
    },
  );
});
