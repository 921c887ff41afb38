import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Amount } from '@holdfast/operation';
import { toProviderAmount, type ProviderAdapter } from '@holdfast/providers';
import type { ProviderTraits, ProviderUnderTest, Trouble } from './conformance/provider-under-test.ts';

/** By path and as a process of its own: a package knows no app. */
const program = fileURLToPath(new URL('../../../apps/fake-providers/src/fake-providers.ts', import.meta.url));

const webhookSecret = '5a'.repeat(32);

const faults: Readonly<Record<Trouble, Readonly<Record<string, unknown>>>> = {
  'answer-lost': { do: 'execute_then_drop' },
  'no-answer': { do: 'execute_then_hang' },
  'server-error': { do: 'execute_then_500' },
  'half-a-body': { do: 'truncated_body' },
  'dripping-body': { do: 'drip_body' },
  'empty-answer': { do: 'empty_200' },
  'gateway-html': { do: 'html_502' },
  'dropped-before': { do: 'drop_before' },
  'rate-limited': { do: 'rate_limit' },
  'stays-pending': { do: 'stays_pending' },
  'hidden-from-look-up': { do: 'hide_from_list', ms: 3_600_000 },
  'wrong-amount': { do: 'wrong_amount', amount: 100 },
};

type Process = { readonly port: number; readonly stop: () => Promise<void> };

const startProcess = async (): Promise<Process> => {
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env['PATH'],
      ...{ FAKE_PROVIDERS_PORT: '0', FAKE_PROVIDERS_STOP_WITH_STDIN: 'on' },
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const lines = createInterface({ input: child.stdout });
  const port = await new Promise<number>((resolve, reject) => {
    lines.once('line', (line) => resolve((JSON.parse(line) as { port: number }).port));
    child.once('exit', (code) => reject(new Error(`the fake providers ended with ${String(code)}`)));
  });
  const stop = async (): Promise<void> => {
    child.stdin.end();
    child.kill('SIGTERM');
    await exited;
  };
  return { port, stop };
};

const startReceiver = async () => {
  const delivered: Uint8Array[] = [];
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      delivered.push(Buffer.concat(chunks));
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
  return { delivered, url: `http://127.0.0.1:${String(port)}/`, stop };
};

type Made = { readonly credential: string; readonly apiBase: string };

/** One of the shapes that the fake providers speak, over real HTTP, ledger and webhooks included. */
export const startFakeShape = async (
  provider: 'adyen' | 'paypal' | 'mollie' | 'square' | 'gateway',
  { contract }: ProviderTraits,
  create: (made: Made) => ProviderAdapter,
): Promise<ProviderUnderTest> => {
  const [fake, receiver] = [await startProcess(), await startReceiver()];
  const base = `http://127.0.0.1:${String(fake.port)}`;
  const apiBase = `${base}/${provider}`;
  let payments = 0;

  const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${base}${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const inItsUnits = (amount: Amount): { amount: number; currency: string } => {
    const money = toProviderAmount(contract, amount);
    if (!money.ok) throw new Error(money.because);
    return { amount: money.amount, currency: money.currency.toUpperCase() };
  };
  const rowsOf = (object: Record<string, unknown>, name: string): readonly Record<string, unknown>[] =>
    object[name] as readonly Record<string, unknown>[];

  await call('POST', '/fake/webhook_endpoint', { provider, url: receiver.url, secret: webhookSecret });
  return {
    adapter: create({ credential: 'taken', apiBase }),
    adapterWithBadKey: create({ credential: 'refused', apiBase }),
    adapterAt: (other) => create({ credential: 'taken', apiBase: other }),
    pay: async (amount) => {
      payments += 1;
      const id = `pay-suite${String(payments)}`;
      await call('POST', '/fake/payments', [{ provider, id, ...inItsUnits(amount) }]);
      return id;
    },
    trouble: async (payment, trouble) => {
      await call('POST', '/fake/faults', { provider, payment, ...faults[trouble] });
    },
    refundByHand: async (payment, amount) =>
      String(
        (await call('POST', '/fake/refunds', { provider, payment, amount: inItsUnits(amount).amount }))['id'],
      ),
    failRefund: async (reference) => {
      await call('POST', `/fake/refunds/${reference}`, { status: 'failed' });
    },
    dispute: async (payment) => String((await call('POST', '/fake/disputes', { provider, payment }))['id']),
    books: async (payment) =>
      rowsOf(await call('GET', '/fake/ledger'), 'refunds')
        .filter((refund) => refund['payment'] === payment)
        .map((refund) => String(refund['id'])),
    // Without a key only the payment tells whose submission it was.
    submissions: async ({ idempotencyKey, paymentReference }) =>
      rowsOf(await call('GET', '/fake/requests'), 'requests').filter(({ method, key, path, body }) =>
        method === 'POST' && key !== null
          ? key === idempotencyKey
          : method === 'POST' && `${String(path)} ${String(body)}`.includes(`"${paymentReference}"`),
      ).length,
    clockAhead: async (aheadMs) => {
      await call('POST', '/fake/clock', { aheadMs });
    },
    webhooks: (payment) =>
      receiver.delivered
        .filter((rawBody) => Buffer.from(rawBody).includes(`"${payment}"`))
        .map((rawBody) => ({ rawBody, signature: undefined })),
    webhookSecret,
    stop: async () => {
      await fake.stop();
      await receiver.stop();
    },
  };
};
