import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { storeEvent } from '../src/postgres/webhook-store.ts';
import { receiveWebhook } from '../src/webhook/receive-webhook.ts';
import { startFakeProgram, type FakeProgram } from './fake-program.ts';
import type { WorkerHouse } from './worker-house.ts';

export type ShapeName = 'adyen' | 'paypal' | 'mollie' | 'square' | 'gateway';

export type FakeLedgerRefund = {
  readonly provider: ShapeName;
  readonly id: string;
  readonly payment: string;
  readonly amount: number;
  readonly status: 'pending' | 'succeeded' | 'failed';
};

/** One POST of a refund as the fake received it. */
export type FakeSubmission = { readonly key: string | null; readonly path: string; readonly body: string };

export type FakeProviders = FakeProgram & {
  readonly pay: (provider: ShapeName, id: string, amount: number) => Promise<void>;
  readonly fault: (
    provider: ShapeName,
    payment: string,
    fault: Readonly<Record<string, unknown>>,
  ) => Promise<void>;
  readonly ledger: (payment: string) => Promise<readonly FakeLedgerRefund[]>;
  readonly submissions: (payment: string) => Promise<readonly FakeSubmission[]>;
};

/** The fakes of other shapes than Stripe's, with books of their own. */
export const startFakeProviders = async (): Promise<FakeProviders> => {
  const fake = await startFakeProgram('fake-providers', {
    FAKE_PROVIDERS_PORT: '0',
    FAKE_PROVIDERS_STOP_WITH_STDIN: 'on',
  });
  const { control } = fake;
  return {
    ...fake,
    pay: async (provider, id, amount) => {
      await control('POST', '/fake/payments', [{ provider, id, amount, currency: 'EUR' }]);
    },
    fault: async (provider, payment, fault) => {
      await control('POST', '/fake/faults', { provider, payment, ...fault });
    },
    ledger: async (payment) => {
      const { refunds } = await control('GET', '/fake/ledger');
      return (refunds as readonly FakeLedgerRefund[]).filter((refund) => refund.payment === payment);
    },
    submissions: async (payment) => {
      const { requests } = await control('GET', '/fake/requests');
      return (requests as readonly (FakeSubmission & { readonly method: string })[]).filter(
        ({ method, path, body }) =>
          method === 'POST' && (path.includes(`/${payment}/`) || body.includes(`"${payment}"`)),
      );
    },
  };
};

/** A door for webhooks, with the engine's own receiving behind it. */
export const startWebhookDoor = async (
  house: WorkerHouse,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> => {
  const receive = async (rawBody: Uint8Array): Promise<number> => {
    const answer = await receiveWebhook(
      {
        providers: house.providers,
        nowMs: () => Promise.resolve(Date.now()),
        store: (account, verified, raw, skewMs) =>
          house.inOrganisation(account.organisationId, (tx) =>
            storeEvent(tx, account, verified, new TextDecoder().decode(raw), skewMs),
          ),
      },
      rawBody,
      undefined,
    );
    return answer.kind === 'refused' ? 400 : 200;
  };
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      receive(Buffer.concat(chunks)).then(
        (status) => response.writeHead(status).end(),
        () => response.writeHead(500).end(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/`,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};
