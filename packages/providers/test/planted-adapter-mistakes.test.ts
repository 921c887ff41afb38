import type { AttemptFinding } from '@holdfast/operation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProviderAdapter, ProviderContract } from '@holdfast/providers';
import { createAdyenAdapter } from '../src/adyen/adyen.ts';
import { createMollieAdapter } from '../src/mollie/mollie.ts';
import { createPaypalAdapter } from '../src/paypal/paypal.ts';
import { createSingleShotAdapter } from '../src/single-shot/single-shot.ts';
import { brokenPromises } from './conformance/broken-promises.ts';
import type { ProviderTraits, ProviderUnderTest } from './conformance/provider-under-test.ts';
import { adyenTraits, mollieTraits, paypalTraits, statementTraits } from './conformance/shape-traits.ts';
import { startFakeShape } from './fake-providers-under-test.ts';

type Shape = { readonly provider: ProviderUnderTest; readonly traits: ProviderTraits };
let shapes: Readonly<Record<'adyen' | 'paypal' | 'mollie' | 'statement', Shape>>;

const nowMs = Date.now;
beforeAll(async () => {
  const [adyen, paypal, mollie, statement] = await Promise.all([
    startFakeShape('adyen', adyenTraits, ({ credential: apiKey, apiBase }) =>
      createAdyenAdapter({ apiKey, apiBase, merchantAccount: 'FakeMerchant', nowMs }),
    ),
    startFakeShape('paypal', paypalTraits, ({ credential: accessToken, apiBase }) =>
      createPaypalAdapter({ accessToken, apiBase, nowMs }),
    ),
    startFakeShape('mollie', mollieTraits, ({ credential: apiKey, apiBase }) =>
      createMollieAdapter({ apiKey, apiBase, nowMs }),
    ),
    startFakeShape('gateway', statementTraits, ({ credential: password, apiBase }) =>
      createSingleShotAdapter({ password, apiBase, books: 'statement', nowMs }),
    ),
  ]);
  shapes = {
    adyen: { provider: adyen, traits: adyenTraits },
    paypal: { provider: paypal, traits: paypalTraits },
    mollie: { provider: mollie, traits: mollieTraits },
    statement: { provider: statement, traits: statementTraits },
  };
});
afterAll(() => Promise.all(Object.values(shapes).map(({ provider }) => provider.stop())));

const rejected: AttemptFinding = { kind: 'rejected', decline: 'other', code: null };

/** Changes what becomes of each submission. */
const findingAs =
  (change: (finding: AttemptFinding) => AttemptFinding) =>
  (adapter: ProviderAdapter): Partial<ProviderAdapter> => ({
    submit: async (...given) => {
      const report = await adapter.submit(...given);
      return { ...report, finding: change(report.finding) };
    },
  });

const withContract =
  (changes: Partial<ProviderContract>) =>
  ({ contract }: ProviderAdapter): Partial<ProviderAdapter> => ({ contract: { ...contract, ...changes } });

type Mistake = readonly [
  what: string,
  shape: keyof typeof shapes,
  /** The promise that it breaks first, or a part of its name. */
  breaks: string,
  plant: (adapter: ProviderAdapter) => Partial<ProviderAdapter>,
];

const mistakes: readonly Mistake[] = [
  [
    'what is not known is called refused',
    'mollie',
    'whatever status carries',
    findingAs((f) => (f.kind === 'unknown' ? rejected : f)),
  ],
  [
    'a timeout is called not sent',
    'paypal',
    'whatever status carries',
    findingAs((f) => (f.kind === 'unknown' ? { kind: 'not-sent', because: 'timeout' } : f)),
  ],
  [
    'our key refused is a refusal of the refund',
    'adyen',
    'rate limited',
    findingAs((f) => (f.kind === 'deferred' ? rejected : f)),
  ],
  [
    'it sends again by itself',
    'adyen',
    'one call is one request',
    (adapter) => ({
      submit: async (...given) => {
        const report = await adapter.submit(...given);
        return report.finding.kind === 'unknown' ? adapter.submit(...given) : report;
      },
    }),
  ],
  [
    'each submission has a key of its own',
    'paypal',
    'accepted and in the books once',
    (adapter) => ({
      submit: (request, expected, deadlineMs) => {
        if (request.idempotencyKey !== expected.idempotencyKey)
          return adapter.submit(request, expected, deadlineMs);
        const idempotencyKey = `${request.idempotencyKey}-${String(Math.random()).slice(2, 8)}`;
        return adapter.submit({ ...request, idempotencyKey }, { ...expected, idempotencyKey }, deadlineMs);
      },
    }),
  ],
  [
    'where nothing can be listed, it answers with an empty list',
    'paypal',
    'no conclusion from any question',
    () => ({
      askAboutPayment: () =>
        Promise.resolve({ kind: 'answer', captured: null, refunds: [], disputes: [], providerDateMs: null }),
    }),
  ],
  [
    'only the first page is read',
    'mollie',
    'F066',
    (adapter) => ({
      askAboutPayment: async (...given) => {
        const answer = await adapter.askAboutPayment(...given);
        return answer.kind === 'answer' ? { ...answer, refunds: answer.refunds.slice(0, 250) } : answer;
      },
    }),
  ],
  [
    'a record that names nobody is given to whoever asks',
    'statement',
    'accepted and in the books once',
    (adapter) => ({
      submit: async (request, expected, deadlineMs) => {
        const report = await adapter.submit(request, expected, deadlineMs);
        const { finding } = report;
        if (finding.kind !== 'accepted') return report;
        const { organisationId, operationId } = expected;
        return {
          ...report,
          finding: { ...finding, record: { ...finding.record, organisationId, operationId } },
        };
      },
    }),
  ],
  [
    'the window is longer than the provider remembers',
    'mollie',
    'a key is known until the deadline',
    withContract({ keyWindowMs: 7_200_000 }),
  ],
  [
    'a provider without keys is said to know them',
    'statement',
    'the same bytes again',
    withContract({ keyWindowMs: 3_600_000 }),
  ],
  [
    'any webhook is believed',
    'adyen',
    'rubbish is refused',
    (adapter) => ({
      verifyWebhook: (rawBody, _signature, _secrets, atMs) => {
        const text = new TextDecoder().decode(rawBody);
        const signed = text.includes('hmacSignature');
        const event = {
          ...{ eventId: 'e', type: 'REFUND', createdAtMs: atMs, liveMode: false, accountId: null },
          ...{
            objectReference: null,
            paymentReference: null,
            idempotencyKey: null,
            record: null,
            dispute: null,
          },
          ...{ metadataOrganisationId: null, metadataOperationId: null },
        };
        void adapter;
        return signed || text === '{}'
          ? { ok: true, event, secretIndex: 0, skewMs: 0 }
          : { ok: false, because: 'unreadable' };
      },
    }),
  ],
  [
    'the amount may be missing',
    'statement',
    'F076',
    (adapter) => ({
      encodeRefund: (request) =>
        adapter.encodeRefund({
          ...request,
          amount: { ...request.amount, minor: request.amount?.minor || 100 },
        }),
    }),
  ],
];

describe('a mistake planted in an adapter', () => {
  // Each mistake is the proof: with the suite as it is the adapters of `*-adapter.test.ts` break nothing.
  test.each(mistakes)('%s (%s): the suite finds it, as "%s"', async (_what, name, breaks, plant) => {
    const { provider, traits } = shapes[name];
    const planted = (adapter: ProviderAdapter): ProviderAdapter => ({ ...adapter, ...plant(adapter) });
    const adapter = planted(provider.adapter);
    const over: ProviderUnderTest = {
      ...provider,
      adapter,
      adapterWithBadKey: planted(provider.adapterWithBadKey),
      adapterAt: (base) => planted(provider.adapterAt(base)),
    };
    const broken = await brokenPromises(over, { ...traits, contract: adapter.contract }, 1);
    expect(broken).toEqual([expect.stringContaining(breaks)]);
  });
});
