import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createStripeAdapter } from '../src/stripe/stripe.ts';
import { toStripeAmount } from '../src/stripe/stripe-money.ts';
import type { Amount } from '@holdfast/operation';
import { stripeContract } from '../src/stripe/stripe-contract.ts';
import type { ProviderTraits, ProviderUnderTest, Trouble } from './conformance/provider-under-test.ts';

/** By path and as a process of its own: a package knows no app. */
const program = fileURLToPath(new URL('../../../apps/fake-stripe/src/fake-stripe.ts', import.meta.url));

const webhookSecret = 'whsec_contract_suite';

export const stripeTraits: ProviderTraits = {
  contract: stripeContract,
  marksReplays: true,
  savesServerErrors: true,
  acceptsAs: 'succeeded',
  refusesTooMuch: 'at-once',
  wholeRefundDecline: 'already-refunded',
  disputes: 'shown',
  asksAboutOneRefund: true,
  listsSince: true,
  saysAccount: true,
  webhooks: 'key-and-metadata',
  pageSize: 100,
  hasUnpublishedKeys: false,
  unknownPayment: 'pi_never_heard_of',
};

const faults: Readonly<Record<Trouble, Readonly<Record<string, unknown>>>> = {
  'answer-lost': { do: 'execute_then_drop' },
  'no-answer': { do: 'execute_then_hang' },
  'server-error': { do: 'execute_then_500' },
  'half-a-body': { do: 'truncated_body' },
  'dripping-body': { do: 'drip_body', ms: 20 },
  'empty-answer': { do: 'empty_200' },
  'gateway-html': { do: 'html_502', execute: true },
  'dropped-before': { do: 'drop_before' },
  'rate-limited': { do: 'rate_limit', retryAfter: 2 },
  'stays-pending': { do: 'pending_then', ms: 3_600_000 },
  'hidden-from-look-up': { do: 'hide_from_list', ms: 3_600_000 },
  'wrong-amount': { do: 'wrong_amount', amount: 100 },
};

type Process = { readonly port: number; readonly stop: () => Promise<void> };

const startProcess = async (): Promise<Process> => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'holdfast-fake-stripe-'));
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env['PATH'],
      FAKE_STRIPE_PORT: '0',
      FAKE_STRIPE_DATA_DIR: dataFolder,
      FAKE_STRIPE_STOP_WITH_STDIN: 'on',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const lines = createInterface({ input: child.stdout });
  const port = await new Promise<number>((resolve, reject) => {
    lines.once('line', (line) => resolve((JSON.parse(line) as { port: number }).port));
    child.once('exit', (code) => reject(new Error(`the fake Stripe ended with ${code}`)));
  });
  const stop = async (): Promise<void> => {
    child.stdin.end();
    child.kill('SIGTERM');
    await exited;
    await rm(dataFolder, { recursive: true, force: true });
  };
  return { port, stop };
};

type Delivered = { readonly rawBody: Uint8Array; readonly signature: string };

const startReceiver = async () => {
  const delivered: Delivered[] = [];
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      delivered.push({
        rawBody: Buffer.concat(chunks),
        signature: String(request.headers['stripe-signature']),
      });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { delivered, url: `http://127.0.0.1:${port}/`, stop };
};

/** The bundled fake Stripe as a provider for the contract suite, over real HTTP, ledger and webhooks included. */
export const startFakeStripe = async (): Promise<ProviderUnderTest> => {
  const [fake, receiver] = [await startProcess(), await startReceiver()];
  const base = `http://127.0.0.1:${fake.port}`;
  let payments = 0;

  const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${base}${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const inStripeUnits = (amount: Amount): { amount: number; currency: string } => {
    const money = toStripeAmount(amount);
    if (!money.ok) throw new Error(money.because);
    return { amount: money.amount, currency: money.currency };
  };
  const idOf = (object: Record<string, unknown>): string => String(object['id']);
  const rowsOf = (object: Record<string, unknown>, name: string): readonly Record<string, unknown>[] =>
    object[name] as readonly Record<string, unknown>[];

  await call('POST', '/fake/webhook_endpoint', { url: receiver.url, secret: webhookSecret });
  const adapterWith = (secretKey: string) =>
    createStripeAdapter({ secretKey, apiBase: base, nowMs: Date.now });
  return {
    adapter: adapterWith('sk_test_contract_suite'),
    adapterWithBadKey: adapterWith('sk_live_somebody_else'),
    adapterAt: (apiBase) =>
      createStripeAdapter({ secretKey: 'sk_test_contract_suite', apiBase, nowMs: Date.now }),
    pay: async (amount) => {
      payments += 1;
      const id = `pi_suite${payments}`;
      await call('POST', '/fake/payment_intents', [{ id, ...inStripeUnits(amount) }]);
      return id;
    },
    trouble: async (paymentIntent, trouble) => {
      await call('POST', '/fake/faults', { on: 'refund.create', paymentIntent, ...faults[trouble] });
    },
    refundByHand: async (payment_intent, amount) =>
      idOf(await call('POST', '/fake/refunds', { payment_intent, amount: inStripeUnits(amount).amount })),
    failRefund: async (reference) => {
      await call('POST', `/fake/refunds/${reference}`, { status: 'failed' });
    },
    dispute: async (payment_intent) => idOf(await call('POST', '/fake/disputes', { payment_intent })),
    books: async (paymentReference) =>
      rowsOf(await call('GET', '/fake/ledger'), 'refunds')
        .filter((refund) => refund['payment_intent'] === paymentReference)
        .map(idOf),
    submissions: async ({ idempotencyKey }) =>
      rowsOf(await call('GET', '/fake/requests'), 'requests').filter(
        (request) => request['idempotency_key'] === idempotencyKey,
      ).length,
    clockAhead: async (ms) => {
      await call('POST', '/fake/clock', { reset: true });
      if (ms > 0) await call('POST', '/fake/clock', { advanceMs: ms });
    },
    webhooks: (paymentReference) =>
      receiver.delivered.filter(({ rawBody }) => Buffer.from(rawBody).includes(`"${paymentReference}"`)),
    webhookSecret,
    stop: async () => {
      await fake.stop();
      await receiver.stop();
    },
  };
};
