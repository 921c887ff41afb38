import { randomBytes } from 'node:crypto';
import {
  mintOperationId,
  type Actor,
  type Command,
  type CommandResult,
  type Operation,
  type OrderInput,
  type Problem,
} from '@holdfast/operation';
import type { ProviderAdapter } from '@holdfast/providers';
import type { Engine, Principal, ProviderAccount, ProviderDirectory } from '../src/engine-interface.ts';
import type { VerifyAssertion } from '../src/intake/approval-signature.ts';
import { createEngine } from '../src/postgres/create-engine.ts';
import { createRuntime, type Runtime } from '../src/postgres/runtime.ts';
import { housePeople } from './house-people.ts';
import { createTestDatabase, type TestDatabase } from './postgres-rig.ts';

export type EngineHouse = {
  readonly database: TestDatabase;
  readonly runtime: Runtime;
  readonly engine: Engine;
  readonly organisationId: string;
  readonly as: (actor: Actor) => Principal;
  /** Puts an order with its own payment; one return received. */
  readonly order: (
    changes?: Partial<OrderInput> & { readonly capturedMinor?: number; readonly currency?: string },
  ) => Promise<string>;
  readonly give: (actor: Actor, ...commands: readonly Command[]) => Promise<readonly CommandResult[]>;
  readonly close: () => Promise<void>;
};

const person = (id: string, name: string, role: Actor['role']): Actor => ({
  id,
  name,
  role,
  assistant: false,
  via: 'session',
});
export const ada = person('user-ada', 'Ada', 'agent');
export const ben = person('user-ben', 'Ben', 'approver');
export const cleo = person('user-cleo', 'Cleo', 'approver');
export const olga = person('user-olga', 'Olga', 'operator');
export const otto = person('user-otto', 'Otto', 'operator');
export const boss = person('user-boss', 'Bo', 'admin');
export const shop: Actor = { ...person('key-shop', 'Shop', 'integrator'), via: 'ownerless-key' };
export const robot: Actor = { ...person('user-ada', 'Ada', 'agent'), via: 'owned-key', assistant: true };
export const looseKey: Actor = { ...person('key-agent', 'A script', 'agent'), via: 'ownerless-key' };

export const mint = (): string => mintOperationId(Date.now(), randomBytes(10));

export type ProposeCommand = Extract<Command, { type: 'propose' }>;

export const proposal = (
  orderId: string,
  minor: number,
  changes: Partial<ProposeCommand> = {},
): ProposeCommand => {
  const operationId = changes.operationId ?? mint();
  return {
    type: 'propose',
    kind: 'refund',
    commandId: operationId,
    operationId,
    orderId,
    amount: { minor, currency: 'EUR' },
    reason: 'returned',
    ...changes,
  };
};

export const approval = (
  operation: Operation,
  changes: Partial<Extract<Command, { type: 'approve' }>> = {},
): Command => ({
  type: 'approve',
  commandId: mint(),
  operationId: operation.id,
  fingerprint: operation.fingerprint ?? '',
  ...changes,
});

export const decision = (
  type: 'deny' | 'cancel',
  operationId: string,
  commandId: string = mint(),
): Command => ({
  type,
  commandId,
  operationId,
  reason: 'a good reason',
});

export const withdrawal = (operationId: string, commandId: string = mint()): Command => ({
  type: 'withdraw',
  commandId,
  operationId,
});

/** The operation of a result, or a failure that shows the problem. */
export const operationIn = (result: CommandResult | undefined): Operation => {
  if (result?.operation === undefined) throw new Error(`no operation: ${JSON.stringify(result)}`);
  return result.operation;
};
export const problemIn = (result: CommandResult | undefined): Problem => {
  if (result?.problem === undefined) throw new Error(`no problem: ${JSON.stringify(result)}`);
  return result.problem;
};
export const slugIn = (result: CommandResult | undefined): string =>
  problemIn(result).type.split('/').at(-1) ?? '';

export type HouseOptions = {
  /** The clock of the process; the database keeps its own. */
  readonly nowMs?: () => number;
  readonly adapter?: ProviderAdapter;
  readonly undoMs?: number;
  readonly keysMayDecide?: boolean;
  readonly maximum?: number;
  readonly verifyAssertion?: VerifyAssertion;
};

/** The engine over a database of its own, with the default organisation. */
export const createEngineHouse = async (options: HouseOptions = {}): Promise<EngineHouse> => {
  const database = await createTestDatabase({ maximum: options.maximum ?? 10 });
  const [installed] = await database.admin<
    { default_org_id: string }[]
  >`select default_org_id from installation`;
  const organisationId = installed?.default_org_id ?? '';
  const runtime = createRuntime(database.connection);
  const account: ProviderAccount | undefined = options.adapter && {
    organisationId,
    accountId: 'acct_test',
    liveMode: false,
    fake: true,
    adapter: options.adapter,
    webhookSecrets: ['whsec_test'],
  };
  const providers: ProviderDirectory = {
    accountOf: (id) => (id === organisationId ? account : undefined),
    accounts: () => (account === undefined ? [] : [account]),
  };
  const engine = createEngine({
    runtime,
    providers,
    keysMayDecide: options.keysMayDecide ?? false,
    ...(options.verifyAssertion === undefined ? {} : { verifyAssertion: options.verifyAssertion }),
    undoMs: options.undoMs ?? 5_000,
    providerTimeoutMs: 1_000,
    ...(options.nowMs === undefined ? {} : { nowMs: options.nowMs }),
  });
  const people = housePeople(database, organisationId);
  await people.join(ada, ben, cleo, olga, boss);
  const as = (actor: Actor): Principal => ({ organisationId, actor });
  return {
    database,
    runtime,
    engine,
    organisationId,
    as,
    order: async (changes = {}) => {
      const orderId = `order-${mint()}`;
      const answer = await engine.putOrder(as(shop), orderId, orderInput(changes));
      if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
      return orderId;
    },
    give: async (actor, ...commands) => {
      await people.joinApprover(actor, commands);
      return engine.apply(
        as(actor),
        commands.map((command) => ({ ok: true, command })),
      );
    },
    close: async () => {
      await runtime.close();
      await database.drop();
    },
  };
};

export const orderInput = (
  changes: Partial<OrderInput> & { readonly capturedMinor?: number; readonly currency?: string } = {},
): OrderInput => {
  const { capturedMinor = 10_000, currency = 'EUR', ...rest } = changes;
  return {
    customer: { id: 'customer-1', name: 'Mara Lind' },
    payment: {
      provider: 'stripe',
      reference: `pi_${mint()}`,
      captured: { minor: capturedMinor, currency },
    },
    lines: [{ sku: 'HEADPHONES', title: 'Headphones', quantity: 2, amount: { minor: 5_000, currency } }],
    returns: [{ id: 'return-1', status: 'received', receivedAt: '2026-01-02T03:04:05.000Z' }],
    placedAt: new Date(Date.now() - 86_400_000).toISOString(),
    ...rest,
  };
};
