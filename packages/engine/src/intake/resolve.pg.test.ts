import { describe, expect, it } from 'vitest';
import type { Command, Operation } from '@holdfast/operation';
import { scriptedEngineHouse } from '../../test/scripted-engine-house.ts';
import {
  ada,
  ben,
  mint,
  olga,
  operationIn,
  otto,
  problemIn,
  proposal,
  slugIn,
} from '../../test/engine-house.ts';
import { addObservation } from '../postgres/observation-store.ts';
import type { OperationChange } from '../postgres/change-operation.ts';

const { house, provider, unknown, moves, byHand, figures } = await scriptedEngineHouse();

type Resolve = Extract<Command, { type: 'resolve' }>;
const resolution = (operation: Operation, changes: Partial<Resolve> = {}): Resolve => ({
  type: 'resolve',
  commandId: mint(),
  operationId: operation.id,
  version: operation.version,
  outcome: 'failed',
  note: 'seen in the dashboard',
  ...changes,
});

const observationsOf = (operation: Operation) =>
  house.database.admin`select source from observations where operation_id = ${operation.id}`;

describe('settling by hand', () => {
  it('as failed needs two operators: the first word waits, an equal one of another carries it out', async () => {
    const operation = await unknown();
    const first = operationIn((await house.give(olga, resolution(operation)))[0]);
    expect(first).toMatchObject({
      state: 'outcome_unknown',
      resolution: { outcome: 'failed', waiting: true, by: { name: 'Olga' } },
    });
    // The same operator again is not a second one.
    const [repeated] = await house.give(olga, resolution(first));
    expect(repeated).toMatchObject({ status: 'applied', operation: { state: 'outcome_unknown' } });
    const again = operationIn(repeated);
    const settled = operationIn((await house.give(otto, resolution(again)))[0]);
    expect(settled).toMatchObject({ state: 'failed', resolution: { waiting: false } });
    expect(settled.sentence).toMatch(/settled by Olga \(.*\) and Otto \(/i);
    expect(await figures(operation)).toMatchObject({ reserved: 0, refunded: 0 });
  });

  // Red when: the second note takes the first one's place, or stands under the first operator's name.
  it('by two keeps what each of them wrote, under their own name, wherever it is told', async () => {
    const operation = await unknown();
    const nothing = { note: 'Nothing in the dashboard.' };
    const first = operationIn((await house.give(olga, resolution(operation, nothing)))[0]);
    expect(first.resolution).toMatchObject({ by: { name: 'Olga' }, ...nothing });
    expect(first.resolution).not.toHaveProperty('second');
    const too = { note: 'I asked the bank too.' };
    const settled = operationIn((await house.give(otto, resolution(first, too)))[0]);
    expect(settled.resolution).toMatchObject({
      ...{ by: { id: olga.id, name: 'Olga' }, ...nothing, at: first.resolution?.at, waiting: false },
      second: { by: { id: otto.id, name: 'Otto' }, ...too },
    });
    expect(settled.sentence).toBe(
      'No money moved. Settled by Olga (“Nothing in the dashboard.”) and Otto (“I asked the bank too.”).',
    );
    const detail = await house.engine.getOperation(house.as(otto), operation.id);
    const told = detail?.timeline.filter(({ type }) => type.startsWith('resolve')) ?? [];
    expect(told.map(({ sentence }) => sentence)).toEqual([
      'Olga says: it did not happen. A second operator must say the same. Olga wrote: “Nothing in the dashboard.”',
      'Otto settled it: it did not happen. Otto wrote: “I asked the bank too.”',
    ]);
    expect(detail?.observations?.at(-1)?.summary).toBe(
      'Settled by hand as failed. The first operator wrote: “Nothing in the dashboard.” The second: “I asked the bank too.”',
    );
    // What stands here from before both notes were kept is the second one's, and is told as that.
    await house.database.admin`update operations
      set resolution = resolution - 'second' || jsonb_build_object('note', 'of the second') where id = ${operation.id}`;
    expect((await house.engine.getOperation(house.as(otto), operation.id))?.resolution).toMatchObject({
      ...{ by: { name: 'Olga' }, note: '' },
      second: { by: { name: 'Otto' }, note: 'of the second' },
    });
  });

  it('as confirmed needs a reference that the provider knows on this payment', async () => {
    const operation = await unknown();
    const confirm = (providerReference?: string) =>
      house.give(
        olga,
        resolution(operation, { outcome: 'confirmed', ...(providerReference ? { providerReference } : {}) }),
      );
    const reasonOf = async (reference?: string) =>
      problemIn((await confirm(reference))[0]).reasons?.map(({ reason }) => reason);
    expect(await reasonOf()).toEqual(['reference-missing']);
    expect(await reasonOf('re_nobody_knows')).toEqual(['reference-unknown']);
    const elsewhere = byHand({ ...operation, paymentReference: 'pi_another' }).reference;
    expect(await reasonOf(elsewhere)).toEqual(['reference-of-another-payment']);
    const right = byHand(operation, 1_000).reference;
    const settled = operationIn((await confirm(right))[0]);
    expect(settled).toMatchObject({ state: 'confirmed', provider: { reference: right } });
    expect(await figures(operation)).toMatchObject({ reserved: 0, refunded: 1_000 });
  });

  it('by a reference that another operation holds is refused', async () => {
    const holder = await unknown();
    const reference = byHand(holder, 1_000).reference;
    await house.give(olga, resolution(holder, { outcome: 'confirmed', providerReference: reference }));
    const other = await unknown();
    const [result] = await house.give(
      olga,
      resolution(other, { outcome: 'confirmed', providerReference: reference }),
    );
    expect(problemIn(result).reasons?.map(({ reason }) => reason)).toEqual(['reference-taken']);
  });

  it('by a reference of another amount needs the second operator, and books the provider’s amount', async () => {
    const operation = await unknown();
    const providerReference = byHand(operation, 900).reference;
    const confirm = { outcome: 'confirmed', providerReference } as const;
    const first = operationIn((await house.give(olga, resolution(operation, confirm)))[0]);
    expect(first.resolution?.waiting).toBe(true);
    const settled = operationIn((await house.give(otto, resolution(first, confirm)))[0]);
    expect(settled.state).toBe('confirmed');
    expect(await figures(operation)).toMatchObject({ reserved: 0, refunded: 900 });
  });

  it('where the provider cannot be asked needs the second operator', async () => {
    const operation = await unknown();
    const confirm = { outcome: 'confirmed', providerReference: 're_said_on_the_phone' } as const;
    provider.silent = true;
    try {
      const first = operationIn((await house.give(olga, resolution(operation, confirm)))[0]);
      expect(first.resolution?.waiting).toBe(true);
      expect(operationIn((await house.give(otto, resolution(first, confirm)))[0]).state).toBe('confirmed');
    } finally {
      provider.silent = false;
    }
  });

  it('against another version than it has now is stale', async () => {
    const operation = await unknown();
    expect(slugIn((await house.give(olga, resolution(operation, { version: 1 })))[0])).toBe('stale');
  });

  it('of what was never submitted, or is under way, is refused', async () => {
    const operation = operationIn((await house.give(ada, proposal(await house.order(), 1_000)))[0]);
    expect(slugIn((await house.give(olga, resolution(operation)))[0])).toBe('stale');
  });

  // Red when: the record that still says pending beats what two people find after it.
  it('as failed by two operators also ends what the provider has called pending for too long', async () => {
    const proposed = operationIn((await house.give(ada, proposal(await house.order(), 1_000)))[0]);
    const tooLong = { type: 'need-person', raises: ['pending-too-long'] } as const;
    const approved = [{ type: 'approve' }, { type: 'claim' }, { type: 'evidence-pending' }] as const;
    const operation = await moves(proposed, ...approved, tooLong);
    const reference = byHand(operation, 1_000).reference;
    const found = provider.ledger.find((refund) => refund.reference === reference);
    if (found === undefined) throw new Error('it is there');
    const record = { ...found, status: 'pending', statusText: 'pending', operationId: operation.id } as const;
    const finding = { kind: 'found', record } as const;
    await house.runtime.inOrganisation(house.organisationId, (tx) =>
      addObservation(tx, { operationId: operation.id, source: 'listing', finding }),
    );
    const first = operationIn((await house.give(olga, resolution(operation)))[0]);
    expect(first).toMatchObject({ state: 'pending', resolution: { waiting: true } });
    const settled = operationIn((await house.give(otto, resolution(first)))[0]);
    expect(settled).toMatchObject({ state: 'failed', attention: [] });
    expect(await figures(operation)).toMatchObject({ reserved: 0, refunded: 0 });
  });

  // Red when: whoever waits is taken for the first of two, whatever their word was.
  it('names as the first of two only who said the same: another’s different word has no part in it', async () => {
    const operation = await unknown();
    const first = operationIn((await house.give(olga, resolution(operation)))[0]);
    expect(first.resolution).toMatchObject({ outcome: 'failed', waiting: true });
    const confirm = { outcome: 'confirmed', providerReference: byHand(operation, 1_000).reference } as const;
    const settled = operationIn((await house.give(otto, resolution(first, confirm)))[0]);
    expect(settled).toMatchObject({ state: 'confirmed', resolution: { by: { name: 'Otto' } } });
    const [kept] = await house.database
      .admin`select finding from observations where operation_id = ${operation.id}`;
    expect(kept?.['finding']).toMatchObject({ by: otto.id, secondBy: null });
    const [row] = await house.database.admin`select resolution from operations where id = ${operation.id}`;
    expect(row?.['resolution']).toMatchObject({ by: otto.id, person: otto.id });
  });

  // Red when: settling by hand keeps the operators' evidence before the transition table has agreed.
  it.each<[Operation['state'], readonly OperationChange['event']['type'][]]>([
    ['proposed', []],
    ['approved', ['approve']],
    ['submitting', ['approve', 'claim']],
    ['pending', ['approve', 'claim', 'evidence-pending']],
    ['denied', ['deny']],
    ['cancelled', ['cancel']],
    ['expired', ['expire']],
  ])('of what is %s is refused and leaves no evidence that could settle it later', async (state, types) => {
    const proposed = operationIn((await house.give(ada, proposal(await house.order(), 1_000)))[0]);
    const operation = await moves(proposed, ...types.map((type) => ({ type })));
    expect(operation.state).toBe(state);
    const providerReference = byHand(operation, 1_000).reference;
    const results = await Promise.all([
      house.give(olga, resolution(operation, { outcome: 'confirmed', providerReference })),
      house.give(olga, resolution(operation, { outcome: 'confirmed', providerReference: 're_unknown' })),
      house.give(olga, resolution(operation)),
    ]);
    expect(results.map(([result]) => [problemIn(result).status, slugIn(result)])).toEqual(
      Array(3).fill([409, 'stale']),
    );
    expect(await observationsOf(operation)).toHaveLength(0);
    const now = await house.engine.getOperation(house.as(ada), operation.id);
    expect(now).toMatchObject({ state, version: operation.version, provider: operation.provider });
  });

  // Red when: what the table only clears is taken for settled, and the operators' evidence is kept.
  it('of what was denied and contradicted only clears attention: no evidence, no record of the provider’s', async () => {
    const proposed = operationIn((await house.give(ada, proposal(await house.order(), 1_000)))[0]);
    const operation = await moves(proposed, { type: 'deny' }, { type: 'evidence-reversed' });
    expect(operation.attention.map(({ reason }) => reason)).toEqual(['contradicted']);
    const providerReference = byHand(operation, 1_000).reference;
    const [result] = await house.give(
      olga,
      resolution(operation, { outcome: 'confirmed', providerReference }),
    );
    expect(operationIn(result)).toMatchObject({
      state: 'denied',
      attention: [],
      provider: { reference: null },
    });
    expect(await observationsOf(operation)).toHaveLength(0);
  });

  // Red when: what was written with it is shown nowhere, or having looked reads like having settled.
  it('by having looked tells what was written in the history, as looking and under its author', async () => {
    const proposed = operationIn((await house.give(ada, proposal(await house.order(), 1_000)))[0]);
    const operation = await moves(proposed, { type: 'deny' }, { type: 'evidence-reversed' });
    const note = 'The shop had paid it out itself.';
    expect(operationIn((await house.give(olga, resolution(operation, { note })))[0]).attention).toEqual([]);
    const detail = await house.engine.getOperation(house.as(otto), operation.id);
    expect(detail?.timeline.at(-1)).toMatchObject({
      by: { name: 'Olga' },
      sentence: `Olga has looked at it; it stays as it is recorded. Olga wrote: “${note}”`,
    });
    // It is told once: beside the case stands what is written as a comment.
    expect(detail?.comments).toEqual([]);
  });

  it('is an operator’s alone', async () => {
    expect(slugIn((await house.give(ben, resolution(await unknown())))[0])).toBe('forbidden');
  });
});
