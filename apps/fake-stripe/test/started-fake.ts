import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Stripe from 'stripe';
import { z } from 'zod';

const program = fileURLToPath(new URL('../src/fake-stripe.ts', import.meta.url));
const secretKey = 'sk_test_contract';

/** The real program as a child of the test, on a free port and a folder of its own. */
export class StartedFake {
  readonly dataFolder = mkdtempSync(join(tmpdir(), 'fake-stripe-'));
  port = 0;
  private child: ChildProcess | null = null;
  private payments = 0;

  async start(environment: Record<string, string> = {}): Promise<this> {
    const child = spawn(process.execPath, [program], {
      // It ends with its standard input, so that not even a killed test run leaves one behind.
      stdio: ['pipe', 'pipe', environment['FAKE_STRIPE_QUIET'] === undefined ? 'inherit' : 'ignore'],
      env: {
        FAKE_STRIPE_PORT: '0',
        FAKE_STRIPE_DATA_DIR: this.dataFolder,
        FAKE_STRIPE_STOP_WITH_STDIN: 'on',
        ...environment,
      },
    });
    this.child = child;
    const ended = once(child, 'exit').then(([code]) => {
      this.child = null;
      throw new Error(`The fake ended with ${String(code)} before it listened.`);
    });
    const listening = once(createInterface(child.stdout), 'line');
    const [line] = await Promise.race([listening, ended]);
    ended.catch(() => undefined);
    this.port = z
      .object({ event: z.literal('listening'), port: z.int() })
      .parse(JSON.parse(String(line))).port;
    return this;
  }

  /** Resolves with how it ended: an exit code after SIGTERM, null after SIGKILL. */
  async end(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT'): Promise<number | null> {
    const { child } = this;
    if (child === null) return null;
    this.child = null;
    const exited = once(child, 'exit');
    child.kill(signal);
    const [code] = await exited;
    return z.number().nullable().parse(code);
  }

  async discard(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.dataFolder, { recursive: true });
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  stripe(key = secretKey): Stripe {
    return new Stripe(key, { host: '127.0.0.1', port: this.port, protocol: 'http', maxNetworkRetries: 0 });
  }

  /** One request and no more: the client of Stripe sends again by itself after a reset. */
  raw(
    path: string,
    form: Record<string, string> | null = null,
    key: string | null = null,
  ): Promise<Response> {
    const headers = {
      authorization: `Bearer ${secretKey}`,
      ...(key === null ? {} : { 'idempotency-key': key }),
    };
    const body = form === null ? null : new URLSearchParams(form);
    return fetch(this.origin + path, { method: form === null ? 'GET' : 'POST', headers, body });
  }

  async control(
    path: string,
    body?: unknown,
    method = body === undefined ? 'GET' : 'POST',
  ): Promise<unknown> {
    const answer = await this.controlResponse(path, body, method);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  controlResponse(path: string, body?: unknown, method = 'POST'): Promise<Response> {
    return fetch(`${this.origin}/fake${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  arm(fault: Record<string, unknown>): Promise<unknown> {
    return this.control('/faults', fault);
  }

  clearFaults(): Promise<unknown> {
    return this.control('/faults', undefined, 'DELETE');
  }

  /** A payment that no other test knows. */
  async payment(amount = 5000, currency = 'eur'): Promise<string> {
    this.payments += 1;
    const id = `pi_test${process.pid}x${this.payments}`;
    await this.control('/payment_intents', { id, amount, currency });
    return id;
  }

  async refundsOf(payment: string): Promise<LedgerRefund[]> {
    const { refunds } = ledgerShape.parse(await this.control('/ledger'));
    return refunds.filter(({ payment_intent }) => payment_intent === payment);
  }

  async requests(): Promise<z.infer<typeof requestsShape>['requests']> {
    return requestsShape.parse(await this.control('/requests')).requests;
  }
}

const ledgerShape = z.object({
  refunds: z.array(
    z.object({
      id: z.string(),
      payment_intent: z.string(),
      amount: z.int(),
      currency: z.string(),
      status: z.string(),
      metadata: z.record(z.string(), z.string()),
      created: z.int(),
    }),
  ),
});
type LedgerRefund = z.infer<typeof ledgerShape>['refunds'][number];

const requestsShape = z.object({
  requests: z.array(
    z.object({
      time: z.string(),
      path: z.string(),
      idempotency_key: z.string().nullable(),
      body: z.string(),
      status: z.union([z.int(), z.literal('dropped'), z.null()]),
      replayed: z.boolean(),
      fault: z.string().nullable(),
      refund: z.string().nullable(),
    }),
  ),
});
