import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProviderAdapter } from '@holdfast/providers';
import { createStripeAdapter } from '@holdfast/providers/stripe';
import { startFakeProgram, type FakeProgram } from './fake-program.ts';

export type LedgerRefund = {
  readonly id: string;
  readonly payment_intent: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly metadata: Readonly<Record<string, string>>;
};

export type FakeStripe = FakeProgram & {
  readonly adapter: ProviderAdapter;
  readonly pay: (...payments: readonly { id: string; amount: number; currency: string }[]) => Promise<void>;
  readonly fault: (fault: Readonly<Record<string, unknown>>) => Promise<void>;
  readonly clearFaults: () => Promise<void>;
  readonly ledger: () => Promise<readonly LedgerRefund[]>;
  /** Calls as the fake received them, in order. */
  readonly requests: () => Promise<readonly Readonly<Record<string, unknown>>[]>;
};

/** The bundled fake Stripe with an empty ledger of its own, and the real adapter that speaks to it. */
export const startFakeStripe = async (): Promise<FakeStripe> => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'holdfast-engine-fake-'));
  const fake = await startFakeProgram('fake-stripe', {
    FAKE_STRIPE_PORT: '0',
    FAKE_STRIPE_DATA_DIR: dataFolder,
    FAKE_STRIPE_STOP_WITH_STDIN: 'on',
  });
  const { base, control } = fake;
  return {
    ...fake,
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
    stop: async () => {
      await fake.stop();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
};
