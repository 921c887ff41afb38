import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ProviderAdapter } from '@holdfast/providers';
import { createStripeAdapter } from '@holdfast/providers/stripe';

/** By path and as a process of its own: a package knows no app. */
const program = fileURLToPath(new URL('../../../apps/fake-stripe/src/fake-stripe.ts', import.meta.url));

export type LedgerRefund = {
  readonly id: string;
  readonly payment_intent: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly metadata: Readonly<Record<string, string>>;
};

export type FakeStripe = {
  readonly base: string;
  readonly adapter: ProviderAdapter;
  readonly pay: (...payments: readonly { id: string; amount: number; currency: string }[]) => Promise<void>;
  readonly fault: (fault: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly clearFaults: () => Promise<void>;
  readonly ledger: () => Promise<readonly LedgerRefund[]>;
  /** Calls as the fake received them, in order. */
  readonly requests: () => Promise<readonly Readonly<Record<string, unknown>>[]>;
  readonly control: (
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<Readonly<Record<string, unknown>>>;
  readonly stop: () => Promise<void>;
};

/** The bundled fake Stripe with an empty ledger of its own, and the real adapter that speaks to it. */
export const startFakeStripe = async (): Promise<FakeStripe> => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'holdfast-engine-fake-'));
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
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      resolve((JSON.parse(line) as { port: number }).port);
    });
    child.once('exit', (code) => {
      reject(new Error(`the fake Stripe ended with ${String(code)}`));
    });
  });
  const base = `http://127.0.0.1:${String(port)}`;

  const control: FakeStripe['control'] = async (method, path, body) => {
    const response = await fetch(
      `${base}${path}`,
      body === undefined ? { method } : { method, body: JSON.stringify(body) },
    );
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${text}`);
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  };

  return {
    base,
    adapter: createStripeAdapter({ secretKey: 'sk_test_engine', apiBase: base, nowMs: Date.now }),
    pay: async (...payments) => {
      await control('POST', '/fake/payment_intents', payments);
    },
    fault: async (fault) => {
      await control('POST', '/fake/faults', fault);
    },
    clearFaults: async () => {
      await control('DELETE', '/fake/faults');
    },
    ledger: async () => (await control('GET', '/fake/ledger'))['refunds'] as readonly LedgerRefund[],
    requests: async () =>
      (await control('GET', '/fake/requests'))['requests'] as readonly Readonly<Record<string, unknown>>[],
    control,
    stop: async () => {
      child.stdin.end();
      child.kill('SIGTERM');
      await exited;
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
};
