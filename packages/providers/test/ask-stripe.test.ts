import { afterEach, describe, expect, test } from 'vitest';
import { judgeLookUp, type PaymentAnswer, type ProviderAdapter } from '@holdfast/providers';
import { createStripeAdapter } from '../src/stripe/stripe.ts';
import { answer, json, startRawServer, type RawServer } from './raw-server.ts';
import {
  list,
  operationId,
  organisationId,
  stripeDispute,
  stripePaymentIntent,
  stripeRefund,
} from './stripe-objects.ts';

let server: RawServer | undefined;
afterEach(async () => {
  await server?.close();
});

/** Answers each GET by its path; what a test does not name answers as an account where nothing happened. */
type Answers = (url: URL, number: number) => string | null | undefined;

const usual = ({ pathname }: URL): string => {
  if (pathname.startsWith('/v1/payment_intents/')) return json(200, stripePaymentIntent);
  if (pathname === '/v1/account') return json(200, { id: 'acct_1', object: 'account' });
  if (pathname === '/v1/balance') return json(200, { object: 'balance', livemode: true });
  return json(200, list([]));
};

const provider = async (answers: Answers, secretKey = 'sk_test_x'): Promise<ProviderAdapter> => {
  server = await startRawServer((socket, { head }, number) => {
    const url = new URL(/^GET (\S+) /.exec(head)?.[1] ?? '/', 'http://x');
    const given = answers(url, number);
    // `null`: says nothing at all, until the deadline.
    if (given !== null) socket.end(given ?? usual(url));
  });
  return createStripeAdapter({ secretKey, apiBase: server.base, nowMs: Date.now });
};

const soon = (): number => Date.now() + 15_000;
const on =
  (path: string, given: (url: URL) => string | null): Answers =>
  (url) =>
    url.pathname === path ? given(url) : undefined;
const subject = { organisationId, operationId, capturedMinor: 10_000 };

const foreign = (id: string, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> =>
  stripeRefund({ id, metadata: {}, ...changes });

const error = (status: number, type = 'api_error', code?: string): string =>
  json(status, { error: { type, code, message: 'x' } });

describe('a provider that takes no more questions for now', () => {
  // Red when: a 429 is an answer like any other, or its `Retry-After` is lost on the way from one of several questions.
  test.each(['/v1/refunds', '/v1/disputes', '/v1/payment_intents/pi_A'])(
    'says so, with its own word on how long, wherever it is met: %s',
    async (path) => {
      const body = JSON.stringify({ error: { type: 'rate_limit_error', message: 'x' } });
      const adapter = await provider(
        on(path, () => answer(429, body, { 'content-type': 'application/json', 'retry-after': '7' })),
      );
      expect(await adapter.askAboutPayment('pi_A', soon())).toMatchObject({
        kind: 'no-answer',
        ourKeyRefused: false,
        tooMany: { retryAfterMs: 7_000 },
      });
    },
  );
});

describe('asking about a payment', () => {
  test('brings captured amount, refunds and disputes in ISO minor units', async () => {
    const adapter = await provider(({ pathname }) => {
      if (pathname === '/v1/refunds') return json(200, list([stripeRefund()]));
      if (pathname === '/v1/disputes') return json(200, list([stripeDispute()]));
      return undefined;
    });
    expect(await adapter.askAboutPayment('pi_A', soon())).toMatchObject({
      kind: 'answer',
      captured: { minor: 10_000, currency: 'GBP' },
      refunds: [{ reference: 're_1', paymentReference: 'pi_A', operationId }],
      disputes: [{ reference: 'dp_1', open: true }],
      disputesKnown: true,
      providerDateMs: Date.UTC(2026, 10, 29, 12),
    });
  });

  // Red when: any question goes by the customer, whom the provider may know more than once.
  test.each([
    ['pi_A', 'payment_intent'],
    ['ch_A', 'charge'],
  ])('F117: goes by the payment %s alone, never by the customer or an e-mail', async (payment, field) => {
    const asked: URL[] = [];
    const adapter = await provider((url) => {
      asked.push(url);
      return url.pathname.startsWith('/v1/charges/')
        ? json(200, { object: 'charge', amount_captured: 10_000, currency: 'gbp', customer: 'cus_1' })
        : undefined;
    });
    await adapter.askAboutPayment(payment, soon());
    expect(asked.map(({ pathname }) => pathname).sort()).toEqual(
      ['/v1/disputes', '/v1/refunds', `/v1/${field}s/${payment}`].sort(),
    );
    for (const { pathname, searchParams } of asked) {
      expect(pathname.includes(payment) || searchParams.get(field) === payment).toBe(true);
      expect([...searchParams.keys()].filter((key) => /customer|mail/.test(key))).toEqual([]);
    }
  });

  // Red when: askForList returns after its first page.
  test('F066: reads all pages: the refund on page 3 of 10-row pages is found', async () => {
    const rows = [...Array.from({ length: 25 }, (_, index) => foreign(`re_f${index}`)), stripeRefund()];
    const adapter = await provider(
      on('/v1/refunds', ({ searchParams }) => {
        expect(searchParams.get('limit')).toBe('100');
        const after = searchParams.get('starting_after');
        const from = after === null ? 0 : rows.findIndex(({ id }) => id === after) + 1;
        return json(200, list(rows.slice(from, from + 10), from + 10 < rows.length));
      }),
    );
    const found = await adapter.askAboutPayment('pi_A', soon());
    expect(found.kind === 'answer' && found.refunds).toHaveLength(26);
    expect(judgeLookUp(found, subject)).toMatchObject({ kind: 'found', record: { reference: 're_1' } });
  });

  test.each([
    ['promises more and shows nothing', 1, () => list([], true)],
    ['shows the same page again and again', 2, () => list([foreign('re_f')], true)],
    ['never ends', 200, (number: number) => list([foreign(`re_f${number}`)], true)],
    ['is not a list', 1, () => ({ object: 'refund' })],
    ['does not say whether there is more', 1, () => ({ object: 'list', data: [] })],
    [
      'holds an entry that cannot be read',
      1,
      () => list([foreign('re_f'), foreign('re_g', { amount: null })]),
    ],
  ])(
    'F066: a list that %s is no answer',
    async (_what, mostAsked, page) => {
      let asked = 0;
      const adapter = await provider(on('/v1/refunds', () => json(200, page((asked += 1)))));
      const given = await adapter.askAboutPayment('pi_A', Date.now() + 20_000);
      expect(given.kind).toBe('no-answer');
      expect(judgeLookUp(given, subject).kind).toBe('no-answer');
      expect(asked).toBe(mostAsked);
    },
    30_000,
  );

  // Red when: askStripe treats any of these as an empty list.
  test.each([
    ['a timeout', null, false],
    ['503', error(503), false],
    ['401', error(401, 'invalid_request_error'), true],
    ['403', error(403, 'invalid_request_error'), true],
    ['401 that is not Stripe’s', answer(401, '<html>'), false],
    ['429', error(429, 'invalid_request_error', 'rate_limit'), false],
    ['HTML with 200', answer(200, '<html>'), false],
    ['half a body', answer(200, JSON.stringify(list([]))).slice(0, -5), false],
    ['500 with an empty list', json(500, list([])), false],
  ])('F066: %s is no conclusion', async (_what, given, ourKeyRefused) => {
    const adapter = await provider(on('/v1/refunds', () => given));
    const asked = await adapter.askAboutPayment('pi_A', Date.now() + (given === null ? 1_000 : 15_000));
    expect(asked).toMatchObject({ kind: 'no-answer', ourKeyRefused });
    expect(judgeLookUp(asked, subject).kind).toBe('no-answer');
  });

  // Red when: `missingObject` is not looked at in `askAboutPayment`.
  test.each(['/v1/payment_intents/pi_A', '/v1/refunds'])(
    'a 404 on %s that is not Stripe’s own word about the payment is no answer, and does not say that it is unknown',
    async (path) => {
      for (const stray of [answer(404, '<html>gone</html>'), error(404, 'invalid_request_error')]) {
        const adapter = await provider(on(path, () => stray));
        const asked = await adapter.askAboutPayment('pi_A', soon());
        expect(asked.kind).toBe('no-answer');
        expect(asked).not.toHaveProperty('paymentNotFound');
        await server?.close();
      }
    },
  );

  test.each(['/v1/refunds', '/v1/payment_intents/pi_A'])(
    'F066: 404 on %s: Stripe does not know the payment: no conclusion, and a person',
    async (path) => {
      const adapter = await provider(on(path, () => error(404, 'invalid_request_error', 'resource_missing')));
      const asked = await adapter.askAboutPayment('pi_A', soon());
      expect(asked).toMatchObject({ kind: 'no-answer', paymentNotFound: true });
      expect(judgeLookUp(asked, subject).kind).toBe('no-answer');
    },
  );

  test('F066: an empty list is not the end', async () => {
    const adapter = await provider(() => undefined);
    expect(judgeLookUp(await adapter.askAboutPayment('pi_A', soon()), subject)).toEqual({
      kind: 'absent-yet',
    });
  });

  test('a base without disputes does not stop it, and it says that it does not know', async () => {
    const adapter = await provider(on('/v1/disputes', () => error(404, 'invalid_request_error')));
    expect(await adapter.askAboutPayment('pi_A', soon())).toMatchObject({
      kind: 'answer',
      disputes: [],
      disputesKnown: false,
    });
  });

  // Red when: a failed list of disputes counts as none.
  test('disputes that cannot be read are never none', async () => {
    const adapter = await provider(on('/v1/disputes', () => error(503)));
    expect((await adapter.askAboutPayment('pi_A', soon())).kind).toBe('no-answer');
  });

  test('our refund, once seen, is found although the rest of the answer broke off', async () => {
    const adapter = await provider(({ pathname, searchParams }) => {
      if (pathname !== '/v1/refunds') return undefined;
      return searchParams.has('starting_after') ? error(503) : json(200, list([stripeRefund()], true));
    });
    const asked = await adapter.askAboutPayment('pi_A', soon());
    expect(asked.kind).toBe('no-answer');
    expect(judgeLookUp(asked, subject)).toMatchObject({ kind: 'found', record: { reference: 're_1' } });
  });

  test('a payment known by its charge is asked for, and recorded, by its charge', async () => {
    const adapter = await provider(({ pathname, searchParams }) => {
      if (pathname === '/v1/charges/ch_A')
        return json(200, { id: 'ch_A', object: 'charge', amount_captured: 900, currency: 'jpy' });
      if (pathname !== '/v1/refunds') return undefined;
      expect(searchParams.get('charge')).toBe('ch_A');
      return json(200, list([stripeRefund()]));
    });
    const asked: PaymentAnswer = await adapter.askAboutPayment('ch_A', soon());
    expect(asked).toMatchObject({
      captured: { minor: 900, currency: 'JPY' },
      refunds: [{ paymentReference: 'ch_A' }],
    });
  });

  test('a charge that the base cannot show leaves only the captured amount open', async () => {
    const adapter = await provider(on('/v1/charges/ch_A', () => error(404, 'invalid_request_error')));
    expect(await adapter.askAboutPayment('ch_A', soon())).toMatchObject({ kind: 'answer', captured: null });
  });
});

describe('asking about one refund', () => {
  test.each([
    ['the refund', json(200, stripeRefund()), { kind: 'answer', record: { reference: 're_1' } }],
    ['404 by Stripe', error(404, 'invalid_request_error', 'resource_missing'), { kind: 'not-found' }],
    ['404 by something else', answer(404, '<html>'), { kind: 'no-answer' }],
    ['404 for the path', error(404, 'invalid_request_error'), { kind: 'no-answer' }],
    ['another refund', json(200, stripeRefund({ id: 're_2' })), { kind: 'no-answer' }],
    ['503', error(503), { kind: 'no-answer' }],
  ])('%s', async (_what, given, expected) => {
    const adapter = await provider(on('/v1/refunds/re_1', () => given));
    expect(await adapter.askAboutRefund('re_1', soon())).toMatchObject(expected);
  });
});

describe('listing since a time', () => {
  const event = (id: string, created: number, object: unknown): unknown => ({
    id,
    object: 'event',
    type: 'refund.updated',
    created,
    data: { object },
  });

  test('asks from a second before it and finds an older refund that failed now by its event', async () => {
    // Red when: the events are left out.
    const paths: string[] = [];
    const adapter = await provider(({ pathname, searchParams }) => {
      paths.push(pathname);
      expect(searchParams.get('created[gte]')).toBe('1799');
      if (pathname === '/v1/refunds') return json(200, list([foreign('re_new')]));
      if (pathname !== '/v1/events') return undefined;
      expect(searchParams.getAll('types[]')).toContain('refund.failed');
      const old = (status: string): unknown => foreign('re_old', { status });
      return json(
        200,
        list([
          event('evt_2', 1900, old('failed')),
          event('evt_1', 1850, old('succeeded')),
          event('evt_0', 1800, stripeDispute()),
        ]),
      );
    });
    const listed = await adapter.listSince(1_800_999, soon());
    if (listed.kind !== 'answer') throw new Error(listed.because);
    expect(listed.refunds.map(({ reference, status }) => [reference, status]).sort()).toEqual([
      ['re_new', 'succeeded'],
      ['re_old', 'failed'],
    ]);
    expect(listed.disputes.map(({ reference }) => reference)).toEqual(['dp_1']);
    expect(paths.sort()).toEqual(['/v1/disputes', '/v1/events', '/v1/refunds']);
  });

  test('a base without events and disputes still answers with its refunds', async () => {
    const adapter = await provider(({ pathname }) =>
      pathname === '/v1/refunds' ? json(200, list([stripeRefund()])) : error(404, 'invalid_request_error'),
    );
    expect(await adapter.listSince(0, soon())).toMatchObject({
      kind: 'answer',
      refunds: [{ reference: 're_1' }],
      disputes: [],
    });
  });

  test.each(['/v1/refunds', '/v1/disputes', '/v1/events'])('503 on %s is no answer', async (path) => {
    const adapter = await provider(on(path, () => error(503)));
    expect((await adapter.listSince(0, soon())).kind).toBe('no-answer');
  });
});

describe('asking for the account', () => {
  const notThere = error(404, 'invalid_request_error');
  test.each([
    ['account and balance', {}, 'sk_test_x', { kind: 'answer', accountId: 'acct_1', liveMode: true }],
    ['no balance, a test key', { '/v1/balance': notThere }, 'sk_test_x', { kind: 'answer', liveMode: false }],
    [
      'no balance, a live restricted key',
      { '/v1/balance': notThere },
      'rk_live_x',
      { kind: 'answer', liveMode: true },
    ],
    [
      'no balance, a key that says nothing',
      { '/v1/balance': notThere },
      'key',
      { kind: 'no-answer', reason: 'not-said-here' },
    ],
    [
      'no account',
      { '/v1/account': notThere },
      'sk_test_x',
      { kind: 'no-answer', ourKeyRefused: false, reason: 'not-said-here' },
    ],
    // Red when: a 401 is told like any other answer without an account.
    [
      'a refused key',
      { '/v1/account': error(401, 'invalid_request_error') },
      'sk_test_x',
      { kind: 'no-answer', ourKeyRefused: true, reason: 'key-refused' },
    ],
    [
      'a key that may not ask this',
      { '/v1/account': error(403, 'invalid_request_error') },
      'rk_test_x',
      { kind: 'no-answer', reason: 'not-said-here' },
    ],
    [
      'trouble in between',
      { '/v1/account': answer(403, '<html>') },
      'sk_test_x',
      { kind: 'no-answer', reason: 'no-answer-now' },
    ],
    ['a bad day', { '/v1/account': error(503) }, 'sk_test_x', { kind: 'no-answer', reason: 'no-answer-now' }],
  ] as const)('%s', async (_what, given: Readonly<Record<string, string>>, key, expected) => {
    const adapter = await provider(({ pathname }) => given[pathname], key);
    expect(await adapter.askAccount(soon())).toMatchObject(expected);
  });
});

test.each([
  ['needs_response', true],
  ['under_review', true],
  ['warning_needs_response', true],
  ['lost', true],
  ['a_word_of_tomorrow', true],
  ['won', false],
  ['warning_closed', false],
  ['prevented', false],
])('a dispute %s counts as open: %s', async (status, open) => {
  const adapter = await provider(on('/v1/disputes', () => json(200, list([stripeDispute({ status })]))));
  expect(await adapter.askAboutPayment('pi_A', soon())).toMatchObject({
    disputes: [{ open, statusText: status }],
  });
});
