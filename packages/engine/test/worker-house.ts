import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { mintOperationId, type Actor, type Command, type CommandResult } from '@holdfast/operation';
import type { ProviderAdapter } from '@holdfast/providers';
import type { ProviderAccount, ProviderDirectory, Worker, WorkerSettings } from '../src/engine-interface.ts';
import { organisationTransactions, type InOrganisation } from '../src/postgres/connection.ts';
import { createWorker, type CreateWorkerOptions } from '../src/postgres/create-worker.ts';
import { createIntake } from '../src/postgres/intake.ts';
import { putOrder } from '../src/postgres/order-store.ts';
import { housePeople } from './house-people.ts';
import { createTestDatabase, eventually, type TestDatabase } from './postgres-rig.ts';

export const shortSettings: WorkerSettings = {
  providerTimeoutMs: 2_000,
  leaseMs: 10_000,
  checkBackoffMs: [20, 20, 50, 100],
  needsPersonAfterMs: 60_000,
  undoMs: 0,
};

/** An operation's row as the tests look at it. */
export type SeenOperation = {
  readonly id: string;
  readonly state: string;
  readonly version: number;
  readonly attempt_count: number;
  readonly fence: number;
  readonly waiting_for: string | null;
  readonly provider_reference: string | null;
  readonly attention: readonly { readonly reason: string }[];
  readonly wake_at: Date | null;
  readonly next_check_at: Date | null;
  readonly lease_until: Date | null;
  readonly first_sent_at: Date | null;
  readonly replay_deadline: Date | null;
  readonly settlement: unknown;
  readonly sent_back: { readonly reasons: readonly string[] } | null;
};

export type WorkerHouse = {
  readonly database: TestDatabase;
  readonly organisationId: string;
  readonly inOrganisation: InOrganisation;
  readonly providers: ProviderDirectory;
  readonly worker: (options?: Partial<CreateWorkerOptions>) => Worker;
  readonly apply: (actor: Actor, ...commands: readonly Command[]) => Promise<readonly CommandResult[]>;
  readonly order: (
    orderId: string,
    payment: string,
    capturedMinor: number,
    currency?: string,
  ) => Promise<void>;
  /** Proposes and approves a refund, and answers with its ID. */
  readonly approved: (orderId: string, minor: number, more?: Partial<ProposeBody>) => Promise<string>;
  readonly propose: (orderId: string, minor: number, more?: Partial<ProposeBody>) => Promise<string>;
  readonly approve: (operationId: string) => Promise<CommandResult>;
  readonly operation: (id: string) => Promise<SeenOperation>;
  readonly settled: (id: string, state: string, deadlineMs?: number) => Promise<SeenOperation>;
  readonly close: () => Promise<void>;
};

type ProposeBody = Extract<Command, { type: 'propose' }>;

export const agent: Actor = { id: 'agent-1', name: 'Ada', role: 'agent', assistant: false, via: 'session' };
export const approver: Actor = {
  id: 'approver-1',
  name: 'Ben',
  role: 'approver',
  assistant: false,
  via: 'session',
};

export const mint = (): string => mintOperationId(Date.now(), randomBytes(10));

export const accountOver = (
  adapter: ProviderAdapter,
  organisationId: string,
  more: Partial<ProviderAccount> = {},
): ProviderAccount => ({
  organisationId,
  accountId: 'acct_scripted',
  liveMode: false,
  fake: true,
  adapter,
  webhookSecrets: ['whsec_scripted'],
  ...more,
});

/** One organisation in a database of its own, with the real intake and the real worker over the given provider. */
export const createWorkerHouse = async (
  adapter: ProviderAdapter | null,
  options: {
    readonly settings?: Partial<WorkerSettings>;
    readonly account?: Partial<ProviderAccount>;
    readonly maximum?: number;
  } = {},
): Promise<WorkerHouse> => {
  const database = await createTestDatabase({ maximum: options.maximum ?? 10 });
  const [installed] = await database.admin<
    { default_org_id: string }[]
  >`select default_org_id from installation`;
  const organisationId = installed?.default_org_id ?? '';
  const settings = { ...shortSettings, ...options.settings };
  const inOrganisation = organisationTransactions(database.connection);
  const account = adapter === null ? undefined : accountOver(adapter, organisationId, options.account);
  const providers: ProviderDirectory = {
    accountOf: (id) => (id === organisationId ? account : undefined),
    accounts: () => (account === undefined ? [] : [account]),
  };
  const intake = createIntake({
    inOrganisation,
    providers,
    providerName: () => 'Stripe',
    rules: { keysMayDecide: true },
    undoMs: settings.undoMs,
    providerTimeoutMs: settings.providerTimeoutMs,
    nowMs: () => Date.now(),
  });

  const filedUnder = adapter?.contract.displayName.toLowerCase() ?? 'stripe';
  const people = housePeople(database, organisationId);
  await people.join(agent, approver, { ...approver, id: 'approver-2', name: 'Dora' });
  const apply: WorkerHouse['apply'] = async (actor, ...commands) => {
    await people.joinApprover(actor, commands);
    return intake(
      { organisationId, actor },
      commands.map((command) => ({ ok: true, command })),
    );
  };

  const propose: WorkerHouse['propose'] = async (orderId, minor, more = {}) => {
    const operationId = more.operationId ?? mint();
    const [order] = await database.admin<{ currency: string }[]>`
      select p.currency from orders o join payments p using (org_id, provider, payment_reference)
      where o.order_id = ${orderId}`;
    const [result] = await apply(agent, {
      type: 'propose',
      commandId: operationId,
      operationId,
      kind: 'refund',
      orderId,
      amount: { minor, currency: order?.currency ?? 'EUR' },
      reason: 'returned',
      ...more,
    });
    expect(result?.problem).toBeUndefined();
    return operationId;
  };

  const operation: WorkerHouse['operation'] = async (id) => {
    const [row] = await database.admin<SeenOperation[]>`select * from operations where id = ${id}`;
    if (row === undefined) throw new Error(`no operation ${id}`);
    // A bigint comes as text.
    return { ...row, fence: Number(row.fence) };
  };

  const approve: WorkerHouse['approve'] = async (operationId) => {
    const [row] = await database.admin<{ fingerprint: string }[]>`
      select fingerprint from operations where id = ${operationId}`;
    const [result] = await apply(approver, {
      type: 'approve',
      commandId: mint(),
      operationId,
      fingerprint: row?.fingerprint ?? '',
    });
    if (result === undefined) throw new Error('no verdict');
    return result;
  };

  return {
    database,
    organisationId,
    inOrganisation,
    providers,
    worker: (more = {}) =>
      createWorker({ connection: database.connection, providers, settings, inOrganisation, ...more }),
    apply,
    propose,
    approve,
    approved: async (orderId, minor, more) => {
      const id = await propose(orderId, minor, more);
      const result = await approve(id);
      expect(result.problem).toBeUndefined();
      return id;
    },
    order: async (orderId, payment, capturedMinor, currency = 'EUR') => {
      const amount = { minor: capturedMinor, currency };
      const answer = await inOrganisation(organisationId, (tx) =>
        putOrder(
          tx,
          orderId,
          {
            customer: { id: 'customer-1', name: 'Cleo' },
            // The wire knows one name so far; the engine files a payment under whatever name it is given.
            payment: { provider: filedUnder as 'stripe', reference: payment, captured: amount },
            lines: [],
            returns: [{ id: 'return-1', status: 'received', receivedAt: new Date().toISOString() }],
            placedAt: new Date(Date.now() - 3_600_000).toISOString(),
          },
          account?.accountId ?? null,
        ),
      );
      expect(answer.ok).toBe(true);
    },
    operation,
    settled: async (id, state, deadlineMs = 15_000) => {
      try {
        return await eventually(async () => {
          const row = await operation(id);
          return row.state === state ? row : undefined;
        }, deadlineMs);
      } catch {
        throw new Error(`not ${state}: ${JSON.stringify(await operation(id))}`);
      }
    },
    close: database.drop,
  };
};

/** Runs a worker until the test's `work` is done, and stops it the way a process does. */
export const whileRunning = async (worker: Worker, work: () => Promise<void>): Promise<void> => {
  const stop = new AbortController();
  const running = worker.run(stop.signal);
  try {
    await work();
  } finally {
    stop.abort();
    await running;
  }
};
