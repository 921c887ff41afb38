import { afterEach, describe, expect, it } from 'vitest';
import type { Actor, CaseAct, Operation } from '@holdfast/operation';
import type { CaseAnswer } from '../engine-interface.ts';
import { scriptedEngineHouse } from '../../test/scripted-engine-house.ts';
import { ada, boss, mint, olga, otto } from '../../test/engine-house.ts';
import { housePeople } from '../../test/house-people.ts';
import { verifyAuditOf } from '../postgres/audit-store.ts';
import { escalateUntaken } from '../postgres/case-escalation.ts';
import { untakenCases } from '../postgres/notice-facts.ts';
import { claimNotices, planWaitingNotices } from '../postgres/notice-store.ts';

/** Stands still where a test sets it. */
let standingMs: number | null = null;
const { house, provider, unknown, moves, byHand } = await scriptedEngineHouse({
  nowMs: () => standingMs ?? Date.now(),
});
await housePeople(house.database, house.organisationId).join(otto);

type Said = CaseAct extends infer Act ? (Act extends CaseAct ? Omit<Act, 'commandId'> : never) : never;
const act = (who: Actor, { id }: Operation, said: Said, commandId = mint()): Promise<CaseAnswer> =>
  house.engine.cases.act(house.as(who), id, { ...said, commandId });
const operationOf = (answer: CaseAnswer): Operation => {
  if (answer.kind === 'refused') throw new Error(answer.problem.detail);
  return answer.operation;
};
const slugOf = (answer: CaseAnswer): string =>
  answer.kind === 'refused' ? (answer.problem.type.split('/').at(-1) ?? '') : answer.kind;
const detailOf = async (who: Actor, { id }: Operation) => {
  const detail = await house.engine.getOperation(house.as(who), id);
  if (detail === null) throw new Error('it is there');
  return detail;
};
const needed = async (): Promise<Operation> =>
  moves(await unknown(), { type: 'need-person', raises: ['outcome-unresolved'] });

describe('a case', () => {
  // Red when: `from` is not compared with who has it: the second would take it from the first unheard.
  it('is had by one: of two who take it at once the other hears who has it, and may take it over', async () => {
    const operation = await needed();
    const both = await Promise.all([
      act(olga, operation, { act: 'take' }),
      act(otto, operation, { act: 'take' }),
    ]);
    expect(both.map(slugOf).sort()).toEqual(['done', 'stale']);
    const taken = operationOf(both.find(({ kind }) => kind === 'done') as CaseAnswer);
    const holder = taken.taken?.by.id ?? '';
    expect(taken).toMatchObject({ version: operation.version + 1, state: 'outcome_unknown' });
    expect(taken.sentence).toContain(`${taken.taken?.by.name ?? 'nobody'} is looking into it.`);
    const other = holder === olga.id ? otto : olga;
    const over = operationOf(await act(other, operation, { act: 'take', from: holder }));
    expect(over.taken?.by.id).toBe(other.id);
  });

  // Red when: the entry is not found by its command, so that a repeated command acts again.
  it('is changed once by one command, and never by another under its ID', async () => {
    const operation = await needed();
    const commandId = mint();
    const first = operationOf(await act(olga, operation, { act: 'take' }, commandId));
    const again = await act(olga, operation, { act: 'take' }, commandId);
    expect(again).toMatchObject({ kind: 'replayed', operation: { version: first.version } });
    for (const [who, said] of [
      [otto, { act: 'take' }],
      [olga, { act: 'put-back' }],
    ] as const) {
      expect(slugOf(await act(who, operation, said, commandId))).toBe('operation-mismatch');
    }
  });

  it('is handed on to an operator or admin alone, put back, and written about; the history says so', async () => {
    const operation = await needed();
    await act(olga, operation, { act: 'take' });
    expect(slugOf(await act(olga, operation, { act: 'hand-on', to: ada.id }))).toBe('not-eligible');
    const note = 'The bank answers tomorrow.';
    const handed = operationOf(await act(olga, operation, { act: 'hand-on', to: boss.id, note }));
    expect(handed.taken?.by).toEqual({ id: boss.id, name: boss.name });
    expect(slugOf(await act(olga, operation, { act: 'put-back' }))).toBe('stale');
    await act(otto, operation, { act: 'comment', text: 'Called the customer.' });
    expect(operationOf(await act(boss, operation, { act: 'put-back' })).taken).toBeUndefined();

    const detail = await detailOf(olga, operation);
    expect(detail.comments?.map(({ by, text }) => [by.name, text])).toEqual([
      ['Olga', note],
      ['Otto', 'Called the customer.'],
    ]);
    expect(detail.timeline.slice(-4).map(({ sentence }) => sentence)).toEqual([
      'Olga took the case.',
      'Olga handed the case to Bo.',
      'Otto wrote a comment.',
      'Bo put the case back: nobody has it.',
    ]);
    // What operators write to one another is not for everybody.
    expect((await detailOf(ada, operation)).comments).toBeUndefined();
    const faults = await house.runtime.inOrganisation(house.organisationId, (tx) =>
      verifyAuditOf(tx, operation.id),
    );
    expect(faults).toEqual([]);
  });

  // Red when: what is settled keeps its holder: a later contradiction would be nobody's, and look like somebody's.
  it('ends when it is settled: nobody has it any more, and there is nothing to take', async () => {
    const operation = await needed();
    const { version } = operationOf(await act(olga, operation, { act: 'take' }));
    const providerReference = byHand(operation).reference;
    const settled = await house.give(olga, {
      ...{ type: 'resolve', commandId: mint(), operationId: operation.id, version },
      ...{ outcome: 'confirmed', providerReference, note: 'seen there' },
    } as const);
    expect(settled[0]?.operation).toMatchObject({ state: 'confirmed' });
    expect(settled[0]?.operation?.taken).toBeUndefined();
    expect(slugOf(await act(olga, operation, { act: 'take' }))).toBe('not-eligible');
    const reopened = await moves(operation, { type: 'need-person', raises: ['contradicted'] });
    expect(reopened).toMatchObject({ needsPerson: true });
    expect(reopened.taken).toBeUndefined();
  });
});

describe('a case that nobody takes', () => {
  const escalate = (afterMs: number) =>
    escalateUntaken(house.runtime.inOrganisation, house.organisationId, afterMs);
  const within = house.runtime.inOrganisation;

  // Red when: a taken case is told of, or one case twice.
  it('is told to operators and admins after the set time, once, and the audit keeps that', async () => {
    await house.database.admin`update operations set escalated_at = now() where attention <> '[]'`;
    const untaken = await needed();
    const taken = await needed();
    await act(olga, taken, { act: 'take' });
    expect(await escalate(3_600_000)).toBe(0);
    expect(await escalate(0)).toBe(1);
    expect(await escalate(0)).toBe(0);
    const detail = await detailOf(olga, untaken);
    expect(detail.escalatedAt).toBeDefined();
    expect(detail.timeline.filter(({ type }) => type === 'case-escalated')).toHaveLength(1);
    expect((await detailOf(olga, taken)).escalatedAt).toBeUndefined();

    await house.database.admin`update operations set escalated_at = null where id <> ${untaken.id}`;
    await within(house.organisationId, (tx) => planWaitingNotices(tx, { mail: 'leaves', quietMs: 0 }));
    const notices = await within(house.organisationId, (tx) => claimNotices(tx, 50));
    const told = notices.filter(({ kind }) => kind === 'case-untaken');
    expect(told.map(({ userId }) => userId).sort()).toEqual([boss.id, olga.id, otto.id].sort());
    expect(told.map(({ count }) => count)).toEqual([1, 1, 1]);
    await act(otto, untaken, { act: 'take' });
    await act(otto, untaken, { act: 'put-back' });
    await escalate(0);
    const { timeline } = await detailOf(olga, untaken);
    expect(timeline.filter(({ type }) => type === 'case-escalated')).toHaveLength(1);
  });
});

describe('a case whose holder left', () => {
  const escalate = () => escalateUntaken(house.runtime.inOrganisation, house.organisationId, 0);
  const { admin } = house.database;
  const escalationsOf = async (operation: Operation): Promise<number> =>
    (await detailOf(olga, operation)).timeline.filter(({ type }) => type === 'case-escalated').length;

  // Red when: the row's holder is believed: nobody is told, and whoever wants to take it is told that somebody has it.
  it.each([
    ['is removed', () => admin`update members set removed_at = now() where user_id = ${otto.id}`],
    ['loses the role', () => admin`update members set role = 'agent' where user_id = ${otto.id}`],
  ])('is nobody’s once that person %s: it is told of, and taken like any other', async (_, leaves) => {
    await admin`update operations set attention = '[]' where attention <> '[]'`;
    const operation = await needed();
    const another = await needed();
    await act(otto, operation, { act: 'take' });
    await act(otto, another, { act: 'take' });
    expect(await escalate()).toBe(0);
    await leaves();
    try {
      expect((await detailOf(olga, operation)).taken).toBeUndefined();
      expect(operationOf(await act(olga, another, { act: 'take' })).taken?.by.id).toBe(olga.id);
      const organisations = await house.runtime.connection.db.execute<{ org_id: string }>(
        'select org_id from organisations_with_untaken_cases()',
      );
      expect(organisations.map(({ org_id: id }) => id)).toContain(house.organisationId);
      expect(await escalate()).toBe(1);
      expect(await escalate()).toBe(0);
      expect(await escalationsOf(operation)).toBe(1);
      const told = await house.runtime.inOrganisation(house.organisationId, untakenCases);
      expect(told.map(({ id }) => id)).toEqual([operation.id]);
    } finally {
      await admin`update members set removed_at = null, role = 'operator' where user_id = ${otto.id}`;
    }
  });
});

describe('a case that waits for a second word', () => {
  // Red when: the first word makes the case the speaker's: its holder loses it unheard, and nobody is told any more.
  it('stays with whoever has it, and is told of in time, whoever that is', async () => {
    const escalate = (afterMs: number) =>
      escalateUntaken(house.runtime.inOrganisation, house.organisationId, afterMs);
    await house.database.admin`update operations set attention = '[]' where attention <> '[]'`;
    const operation = await needed();
    const { version } = operationOf(await act(otto, operation, { act: 'take' }));
    const [first] = await house.give(olga, {
      ...{ type: 'resolve', commandId: mint(), operationId: operation.id, version },
      ...{ outcome: 'failed', note: 'not in the dashboard' },
    } as const);
    expect(first?.operation).toMatchObject({ resolution: { waiting: true }, taken: { by: { id: otto.id } } });
    expect(await escalate(3_600_000)).toBe(0);
    expect(await escalate(0)).toBe(1);
    expect(await escalate(0)).toBe(0);
    const detail = await detailOf(olga, operation);
    expect(detail.taken?.by.id).toBe(otto.id);
    expect(detail.timeline.at(-1)?.sentence).toBe(
      'A second operator’s word was missing for too long; operators and admins were told.',
    );
    const told = await house.runtime.inOrganisation(house.organisationId, untakenCases);
    expect(told.map(({ id }) => id)).toEqual([operation.id]);
  });

  it('is nobody’s where nobody had taken it', async () => {
    const operation = await needed();
    const [first] = await house.give(olga, {
      ...{ type: 'resolve', commandId: mint(), operationId: operation.id, version: operation.version },
      ...{ outcome: 'failed', note: 'not in the dashboard' },
    } as const);
    expect(first?.operation).toMatchObject({ resolution: { waiting: true } });
    expect(first?.operation?.taken).toBeUndefined();
  });
});

describe('what stands before a person', () => {
  // Red when: the hold leaves out what has ended or waits for a second operator, or `needsPerson` says more than its reasons.
  it('is counted on the hold in whatever state: also what ended and is contradicted, and what waits for a second word', async () => {
    const { admin } = house.database;
    await admin`update operations set attention = '[]', resolution = null`;
    const contradicted = [
      { type: 'evidence-failed' },
      { type: 'need-person', raises: ['contradicted'] },
    ] as const;
    const ended = await moves(await unknown(), ...contradicted);
    expect(ended.state).toBe('failed');
    const waiting = await unknown();
    const checked = await unknown();
    const [first] = await house.give(olga, {
      ...{ type: 'resolve', commandId: mint(), operationId: waiting.id, version: waiting.version },
      ...{ outcome: 'failed', note: 'not in the dashboard' },
    } as const);
    expect(first?.operation).toMatchObject({ state: 'outcome_unknown', attention: [], needsPerson: false });
    expect(first?.operation?.sentence).toBe(
      'The request may have been submitted. We are checking it. Olga has said how it ended; it waits for a second operator to say the same.',
    );
    const listed = async (needsPerson: boolean) =>
      (await house.engine.listOperations(house.as(olga), { needsPerson, limit: 200 })).items.map(
        ({ id }) => id,
      );
    // By its own definition this is whether there is a reason for a person; the word that is missing stands beside it.
    expect(await listed(true)).toEqual([ended.id]);
    expect(await listed(false)).toEqual(expect.arrayContaining([checked.id, waiting.id]));
    await house.engine.hold.set(house.organisationId, true, 'olga', 'to look at something');
    try {
      const { waits } = await house.engine.hold.standing(house.organisationId);
      expect(waits.needsPerson).toBe(2);
    } finally {
      await house.engine.hold.set(house.organisationId, false, 'olga', null);
    }
  });
});

describe("the provider's side of a payment", () => {
  const asking = { inPlace: <Answer>(work: () => Promise<Answer>) => work(), mayWake: true };
  afterEach(() => {
    standingMs = null;
  });

  // Red when: each look is a question: whoever looks often uses up what the account may ask.
  it('is asked for once in two seconds, and again once the operation has changed; between, the look of then is shown', async () => {
    const operation = await unknown();
    const startMs = (standingMs = Date.now());
    const read = () => house.engine.providerLedger(house.as(olga), operation.id, asking);
    const { questions } = provider;
    const first = await Promise.all([read(), read()]);
    byHand(operation);
    standingMs = startMs + 1_999;
    const second = await read();
    expect(provider.questions).toBe(questions + 1);
    for (const seen of [...first, second]) {
      expect(seen).toMatchObject({
        askedAt: new Date(startMs).toISOString(),
        answer: { refunds: [] },
      });
    }
    standingMs = startMs + 2_000;
    expect((await read())?.answer?.refunds).toHaveLength(1);
    await act(olga, operation, { act: 'comment', text: 'It is there.' });
    await read();
    expect(provider.questions).toBe(questions + 3);
  });

  // Red when: what an operator bound here is told as if the provider's own record named it.
  it('shows of a refund that names nobody that it does, and beside it whose word bound it to which operation', async () => {
    const operation = await unknown();
    const { reference } = byHand(operation, 1_000);
    const shown = async () => {
      const ledger = await house.engine.providerLedger(house.as(olga), operation.id, asking);
      return ledger?.answer?.refunds.find((refund) => refund.reference === reference);
    };
    const nameless = await shown();
    expect(nameless).toMatchObject({ whose: 'nobody-here', operationId: null });
    expect(nameless).not.toHaveProperty('boundTo');
    const [settled] = await house.give(olga, {
      ...{ type: 'resolve', commandId: mint(), operationId: operation.id, version: operation.version },
      ...{ outcome: 'confirmed', providerReference: reference, note: 'made by hand' },
    } as const);
    expect(settled?.operation?.state).toBe('confirmed');
    expect(await shown()).toMatchObject({
      ...{ whose: 'this-operation', operationId: null },
      boundTo: { operationId: operation.id, by: [{ id: olga.id, name: 'Olga' }] },
    });
  });

  // Red when: a key that only reads changes when the worker looks, or work at the database passes the gate.
  it('changes nothing for whoever may only read, and holds a place only while it works at the database', async () => {
    const operation = await unknown();
    const ours = { ...byHand(operation), reference: `re_${mint()}` };
    provider.ledger.push({ ...ours, organisationId: house.organisationId, operationId: operation.id });
    const checkAsked = async (): Promise<unknown> =>
      (await house.database.admin`select check_asked_at from operations where id = ${operation.id}`)[0]?.[
        'check_asked_at'
      ];
    let places = 0;
    const inPlace = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
      const before = provider.questions;
      places += 1;
      const answer = await work();
      expect(provider.questions).toBe(before);
      return answer;
    };
    const read = (mayWake: boolean) =>
      house.engine.providerLedger(house.as(olga), operation.id, { inPlace, mayWake });
    await read(false);
    expect(places).toBe(2);
    expect(await checkAsked()).toBeNull();
    await read(true);
    expect(await checkAsked()).not.toBeNull();
  });

  // Red when: silence is shown as an empty list, or a refund of nobody as the operation's own.
  it('is shown as it is now, with whose each refund is; where it cannot be seen, that is said', async () => {
    const operation = await unknown();
    const read = () => {
      // Each look long after the one before.
      standingMs = (standingMs ?? Date.now()) + 60_000;
      return house.engine.providerLedger(house.as(olga), operation.id, asking);
    };
    expect(await read()).toMatchObject({ answer: { refunds: [] }, because: null });
    const { reference } = byHand(operation);
    provider.ledger.push({
      ...byHand(operation, 300),
      reference: 're_ours',
      organisationId: house.organisationId,
      operationId: operation.id,
    });
    const shown = await read();
    expect(shown?.answer?.refunds.map(({ reference: one, whose }) => [one, whose])).toEqual(
      expect.arrayContaining([
        [reference, 'nobody-here'],
        ['re_ours', 'this-operation'],
      ]),
    );
    provider.silent = true;
    try {
      expect(await read()).toMatchObject({
        answer: null,
        because: 'Stripe did not answer in time. Nothing follows from that.',
      });
    } finally {
      provider.silent = false;
    }
    expect(await house.engine.providerLedger(house.as(olga), mint(), asking)).toBeNull();
  });
});
