import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runnable } from './built-programs.ts';
import { startProgram, until, type Program } from './program.ts';

export type LedgerRefund = {
  id: string;
  payment_intent: string;
  amount: number;
  currency: string;
  status: string;
  metadata: Record<string, string>;
  created: number;
};

export type ProviderRequest = {
  path: string;
  idempotency_key: string | null;
  body: string;
  status: number | string | null;
  refund: string | null;
};

/** The bundled fake Stripe as a program of its own, with the ledger that every journey asserts on. */
export type FakeProvider = {
  readonly port: number;
  readonly refunds: (paymentIntent?: string) => Promise<LedgerRefund[]>;
  /** Every POST it got, whatever became of it. */
  readonly requests: () => Promise<ProviderRequest[]>;
  /** Arms a fault and gives back its ID. */
  readonly fault: (fault: Record<string, unknown>) => Promise<string>;
  readonly removeFault: (id: string) => Promise<void>;
  readonly clearFaults: () => Promise<void>;
  readonly addPayments: (
    payments: readonly { id: string; amount: number; currency: string }[],
  ) => Promise<void>;
  readonly sendWebhooksTo: (url: string, secret: string) => Promise<void>;
  readonly post: (path: string, body: unknown) => Promise<unknown>;
  /** The process that it is now. */
  readonly program: () => Program;
  /** SIGKILL; what it had written down is kept. */
  readonly kill: () => Promise<void>;
  /** Starts it again where it was, on the ledger that it left. */
  readonly restart: () => Promise<void>;
  /** Ends it and removes its ledger. */
  readonly stop: () => Promise<void>;
};

const portOf = (output: string): number | undefined => {
  const line = output.split('\n').find((text) => text.includes('"listening"'));
  if (!line) return undefined;
  const message = JSON.parse(line) as { port?: unknown };
  return typeof message.port === 'number' ? message.port : undefined;
};

export const startFakeProvider = async (): Promise<FakeProvider> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-provider-'));
  const start = (wanted: number): Program =>
    startProgram(runnable('fake-stripe').script, [], {
      FAKE_STRIPE_PORT: String(wanted),
      FAKE_STRIPE_DATA_DIR: folder,
      FAKE_STRIPE_STOP_WITH_STDIN: 'on',
    });
  let program = start(0);
  const listening = () => until('the fake provider to listen', async () => portOf(program.output()));
  const port = await listening();
  const base = `http://127.0.0.1:${port}`;

  const call = async (method: string, route: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${base}${route}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${method} ${route} answered ${response.status}: ${await response.text()}`);
    const text = await response.text();
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };

  return {
    port,
    program: () => program,
    kill: () => program.end('SIGKILL'),
    restart: async () => {
      program = start(port);
      await listening();
    },
    refunds: async (paymentIntent) => {
      const ledger = (await call('GET', '/fake/ledger')) as { refunds: LedgerRefund[] };
      return ledger.refunds.filter(
        (refund) => paymentIntent === undefined || refund.payment_intent === paymentIntent,
      );
    },
    requests: async () => ((await call('GET', '/fake/requests')) as { requests: ProviderRequest[] }).requests,
    fault: async (fault) => ((await call('POST', '/fake/faults', fault)) as { id: string }).id,
    removeFault: async (id) => void (await call('DELETE', `/fake/faults/${id}`)),
    clearFaults: async () => void (await call('DELETE', '/fake/faults')),
    addPayments: async (payments) => void (await call('POST', '/fake/payment_intents', payments)),
    sendWebhooksTo: async (url, secret) =>
      void (await call('POST', '/fake/webhook_endpoint', { url, secret })),
    post: (route, body) => call('POST', route, body),
    stop: async () => {
      await program.end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
};
