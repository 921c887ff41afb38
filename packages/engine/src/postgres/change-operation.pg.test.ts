import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '@holdfast/operation';
import {
  ada,
  approval,
  ben,
  createEngineHouse,
  operationIn,
  proposal,
  type EngineHouse,
} from '../../test/engine-house.ts';
import { changeOperation, type OperationChange } from './change-operation.ts';
import { verifyAuditOf } from './audit-store.ts';

let house: EngineHouse;
beforeAll(async () => {
  house = await createEngineHouse();
});
afterAll(() => house.close());

const approved = async (minor = 1_000): Promise<Operation> => {
  const operation = operationIn((await house.give(ada, proposal(await house.order(), minor)))[0]);
  return operationIn((await house.give(ben, approval(operation)))[0]);
};
const change = (
  operationId: string,
  expectedVersion: number,
  more: Omit<OperationChange, 'operationId' | 'expectedVersion' | 'by'>,
) =>
  house.runtime.inOrganisation(house.organisationId, (tx) =>
    changeOperation(tx, { operationId, expectedVersion, by: { actorId: null }, ...more }),
  );
const record = (operation: Operation, minor = 1_000) => ({
  reference: `re_${operation.id}`,
  status: 'succeeded' as const,
  statusText: 'succeeded',
  amount: { minor, currency: 'EUR' },
  paymentReference: operation.paymentReference ?? '',
  failureReason: null,
  createdAtMs: 0,
  organisationId: house.organisationId,
  operationId: operation.id,
});
const figures = async (operation: Operation) => {
  const [row] = await house.database.admin`
    select reserved::int, refunded::int from payments where payment_reference = ${operation.paymentReference}`;
  return row;
};
const rowsIn = async (table: 'audit' | 'feed', operation: Operation): Promise<number> => {
  const column = table === 'audit' ? 'operation_id' : 'subject_id';
  const rows = await house.database.admin.unsafe(`select from ${table} where ${column} = '${operation.id}'`);
  return rows.length;
};

describe('the one function that changes an operation', () => {
  it('writes nothing when the version is not the one the decision was made on', async () => {
    const operation = await approved();
    const before = [await rowsIn('audit', operation), await rowsIn('feed', operation)];
    const answer = await change(operation.id, operation.version - 1, { event: { type: 'lose-sight' } });
    expect(answer.kind).toBe('conflict');
    expect([await rowsIn('audit', operation), await rowsIn('feed', operation)]).toEqual(before);
  });

  it('writes nothing for a worker whose fence is no longer the operation’s', async () => {
    const operation = await approved();
    await house.database.admin`update operations set fence = 7 where id = ${operation.id}`;
    const answer = await change(operation.id, operation.version, { fence: 6, event: { type: 'claim' } });
    expect(answer.kind).toBe('conflict');
    const [row] = await house.database.admin`select state from operations where id = ${operation.id}`;
    expect(row).toEqual({ state: 'approved' });
  });

  it('raises the version and tells audit and feed once for a move, and not at all for what is ignored', async () => {
    const operation = await approved();
    const before = [await rowsIn('audit', operation), await rowsIn('feed', operation)] as const;
    const moved = await change(operation.id, operation.version, {
      event: { type: 'need-person', raises: ['nobody-can-approve'] },
    });
    expect(moved).toMatchObject({ kind: 'moved', row: { version: operation.version + 1 } });
    const wakeAt = new Date('2030-01-01T00:00:00.000Z');
    const ignored = await change(operation.id, operation.version + 1, {
      event: { type: 'need-person', raises: ['nobody-can-approve'] },
      bookkeeping: { wakeAt },
    });
    expect(ignored).toMatchObject({ kind: 'ignored', row: { version: operation.version + 1, wakeAt } });
    expect(await rowsIn('audit', operation)).toBe(before[0] + 1);
    expect(await rowsIn('feed', operation)).toBe(before[1] + 1);
  });

  it('moves the reservation into what is refunded when the outcome is known, and back when it did not last', async () => {
    const operation = await approved(1_000);
    await change(operation.id, operation.version, { event: { type: 'claim' } });
    expect(await figures(operation)).toEqual({ reserved: 1_000, refunded: 0 });
    const confirmed = {
      event: { type: 'evidence-confirmed' },
      patch: { providerReference: `re_${operation.id}` },
    } as const;
    await change(operation.id, operation.version + 1, confirmed);
    expect(await figures(operation)).toEqual({ reserved: 0, refunded: 1_000 });
    // The same evidence again books nothing a second time.
    await change(operation.id, operation.version + 2, confirmed);
    expect(await figures(operation)).toEqual({ reserved: 0, refunded: 1_000 });
    await change(operation.id, operation.version + 2, { event: { type: 'evidence-reversed' } });
    expect(await figures(operation)).toEqual({ reserved: 0, refunded: 0 });
  });

  it('books what the provider says where it differs from what was approved', async () => {
    const operation = await approved(1_000);
    await change(operation.id, operation.version, { event: { type: 'claim' } });
    await change(operation.id, operation.version + 1, {
      event: { type: 'evidence-confirmed' },
      patch: { bookedMinor: 900 },
    });
    expect(await figures(operation)).toEqual({ reserved: 0, refunded: 900 });
  });

  // Red when: the condition `enough` is left out of the update in `bookMoney`.
  it('F030: takes a reservation only while enough is left, whatever was judged before', async () => {
    const operation = operationIn((await house.give(ada, proposal(await house.order(), 6_000)))[0]);
    await house.database.admin`update payments set reserved = 4001
      where payment_reference = ${operation.paymentReference}`;
    const approve = { event: { type: 'approve' }, patch: { wakeAt: new Date() } } as const;
    expect(await change(operation.id, 1, approve)).toMatchObject({
      kind: 'refused',
      problem: 'exceeds-refundable',
      refundableMinor: 5_999,
      row: { state: 'proposed', version: 1 },
    });
    expect(await figures(operation)).toEqual({ reserved: 4_001, refunded: 0 });
    await house.database.admin`update payments set reserved = 4000
      where payment_reference = ${operation.paymentReference}`;
    expect((await change(operation.id, 1, approve)).kind).toBe('moved');
    expect(await figures(operation)).toEqual({ reserved: 10_000, refunded: 0 });
  });

  it('never refuses a fact from outside, even one that overdraws the payment', async () => {
    const operation = operationIn(
      (await house.give(ada, proposal(await house.order({ capturedMinor: 1_000 }), 1_000)))[0],
    );
    await house.database.admin`update payments set refunded_elsewhere = 1000
      where payment_reference = ${operation.paymentReference}`;
    const answer = await change(operation.id, 1, { event: { type: 'evidence-confirmed' } });
    expect(answer).toMatchObject({
      kind: 'moved',
      row: { state: 'confirmed', attention: [{ reason: 'contradicted' }] },
    });
    expect(await figures(operation)).toEqual({ reserved: 0, refunded: 1_000 });
    expect((await house.engine.getOrder(house.as(ada), operation.orderId ?? ''))?.refundable.minor).toBe(0);
  });

  it('raises the version of the order with its figures, and when an outcome becomes unknown', async () => {
    const operation = await approved();
    const versionOf = async () =>
      (await house.engine.getOrder(house.as(ada), operation.orderId ?? ''))?.version ?? 0;
    const atApproval = await versionOf();
    await change(operation.id, operation.version, { event: { type: 'claim' } });
    expect(await versionOf()).toBe(atApproval);
    await change(operation.id, operation.version + 1, { event: { type: 'lose-sight' } });
    expect(await versionOf()).toBe(atApproval + 1);
    await change(operation.id, operation.version + 2, { event: { type: 'evidence-confirmed' } });
    expect(await versionOf()).toBe(atApproval + 2);
  });

  it('lets the database itself forbid an unfinished operation that nothing wakes and nobody sees', async () => {
    const operation = await approved();
    await expect(
      house.database.admin`update operations set wake_at = null where id = ${operation.id}`,
    ).rejects.toThrow('nothing_is_forgotten');
  });

  it('lets the database itself forbid a second operation in flight on a payment', async () => {
    const first = await approved();
    const second = operationIn(
      (await house.give(ada, proposal(first.orderId ?? '', 500, { differentFrom: [first.id] })))[0],
    );
    await house.give(ben, approval(second));
    await change(first.id, first.version, { event: { type: 'claim' } });
    await expect(change(second.id, 2, { event: { type: 'claim' } })).rejects.toMatchObject({
      constraint_name: 'one_operation_in_flight_per_payment',
    });
  });
});

describe('the audit', () => {
  it('shows an entry that was changed, and one that is missing', async () => {
    const operation = await approved();
    const faults = () =>
      house.runtime.inOrganisation(house.organisationId, (tx) => verifyAuditOf(tx, operation.id));
    expect(await faults()).toEqual([]);
    await house.database
      .admin`update audit set actor_id = 'somebody' where operation_id = ${operation.id} and sequence = 1`;
    expect((await faults()).map(({ sequence }) => sequence)).toEqual([1]);
    await house.database.admin`delete from audit where operation_id = ${operation.id} and sequence = 1`;
    expect((await faults()).length).toBeGreaterThan(0);
  });

  it('cannot be changed by the server’s own role', async () => {
    await expect(
      house.runtime.inOrganisation(house.organisationId, (tx) =>
        tx.db.execute(`update audit set actor_id = 'x'`),
      ),
    ).rejects.toMatchObject({ cause: { message: expect.stringContaining('permission denied') } });
  });

  it('holds IDs and never a name or what people typed', async () => {
    const operation = await approved();
    const rows = await house.database.admin`select * from audit where operation_id = ${operation.id}`;
    expect(JSON.stringify(rows)).not.toMatch(/Ada|Ben|Mara/);
  });
});

describe('what people are told', () => {
  // Red when: `sentenceFacts` leaves out why it failed, or shows what was claimed by the sentence of what is confirmed.
  it('F121: says “refunded” nowhere before the provider does, and shows the provider’s reason once it refused', async () => {
    const operation = await approved();
    const shown = async (): Promise<string> => {
      const detail = await house.engine.getOperation(house.as(ada), operation.id);
      return JSON.stringify([
        detail?.sentence,
        detail?.tellTheCustomer,
        detail?.timeline.map(({ sentence }) => sentence),
      ]);
    };
    const told = [await shown()];
    await change(operation.id, operation.version, { event: { type: 'claim' } });
    told.push(await shown());
    await change(operation.id, operation.version + 1, {
      event: { type: 'evidence-failed' },
      patch: {
        settlement: {
          kind: 'failed',
          attention: [],
          cause: { kind: 'declined', decline: 'not-enough-balance', code: null },
        },
      },
    });
    told.push(await shown());
    for (const text of told) expect(text).not.toMatch(/refunded|carried out/i);
    expect(told.at(-1)).toMatch(/No money moved.*balance/);
    expect(await figures(operation)).toEqual({ reserved: 0, refunded: 0 });
  });

  it('F121: says it with the reference once the provider’s record does', async () => {
    const operation = await approved();
    await change(operation.id, operation.version, { event: { type: 'claim' } });
    const seen = record(operation);
    await change(operation.id, operation.version + 1, {
      event: { type: 'evidence-confirmed' },
      patch: {
        providerReference: seen.reference,
        settlement: { kind: 'confirmed', record: seen, booked: seen.amount, settledBy: null, attention: [] },
      },
    });
    const detail = await house.engine.getOperation(house.as(ada), operation.id);
    expect(detail?.sentence).toContain(seen.reference);
    expect(detail?.timeline.map(({ type }) => type)).toEqual([
      'propose',
      'approve',
      'claim',
      'evidence-confirmed',
    ]);
  });
});
