import Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import type { AttemptFinding } from '@holdfast/operation';
import { classifyStripeOutcome } from '../src/stripe/classify-stripe-outcome.ts';
import type { WireTrace } from '../src/stripe/one-request-client.ts';
import type { StripeCallOutcome } from '../src/stripe/stripe-call.ts';
import { stripeRefund } from './stripe-objects.ts';

const answered = (
  status: number,
  headers: Record<string, string> = {},
): WireTrace & { kind: 'answered' } => ({
  kind: 'answered',
  status,
  headers,
});

/** The body of an error, turned into what the library itself raises for it. */
const raised = (
  status: number,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): StripeCallOutcome => ({
  kind: 'raised',
  error: Stripe.errors.generateV1Error({
    message: 'words',
    ...body,
    statusCode: status,
    headers,
    requestId: 'req_1',
  }),
  trace: answered(status, headers),
});

const classify = (outcome: StripeCallOutcome): AttemptFinding => classifyStripeOutcome(outcome, 'pi_A');

const invalid = { type: 'invalid_request_error' };

type Row = readonly [
  what: string,
  outcome: StripeCallOutcome,
  finding: Partial<AttemptFinding> & { kind: AttemptFinding['kind'] },
];

const rejected = (decline: string, code: string | null): Row[2] =>
  ({ kind: 'rejected', decline, code }) as Row[2];
const deferred = (because: string, retryAfterMs: number | null = null): Row[2] =>
  ({ kind: 'deferred', because, retryAfterMs }) as Row[2];
const unknown: Row[2] = { kind: 'unknown' };

const rows: readonly Row[] = [
  // Nothing done and refused for good.
  [
    '400 charge_already_refunded',
    raised(400, { ...invalid, code: 'charge_already_refunded' }),
    rejected('already-refunded', 'charge_already_refunded'),
  ],
  [
    '400 on amount without a code: more than is left',
    raised(400, { ...invalid, param: 'amount' }),
    rejected('exceeds-unrefunded', null),
  ],
  [
    '400 on amount with a code: a wrong field',
    raised(400, { ...invalid, param: 'amount', code: 'parameter_invalid_integer' }),
    rejected('invalid-request', 'parameter_invalid_integer'),
  ],
  [
    '400 charge_disputed',
    raised(400, { ...invalid, code: 'charge_disputed' }),
    rejected('disputed', 'charge_disputed'),
  ],
  [
    '400 refund_disputed_payment',
    raised(400, { ...invalid, code: 'refund_disputed_payment' }),
    rejected('disputed', 'refund_disputed_payment'),
  ],
  [
    '400 charge_not_refundable',
    raised(400, { ...invalid, code: 'charge_not_refundable' }),
    rejected('not-refundable', 'charge_not_refundable'),
  ],
  [
    '400 balance_insufficient',
    raised(400, { ...invalid, code: 'balance_insufficient' }),
    rejected('not-enough-balance', 'balance_insufficient'),
  ],
  [
    '400 amount_too_large',
    raised(400, { ...invalid, code: 'amount_too_large', param: 'amount' }),
    rejected('limit', 'amount_too_large'),
  ],
  [
    '400 of validation',
    raised(400, { ...invalid, code: 'parameter_unknown', param: 'colour' }),
    rejected('invalid-request', 'parameter_unknown'),
  ],
  [
    '400 with a code nobody knows',
    raised(400, { ...invalid, code: 'brand_new' }),
    rejected('invalid-request', 'brand_new'),
  ],
  [
    '404 no such payment',
    raised(404, { ...invalid, code: 'resource_missing', param: 'payment_intent' }),
    rejected('invalid-request', 'resource_missing'),
  ],
  [
    '402 declined',
    raised(402, { type: 'card_error', code: 'card_declined' }),
    rejected('other', 'card_declined'),
  ],
  [
    '402 expired card',
    raised(402, { type: 'card_error', code: 'expired_card' }),
    rejected('card-closed', 'expired_card'),
  ],
  [
    'a refusal saved under our key',
    raised(400, { ...invalid, code: 'charge_disputed' }, { 'idempotent-replayed': 'true' }),
    rejected('disputed', 'charge_disputed'),
  ],
  // Nothing done, later perhaps.
  [
    '429',
    raised(429, { ...invalid, code: 'rate_limit' }, { 'retry-after': '7' }),
    deferred('rate-limited', 7000),
  ],
  [
    '429 until a date',
    raised(
      429,
      { ...invalid },
      { 'retry-after': 'Sun, 29 Nov 2026 12:00:30 GMT', date: 'Sun, 29 Nov 2026 12:00:00 GMT' },
    ),
    deferred('rate-limited', 30_000),
  ],
  ['400 rate_limit', raised(400, { ...invalid, code: 'rate_limit' }), deferred('rate-limited')],
  ['429 lock_timeout', raised(429, { ...invalid, code: 'lock_timeout' }), deferred('locked')],
  ['409 lock_timeout', raised(409, { ...invalid, code: 'lock_timeout' }), deferred('locked')],
  ['401', raised(401, { ...invalid }), deferred('key-refused')],
  ['403', raised(403, { ...invalid }), deferred('key-refused')],
  [
    '409 our key is in use',
    raised(409, { ...invalid, code: 'idempotency_key_in_use' }),
    { kind: 'in-flight-elsewhere' },
  ],
  // Nothing proved.
  [
    '400 idempotency_error: the key was used for something else',
    raised(400, { type: 'idempotency_error' }),
    { kind: 'unknown', because: 'our key was used with other parameters' },
  ],
  ['409 idempotency_error', raised(409, { type: 'idempotency_error' }), unknown],
  ['409 of another kind', raised(409, { ...invalid, code: 'something' }), unknown],
  ['429 saved under the key', raised(429, { ...invalid }, { 'idempotent-replayed': 'true' }), unknown],
  [
    '400 that says try again',
    raised(400, { ...invalid, code: 'charge_disputed' }, { 'stripe-should-retry': 'true' }),
    unknown,
  ],
  ['400 api_error', raised(400, { type: 'api_error' }), unknown],
  ['400 without a type: not Stripe', raised(400, {}), unknown],
  ['429 without a type: not Stripe', raised(429, {}), unknown],
  ['401 without a type: not Stripe', raised(401, {}), unknown],
  ['404 unknown path', raised(404, { ...invalid }), unknown],
  ['422', raised(422, { ...invalid }), unknown],
  ['500', raised(500, { type: 'api_error' }), unknown],
  ['500 that calls itself a validation error', raised(500, { ...invalid, param: 'amount' }), unknown],
  ['a saved 500', raised(500, { type: 'api_error' }, { 'idempotent-replayed': 'true' }), unknown],
  [
    '500 with should-retry false',
    raised(500, { type: 'api_error' }, { 'stripe-should-retry': 'false' }),
    unknown,
  ],
  ['502', raised(502, { type: 'api_error' }), unknown],
  ['503', raised(503, { type: 'api_error' }), unknown],
  [
    'invalid JSON',
    {
      kind: 'raised',
      error: new Stripe.errors.StripeAPIError({
        message: 'Invalid JSON received from the Stripe API',
      }),
      trace: answered(200),
    },
    unknown,
  ],
  [
    'an error that is none of theirs',
    { kind: 'raised', error: new TypeError('x'), trace: answered(200) },
    unknown,
  ],
  ['an error that is no object', { kind: 'raised', error: 'x', trace: answered(400) }, unknown],
  [
    'an error about another status than the wire’s',
    { ...raised(404, { ...invalid, code: 'charge_disputed' }), trace: answered(400) },
    unknown,
  ],
  ['200 without anything', { kind: 'returned', body: {}, trace: answered(200) }, unknown],
  [
    '200 without a reference',
    { kind: 'returned', body: stripeRefund({ id: undefined }), trace: answered(200) },
    unknown,
  ],
  [
    '200 without an amount',
    { kind: 'returned', body: stripeRefund({ amount: undefined }), trace: answered(200) },
    unknown,
  ],
  [
    '200 without a currency',
    { kind: 'returned', body: stripeRefund({ currency: undefined }), trace: answered(200) },
    unknown,
  ],
  [
    '200 without a status',
    { kind: 'returned', body: stripeRefund({ status: null }), trace: answered(200) },
    unknown,
  ],
  [
    '200 without a payment',
    { kind: 'returned', body: stripeRefund({ payment_intent: null, charge: null }), trace: answered(200) },
    unknown,
  ],
  [
    '200 with a charge instead of a refund',
    { kind: 'returned', body: stripeRefund({ object: 'charge' }), trace: answered(200) },
    unknown,
  ],
  ['500 with a whole refund', { kind: 'returned', body: stripeRefund(), trace: answered(500) }, unknown],
  ['302 with a whole refund', { kind: 'returned', body: stripeRefund(), trace: answered(302) }, unknown],
  // The wire.
  [
    'no byte left',
    { kind: 'raised', error: new Error('x'), trace: { kind: 'not-sent', because: 'ECONNREFUSED' } },
    { kind: 'not-sent', because: 'ECONNREFUSED' },
  ],
  [
    'the library never called',
    { kind: 'raised', error: new Error('x'), trace: { kind: 'never-called' } },
    { kind: 'not-sent' },
  ],
  [
    'lost after the first byte',
    {
      kind: 'raised',
      error: new Error('x'),
      trace: { kind: 'lost', because: 'ECONNRESET', requestLeft: true, status: null, headers: {} },
    },
    { kind: 'unknown', requestLeft: true },
  ],
  [
    'a refusal whose body was cut',
    {
      kind: 'raised',
      error: new Error('x'),
      trace: { kind: 'lost', because: 'body cut off', requestLeft: true, status: 400, headers: {} },
    },
    unknown,
  ],
  // Done.
  ['200', { kind: 'returned', body: stripeRefund(), trace: answered(200) }, { kind: 'accepted' }],
  [
    '200 with another amount: the record goes on, settling sees the difference',
    { kind: 'returned', body: stripeRefund({ amount: 1 }), trace: answered(200) },
    {
      kind: 'accepted',
      record: expect.objectContaining({ amount: { minor: 1, currency: 'GBP' } }),
    },
  ],
];

describe('the classifier', () => {
  // Red when: any guard of classify-stripe-outcome.ts is taken out; a status moves to another class.
  test.each(rows)('%s', (_what, outcome, finding) => {
    expect(classify(outcome)).toMatchObject(finding);
  });

  test('never reads the message: amounts and order numbers contain every word and digit', () => {
    const body = {
      type: 'api_error',
      message: '400 charge_already_refunded rate_limit idempotency_key_in_use',
    };
    expect(classify(raised(500, body)).kind).toBe('unknown');
  });

  test.each([
    ['succeeded', 'succeeded'],
    ['pending', 'pending'],
    ['requires_action', 'pending'],
    ['failed', 'failed'],
    ['canceled', 'failed'],
    ['a_word_of_tomorrow', 'pending'],
  ])('a refund %s counts as %s, and the word is kept', (statusText, status) => {
    const finding = classify({
      kind: 'returned',
      body: stripeRefund({ status: statusText }),
      trace: answered(200),
    });
    expect(finding).toMatchObject({ kind: 'accepted', record: { status, statusText } });
  });

  test('a payment known here by its charge is recorded under that charge', () => {
    const outcome: StripeCallOutcome = { kind: 'returned', body: stripeRefund(), trace: answered(200) };
    expect(classifyStripeOutcome(outcome, 'ch_A')).toMatchObject({ record: { paymentReference: 'ch_A' } });
    expect(classifyStripeOutcome(outcome, 'pi_A')).toMatchObject({ record: { paymentReference: 'pi_A' } });
  });
});

/**
 * Every error class that the client library exports, with what each proves when it comes with status 400 and the
 * body of a final refusal: only the two that Stripe's v1 refusals have prove anything.
 */
const classes: Readonly<Record<string, AttemptFinding['kind']>> = {
  AlreadyCanceledError: 'unknown',
  BlockedByStripeError: 'unknown',
  CannotProceedError: 'unknown',
  CapabilityNotEnabledError: 'unknown',
  ControlledByAlternateResourceError: 'unknown',
  FeatureNotEnabledError: 'unknown',
  FinancialAccountNotOpenError: 'unknown',
  FxQuoteNeedsRefreshError: 'unknown',
  InsufficientFundsError: 'unknown',
  InvalidPaymentMethodError: 'unknown',
  InvalidPayoutMethodError: 'unknown',
  InvalidVaultedCredentialError: 'unknown',
  NotCancelableError: 'unknown',
  QuotaExceededError: 'unknown',
  RateLimitError: 'unknown',
  RecipientNotNotifiableError: 'unknown',
  StripeAPIError: 'unknown',
  StripeAuthenticationError: 'unknown',
  StripeCardError: 'rejected',
  StripeConnectionError: 'unknown',
  StripeError: 'unknown',
  StripeIdempotencyError: 'unknown',
  StripeInvalidClientError: 'unknown',
  StripeInvalidGrantError: 'unknown',
  StripeInvalidRequestError: 'rejected',
  StripeInvalidScopeError: 'unknown',
  StripeOAuthError: 'unknown',
  StripeOAuthInvalidRequestError: 'unknown',
  StripePermissionError: 'unknown',
  StripeRateLimitError: 'deferred',
  StripeSignatureVerificationError: 'unknown',
  StripeUnsupportedGrantTypeError: 'unknown',
  StripeUnsupportedResponseTypeError: 'unknown',
  TemporarySessionExpiredError: 'unknown',
  VerificationAttemptFailedError: 'unknown',
  VerificationExpiredError: 'unknown',
  VerificationNotInitiatedError: 'unknown',
};

type ErrorClass = new (...values: readonly unknown[]) => Error;

const exportedClasses = Object.entries(Stripe.errors as unknown as Readonly<Record<string, unknown>>).filter(
  (entry): entry is [string, ErrorClass] =>
    typeof entry[1] === 'function' && (entry[1] === Error || entry[1].prototype instanceof Error),
);

const build = (ErrorOfTheirs: ErrorClass, raw: Record<string, unknown>): Error =>
  // One class takes header and payload before the body.
  ErrorOfTheirs.name === 'StripeSignatureVerificationError'
    ? new ErrorOfTheirs('t=1', 'payload', raw)
    : new ErrorOfTheirs(raw);

describe('every error class of the client library', () => {
  test('is in the table: a class that a new version brings is judged before it is used', () => {
    expect(exportedClasses.map(([name]) => name).sort()).toEqual(Object.keys(classes).sort());
  });

  test.each(exportedClasses)('%s', (name, ErrorOfTheirs) => {
    const error = build(ErrorOfTheirs, { ...invalid, code: 'charge_disputed', statusCode: 400, message: '' });
    expect(error).toMatchObject({ statusCode: 400, rawType: 'invalid_request_error' });
    expect(classify({ kind: 'raised', error, trace: answered(400) }).kind).toBe(classes[name]);
  });

  test.each(exportedClasses)('%s with a server error proves nothing', (_name, ErrorOfTheirs) => {
    const error = build(ErrorOfTheirs, { ...invalid, code: 'charge_disputed', statusCode: 500, message: '' });
    expect(classify({ kind: 'raised', error, trace: answered(500) }).kind).toBe('unknown');
  });

  test.each(exportedClasses)(
    '%s with a status that no refusal of Stripe has is never a refusal',
    (_name, ErrorOfTheirs) => {
      const error = build(ErrorOfTheirs, {
        ...invalid,
        code: 'charge_disputed',
        statusCode: 422,
        message: '',
      });
      expect(classify({ kind: 'raised', error, trace: answered(422) }).kind).not.toBe('rejected');
    },
  );

  test.each(exportedClasses)('%s proves nothing while the wire lost the answer', (_name, ErrorOfTheirs) => {
    const error = build(ErrorOfTheirs, { ...invalid, code: 'charge_disputed', statusCode: 400, message: '' });
    const trace: WireTrace = { kind: 'lost', because: 'x', requestLeft: true, status: 400, headers: {} };
    expect(classify({ kind: 'raised', error, trace }).kind).toBe('unknown');
  });
});
