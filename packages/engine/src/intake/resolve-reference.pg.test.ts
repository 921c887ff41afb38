import { describe, expect, it } from 'vitest';
import type { Operation } from '@holdfast/operation';
import type { MirroredRefund } from '@holdfast/providers';
import { scriptedEngineHouse } from '../../test/scripted-engine-house.ts';
import { ada, mint, olga, operationIn, otto, problemIn, proposal } from '../../test/engine-house.ts';
import { accountOver } from '../../test/worker-house.ts';
import { absorbSeen } from '../postgres/mirror-store.ts';

const { house, provider, unknown, byHand, figures } = await scriptedEngineHouse();

const listed = (refund: MirroredRefund) =>
  house.runtime.inOrganisation(house.organisationId, (tx) =>
    absorbSeen(tx, accountOver(provider.adapter, house.organisationId), {
      refunds: [refund],
      disputes: [],
      askedPayment: null,
      source: 'listing',
    }),
  );

const confirm = (operation: Operation, providerReference: string) =>
  ({
    type: 'resolve',
    commandId: mint(),
    operationId: operation.id,
    version: operation.version,
    outcome: 'confirmed',
    note: 'seen in the dashboard',
    providerReference,
  }) as const;

const foreignActions = () => house.database.admin`select from counted where name = 'foreign_actions'`;

describe('a refund made by hand that operators take for an operation', () => {
  // Red when: the payment is not counted afresh after a resolve, or the sum does not leave out what is held.
  it('is counted once: no longer as refunded elsewhere', async () => {
    const operation = await unknown();
    const refund = byHand(operation);
    await listed(refund);
    expect(await figures(operation)).toEqual({ reserved: 1_000, refunded: 0, elsewhere: 1_000 });
    await house.give(olga, confirm(operation, refund.reference));
    expect(await figures(operation)).toEqual({ reserved: 0, refunded: 1_000, elsewhere: 0 });
  });

  // Red when: what an operation holds is counted as elsewhere, or as made elsewhere, when a listing shows it.
  it('is counted once also where the listing shows it later', async () => {
    const operation = await unknown();
    const refund = byHand(operation);
    await house.give(olga, confirm(operation, refund.reference));
    const before = await foreignActions();
    await listed(refund);
    expect(await figures(operation)).toEqual({ reserved: 0, refunded: 1_000, elsewhere: 0 });
    expect(await foreignActions()).toHaveLength(before.length);
  });

  // Red when: the ledger's refund is not attributed to the operation that holds it.
  it('is no refund elsewhere that a further proposal could be a second time', async () => {
    const orderId = await house.order();
    const operation = await unknown(orderId);
    const refund = byHand(operation);
    await listed(refund);
    await house.give(olga, confirm(operation, refund.reference));
    const problem = problemIn((await house.give(ada, proposal(orderId, 1_000)))[0]);
    expect(problem.operations?.map(({ id }) => id)).toEqual([operation.id]);
    expect(problem.elsewhere ?? []).toEqual([]);
    const [different] = await house.give(ada, proposal(orderId, 1_000, { differentFrom: [operation.id] }));
    expect(operationIn(different).state).toBe('proposed');
  });

  // Red when: what two people confirm without the provider's record keeps no reference.
  it('and that the provider could not be asked about is held by its operation: no second one is confirmed on it', async () => {
    const [one, other] = [await unknown(), await unknown()];
    const reference = `re_${mint()}`;
    provider.silent = true;
    try {
      const first = operationIn((await house.give(olga, confirm(one, reference)))[0]);
      const settled = operationIn((await house.give(otto, confirm(first, reference)))[0]);
      expect(settled).toMatchObject({ state: 'confirmed', provider: { reference } });
      const [result] = await house.give(olga, confirm(other, reference));
      expect(problemIn(result).reasons?.map(({ reason }) => reason)).toEqual(['reference-taken']);
    } finally {
      provider.silent = false;
    }
  });
});
