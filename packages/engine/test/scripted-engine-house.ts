import { afterAll, expect } from 'vitest';
import type { Operation } from '@holdfast/operation';
import type { MirroredRefund } from '@holdfast/providers';
import { changeOperation, lockOperation, type OperationChange } from '../src/postgres/change-operation.ts';
import {
  ada,
  approval,
  ben,
  createEngineHouse,
  mint,
  operationIn,
  proposal,
  type EngineHouse,
} from './engine-house.ts';
import { createScriptedProvider, type ScriptedProvider } from './scripted-provider.ts';

export type ScriptedEngineHouse = {
  readonly house: EngineHouse;
  readonly provider: ScriptedProvider;
  /** A refund of 10.00 whose outcome is unknown; on an order of its own unless one is named. */
  readonly unknown: (orderId?: string) => Promise<Operation>;
  /** Moves an operation by these events, one after the other, and answers with what it is then. */
  readonly moves: (
    operation: Operation,
    ...events: readonly OperationChange['event'][]
  ) => Promise<Operation>;
  /** A refund made in the provider's dashboard on the operation's payment. */
  readonly byHand: (operation: Operation, minor?: number) => MirroredRefund;
  readonly figures: (operation: Operation) => Promise<unknown>;
};

/** The engine over a scripted provider, for one test file of what people settle by hand. */
export const scriptedEngineHouse = async (
  clock: { readonly nowMs?: () => number } = {},
): Promise<ScriptedEngineHouse> => {
  const provider = createScriptedProvider();
  const house = await createEngineHouse({ adapter: provider.adapter, ...clock });
  afterAll(() => house.close());

  const moves: ScriptedEngineHouse['moves'] = async (operation, ...events) => {
    for (const event of events) {
      await house.runtime.inOrganisation(house.organisationId, async (tx) => {
        const row = await lockOperation(tx, operation.id);
        const expectedVersion = row?.version ?? 0;
        const change = { operationId: operation.id, expectedVersion, event, by: { actorId: null } };
        expect((await changeOperation(tx, change)).kind).toBe('moved');
      });
    }
    const now = await house.engine.getOperation(house.as(ada), operation.id);
    if (now === null) throw new Error('it is there');
    return now;
  };

  return {
    house,
    provider,
    moves,
    unknown: async (orderId) => {
      const onOrder = orderId ?? (await house.order());
      const operation = operationIn((await house.give(ada, proposal(onOrder, 1_000)))[0]);
      await house.give(ben, approval(operation));
      const now = await moves(operation, { type: 'claim' }, { type: 'lose-sight' });
      expect(now.state).toBe('outcome_unknown');
      return now;
    },
    byHand: (operation, minor = 1_000) => {
      const refund: MirroredRefund = {
        reference: `re_${mint()}`,
        status: 'succeeded',
        statusText: 'succeeded',
        amount: { minor, currency: 'EUR' },
        paymentReference: operation.paymentReference ?? '',
        failureReason: null,
        createdAtMs: Date.now(),
        organisationId: null,
        operationId: null,
      };
      provider.ledger.push(refund);
      return refund;
    },
    figures: async (operation) => {
      const [row] = await house.database.admin`
        select reserved::int, refunded::int, refunded_elsewhere::int as elsewhere from payments
        where payment_reference = ${operation.paymentReference}`;
      return row;
    },
  };
};
