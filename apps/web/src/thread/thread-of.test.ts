import { operationStates, type OperationState } from '@holdfast/operation';
import { describe, expect, test } from 'vitest';
import { threadSentence } from './station-text.ts';
import { threadOf, type StationMark, type Stretch, type ThreadOperation } from './thread-of.ts';

const id = '019ad000-0000-7000-8000-000000000001';
const person = { id: 'p1', name: 'Ada' };
const approval = { by: { id: 'p2', name: 'Ben' }, at: '2026-11-29T12:06:00.000Z', signed: false };

const operation = (state: OperationState, over: Partial<ThreadOperation> = {}): ThreadOperation => ({
  id,
  state,
  needsPerson: false,
  amount: { minor: 4999, currency: 'EUR' },
  approvals: [],
  proposedBy: { ...person, assistant: false },
  lastCheckAt: null,
  createdAt: '2026-11-29T12:04:11.000Z',
  ...over,
});

type Row = { marks: readonly StationMark[]; stretches: readonly Stretch[] };

/** Every state of the server, as it is drawn. A new state does not compile until it stands here. */
const table: Record<OperationState, Row> = {
  proposed: { marks: ['done', 'done', 'waiting', 'ahead'], stretches: ['solid', 'ahead', 'ahead'] },
  approved: { marks: ['done', 'done', 'done', 'ahead'], stretches: ['solid', 'solid', 'ahead'] },
  submitting: { marks: ['done', 'done', 'done', 'ahead'], stretches: ['solid', 'solid', 'moving'] },
  pending: { marks: ['done', 'done', 'done', 'accepted'], stretches: ['solid', 'solid', 'solid'] },
  confirmed: { marks: ['done', 'done', 'done', 'done'], stretches: ['solid', 'solid', 'solid'] },
  outcome_unknown: { marks: ['done', 'done', 'done', 'unseen'], stretches: ['solid', 'solid', 'unseen'] },
  failed: { marks: ['done', 'done', 'done', 'stopped'], stretches: ['solid', 'solid', 'stopped'] },
  reversed: { marks: ['done', 'done', 'done', 'turned'], stretches: ['solid', 'solid', 'turned'] },
  denied: { marks: ['done', 'done', 'ended', 'ahead'], stretches: ['solid', 'solid', 'ahead'] },
  cancelled: { marks: ['done', 'done', 'ended', 'ahead'], stretches: ['solid', 'ended', 'ahead'] },
  expired: { marks: ['done', 'done', 'ended', 'ahead'], stretches: ['solid', 'ended', 'ahead'] },
};

const drawn = (thread: ReturnType<typeof threadOf>): Row => ({
  marks: thread.stations.map(({ mark }) => mark),
  stretches: thread.stretches,
});

describe('the thread of what the server knows', () => {
  test.each(operationStates)('%s is drawn as far as it is proved, and no further', (state) => {
    expect(drawn(threadOf(operation(state), null))).toEqual(table[state]);
  });

  test('only a confirmed refund has its last station closed', () => {
    for (const state of operationStates) {
      const [, , , provider] = threadOf(operation(state), null).stations;
      expect(provider.mark === 'done', state).toBe(state === 'confirmed');
    }
  });

  test('an approval that ran out or was cancelled ends behind the approver, not before', () => {
    for (const state of ['cancelled', 'expired'] as const) {
      expect(drawn(threadOf(operation(state, { approvals: [approval] }), null))).toEqual({
        marks: ['done', 'done', 'done', 'ahead'],
        stretches: ['solid', 'solid', 'ended'],
      });
    }
  });

  test('a cancellation of an ID that was never proposed ends at Holdfast', () => {
    const thread = threadOf(operation('cancelled', { amount: null }), null);
    expect(thread.stations[1].mark).toBe('ended');
    expect(thread.stretches).toEqual(['solid', 'ahead', 'ahead']);
  });

  test('an unknown outcome carries when it was last asked, and no time of a result', () => {
    const asked = '2026-11-29T12:06:40.000Z';
    const thread = threadOf(
      operation('outcome_unknown', { lastCheckAt: asked }),
      null,
      '2026-11-29T12:06:10.000Z',
    );
    expect(thread.lastAskedAt).toBe(asked);
    expect(thread.stations[3].at).toBeNull();
  });

  test('times are the server’s, except the one that only the device knows', () => {
    const confirmedAt = '2026-11-29T12:04:09.000Z';
    const thread = threadOf(
      operation('confirmed', { approvals: [approval] }),
      { command: 'propose', state: 'sent', at: confirmedAt, confirmedAt },
      '2026-11-29T12:06:50.000Z',
    );
    expect(thread.stations.map(({ clock }) => clock)).toEqual(['device', 'server', 'server', 'server']);
    expect(thread.stations.map(({ at }) => at)).toEqual([
      confirmedAt,
      '2026-11-29T12:04:11.000Z',
      approval.at,
      '2026-11-29T12:06:50.000Z',
    ]);
  });
});

// Red when: the first station shows when the form was opened, which is what the ID's own time says.
test('what another device proposed is dated by its acceptance', () => {
  const [first] = threadOf(operation('proposed'), null).stations;
  expect(first).toMatchObject({ at: '2026-11-29T12:04:11.000Z', clock: 'server' });
});

describe('the thread of what only this device holds', () => {
  const at = '2026-11-29T12:04:09.000Z';

  test.each([
    ['draft', 'ahead'],
    ['queued', 'ahead'],
    ['sent', 'moving'],
  ] as const)('%s claims nothing beyond this device', (state, first) => {
    const thread = threadOf(null, { command: 'propose', state, at });
    expect(drawn(thread)).toEqual({
      marks: ['saved', 'ahead', 'ahead', 'ahead'],
      stretches: [first, 'ahead', 'ahead'],
    });
    expect(thread.startedHere).toBe(true);
    expect(thread.stations[0]).toMatchObject({ at, clock: 'device' });
  });

  // Red when: a queued approval is drawn like one the server has.
  test('a decision saved here is not drawn as an approval until the server has it', () => {
    const saved = threadOf(operation('proposed'), { command: 'decide', state: 'queued', at });
    expect(saved.stations[2]).toMatchObject({ mark: 'saved', at, clock: 'device' });
    expect(saved.stretches).toEqual(['solid', 'ahead', 'ahead']);
    const sent = threadOf(operation('proposed'), { command: 'decide', state: 'sent', at });
    expect(sent.stretches[1]).toBe('moving');
  });

  test('what the server says wins over a decision that is still on its way', () => {
    const thread = threadOf(operation('denied'), { command: 'decide', state: 'sent', at });
    expect(drawn(thread)).toEqual(table.denied);
  });
});

test('a screen reader hears the thread as one sentence', () => {
  const now = Date.parse('2026-11-29T12:07:00.000Z');
  const thread = threadOf(
    operation('outcome_unknown', { approvals: [approval], lastCheckAt: '2026-11-29T12:06:40.000Z' }),
    null,
  );
  const sentence = threadSentence(thread, 'Stripe', now);
  expect(sentence).toMatch(/^Proposed .*; Holdfast .*; Approver .*Ben; Stripe.*\.$/);
  expect(sentence).toMatch(/Stripe, not yet known, last asked/);
  expect(sentence.match(/\./g)).toHaveLength(1);
  expect(sentence).not.toContain('clock');
  const confirmedAt = '2026-11-29T12:04:09.000Z';
  const here = threadOf(operation('proposed'), {
    command: 'propose',
    state: 'sent',
    at: confirmedAt,
    confirmedAt,
  });
  expect(threadSentence(here, 'Stripe', now)).toMatch(/^This device .*by this device's clock/);
});

// Red when: an approval that nobody here knows of is drawn as given, as once after a restore.
test('what was carried out without an approval or a request on record shows neither as done', () => {
  const retold = threadOf(operation('confirmed', { attemptCount: 0 }), null);
  expect(drawn(retold)).toEqual({
    marks: ['done', 'done', 'unseen', 'done'],
    stretches: ['solid', 'unseen', 'unseen'],
  });
  expect(threadSentence(retold, 'Stripe', 0)).toContain('Approver, not on record here');
  const approved = threadOf(operation('confirmed', { attemptCount: 0, approvals: [approval] }), null);
  expect(drawn(approved)).toEqual(table.confirmed);
  expect(drawn(threadOf(operation('confirmed', { attemptCount: 1 }), null))).toEqual(table.confirmed);
});
