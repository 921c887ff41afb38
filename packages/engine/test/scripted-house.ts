import { afterAll, beforeEach } from 'vitest';
import type { CommandResult } from '@holdfast/operation';
import type { MirroredRefund, ProviderAdapter } from '@holdfast/providers';
import type { ProviderDirectory } from '../src/engine-interface.ts';
import { organisationTransactions } from '../src/postgres/connection.ts';
import type { CreateWorkerOptions } from '../src/postgres/create-worker.ts';
import { readOperation, viewOperation } from '../src/postgres/operation-reader.ts';
import {
  createScriptedProvider,
  type ScriptedProvider,
  type ScriptedProviderKind,
} from './scripted-provider.ts';
import { agent, createWorkerHouse, mint, type WorkerHouse } from './worker-house.ts';

/** A payment's figures in minor units. */
export type Figures = {
  readonly reserved: number;
  readonly refunded: number;
  readonly elsewhere: number;
  readonly disputed: boolean;
};

export type ScriptedHouse = {
  readonly house: WorkerHouse;
  readonly provider: ScriptedProvider;
  /** An order with a payment of its own, 100.00 captured unless said otherwise. */
  readonly newOrder: (
    capturedMinor?: number,
  ) => Promise<{ readonly order: string; readonly payment: string }>;
  readonly figures: (payment: string) => Promise<Figures>;
  /** Refunds of the payment at the provider, whatever became of them. */
  readonly inLedger: (payment: string) => readonly MirroredRefund[];
  /** A refund made in the provider's dashboard; `more` for what else its record says. */
  readonly refundByHand: (payment: string, minor: number, more?: Partial<MirroredRefund>) => MirroredRefund;
  /** Makes the record at the provider say something else from now on. */
  readonly changeAtProvider: (reference: string, changes: Partial<MirroredRefund>) => void;
  readonly wakeNow: (id: string) => Promise<void>;
  /** States of the operation as the audit has them, each once where it stayed. */
  readonly statesOf: (id: string) => Promise<readonly string[]>;
  /** The operation's sentence as people read it. */
  readonly sentenceOf: (id: string) => Promise<string>;
  /** A further refund as an agent asks for it, with the verdict as it is. */
  readonly ask: (
    order: string,
    minor: number,
    more?: { readonly differentFrom?: string[] },
  ) => Promise<CommandResult>;
  /** Kinds and sources of what was observed of an operation, oldest first. */
  readonly evidenceOf: (id: string) => Promise<readonly { readonly source: string; readonly kind: string }[]>;
  /** Another kind of provider in place of the account's, in the same database. */
  readonly another: (kind: ScriptedProviderKind) => {
    readonly provider: ScriptedProvider;
    readonly providers: ProviderDirectory;
  };
  /** The same account spoken to by a changed adapter. */
  readonly accountBy: (changes: Partial<ProviderAdapter>) => ProviderDirectory;
  /** How a worker runs whose database says that it is this much later. */
  readonly later: (ms: () => number) => Pick<CreateWorkerOptions, 'inOrganisation' | 'readClock'>;
};

/**
 * The real intake and worker over a scripted provider, for one test file. Between its tests the provider's script is
 * emptied, the provider answers and shows everything again, and earlier operations sleep; orders are each test's own.
 */
export const scriptedHouse = async (
  kind: ScriptedProviderKind = {},
  options: Parameters<typeof createWorkerHouse>[1] = {},
): Promise<ScriptedHouse> => {
  const provider = createScriptedProvider(kind.contract, kind.ways);
  const house = await createWorkerHouse(provider.adapter, options);
  let orders = 0;
  afterAll(() => house.close());
  beforeEach(async () => {
    // What earlier tests left unfinished on purpose takes no turn, no answer and no request from this one.
    await house.database.admin`
      update operations set wake_at = now() + interval '1 day' where wake_at is not null`;
    // What the provider asked for in one test is not to be obeyed in the next.
    await house.database.admin`delete from account_budgets`;
    provider.script.length = 0;
    provider.requests.length = 0;
    provider.hidden = 0;
    provider.silent = false;
    provider.aheadMs = 0;
  });
  const accountBy: ScriptedHouse['accountBy'] = (changes) => {
    const [account] = house.providers.accounts();
    if (account === undefined) throw new Error('no account');
    const over = { ...account, adapter: { ...account.adapter, ...changes } };
    return { accountOf: () => over, accounts: () => [over] };
  };
  return {
    house,
    provider,
    accountBy,
    another: (other) => {
      const instead = createScriptedProvider(other.contract, other.ways);
      return { provider: instead, providers: accountBy(instead.adapter) };
    },
    newOrder: async (capturedMinor = 10_000) => {
      orders += 1;
      const names = { order: `order-${String(orders)}`, payment: `pi_${String(orders)}` };
      await house.order(names.order, names.payment, capturedMinor);
      return names;
    },
    inLedger: (payment) => provider.ledger.filter(({ paymentReference }) => paymentReference === payment),
    ...atTheProvider(provider),
    ...evidenceIn(house),
    later: (ms) => {
      const readClock = (now: Date): Date => new Date(now.getTime() + ms());
      return {
        readClock,
        inOrganisation: organisationTransactions(house.database.connection, { readClock }),
      };
    },
  };
};

const atTheProvider = (
  provider: ScriptedProvider,
): Pick<ScriptedHouse, 'refundByHand' | 'changeAtProvider'> => ({
  refundByHand: (payment, minor, more = {}) => {
    const refund: MirroredRefund = {
      reference: `re_hand_${mint()}`,
      status: 'succeeded',
      statusText: 'succeeded',
      amount: { minor, currency: 'EUR' },
      paymentReference: payment,
      failureReason: null,
      createdAtMs: Date.now(),
      organisationId: null,
      operationId: null,
      ...more,
    };
    provider.ledger.push(refund);
    return refund;
  },
  changeAtProvider: (reference, changes) => {
    const index = provider.ledger.findIndex((refund) => refund.reference === reference);
    const refund = provider.ledger[index];
    if (refund === undefined) throw new Error(`the provider has no refund ${reference}`);
    provider.ledger[index] = { ...refund, ...changes };
  },
});

/** What a test reads of a house's database, whoever the provider is. */
export type EvidenceReads = Pick<
  ScriptedHouse,
  'figures' | 'wakeNow' | 'statesOf' | 'sentenceOf' | 'ask' | 'evidenceOf'
>;

export const evidenceIn = (house: WorkerHouse): EvidenceReads => ({
  figures: async (payment) => {
    const [row] = await house.database.admin<Figures[]>`
      select reserved::int, refunded::int, refunded_elsewhere::int as elsewhere, disputed
      from payments where payment_reference = ${payment}`;
    if (row === undefined) throw new Error(`no payment ${payment}`);
    return row;
  },
  ask: async (orderId, minor, more = {}) => {
    const operationId = mint();
    const [result] = await house.apply(agent, {
      ...{ type: 'propose', commandId: operationId, operationId, kind: 'refund', orderId },
      ...{ amount: { minor, currency: 'EUR' }, reason: 'returned' },
      ...more,
    });
    if (result === undefined) throw new Error('no verdict');
    return result;
  },
  evidenceOf: (id) => house.database.admin<{ source: string; kind: string }[]>`
    select source, finding->>'kind' as kind from observations where operation_id = ${id}
    order by observed_at, id`,
  wakeNow: async (id) => {
    await house.database.admin`update operations set wake_at = now() where id = ${id}`;
  },
  statesOf: async (id) => {
    const rows = await house.database.admin<{ state: string }[]>`
      select state from audit where operation_id = ${id} order by sequence`;
    return rows.map(({ state }) => state).filter((state, index, all) => state !== all[index - 1]);
  },
  sentenceOf: (id) =>
    house.inOrganisation(house.organisationId, async (tx) => {
      const row = await readOperation(tx, id);
      if (row === undefined) throw new Error(`no operation ${id}`);
      return (await viewOperation(tx, row, () => 'Stripe')).sentence;
    }),
});

/** Something that other code waits for until the test opens it. */
export const gate = (): { readonly open: () => void; readonly opened: Promise<void> } => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
};

/** A process that dies with its request: what it was to send never leaves, and nothing of it is recorded. */
export const vanishing = { submit: () => new Promise<never>(() => undefined) } as const;

/** A process that dies once its request is written: the provider has it, and nobody here hears of it. */
export const vanishingOnceSent = (provider: ScriptedProvider): Pick<ProviderAdapter, 'submit'> => ({
  submit: async (...request) => {
    await provider.adapter.submit(...request);
    return new Promise<never>(() => undefined);
  },
});
