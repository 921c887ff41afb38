import { describe, expect, test } from 'vitest';
import {
  attentionReasons,
  next,
  operationEventTypes,
  operationStates,
  transitionTable,
  type AttentionReason,
  type Cell,
  type OperationEventType,
  type OperationState,
  type TransitionSubject,
} from '../src/operation.ts';

const at = '2026-11-29T10:00:00.000Z';
const since = '2026-11-29T09:00:00.000Z';

const subject = (
  state: OperationState,
  attention: readonly AttentionReason[] = [],
  anyAttemptAmbiguous = false,
): TransitionSubject => ({
  state,
  attention: attention.map((reason) => ({ reason, since })),
  anyAttemptAmbiguous,
});

const leaves = (cell: Cell): readonly Cell[] =>
  cell.kind === 'guarded' ? [...leaves(cell.then), ...leaves(cell.otherwise)] : [cell];

/** The moves of the product, written down once more by hand: `from event to`, with the attention raised. */
const listedMoves: readonly string[] = [
  'proposed approve approved',
  'proposed deny denied',
  'proposed cancel cancelled',
  'proposed expire expired',
  'approved claim submitting',
  'approved withdraw proposed',
  'approved send-back proposed',
  'approved deny denied',
  'approved cancel cancelled',
  'approved expire expired',
  'submitting lose-sight outcome_unknown',
  'submitting evidence-unknown outcome_unknown',
  'submitting evidence-unsent approved',
  'submitting evidence-unsent outcome_unknown',
  'outcome_unknown resubmit submitting',
  'outcome_unknown resolve-confirmed confirmed',
  'outcome_unknown resolve-failed failed',
  'pending resolve-confirmed confirmed',
  'pending resolve-failed failed',
  ...['submitting', 'outcome_unknown'].flatMap((from) => [
    `${from} evidence-confirmed confirmed`,
    `${from} evidence-pending pending`,
    `${from} evidence-failed failed`,
  ]),
  'pending evidence-confirmed confirmed',
  'pending evidence-failed failed',
  'pending evidence-unknown outcome_unknown',
  ...['submitting', 'outcome_unknown', 'pending', 'confirmed', 'failed'].map(
    (from) => `${from} evidence-reversed reversed`,
  ),
  'failed evidence-confirmed confirmed +contradicted',
  ...['proposed', 'approved', 'denied', 'cancelled', 'expired'].flatMap((from) => [
    `${from} evidence-pending pending +contradicted`,
    `${from} evidence-confirmed confirmed +contradicted`,
  ]),
];

describe('the transition table', () => {
  // Red when: a row or a cell is taken out of the table (it does not compile either).
  test('answers every event in every state', () => {
    expect(Object.keys(transitionTable).sort()).toEqual([...operationStates].sort());
    for (const state of operationStates) {
      expect(Object.keys(transitionTable[state]).sort()).toEqual([...operationEventTypes].sort());
    }
  });

  // Red when: `expired evidence-unknown` is made a move, or `approved cancel` loses its own.
  test('holds exactly the moves of the product, no more and no fewer', () => {
    const moves = operationStates.flatMap((from) =>
      operationEventTypes.flatMap((event) =>
        leaves(transitionTable[from][event]).flatMap((cell) =>
          cell.kind === 'move'
            ? [[from, event, cell.to, ...cell.raises.map((reason) => `+${reason}`)].join(' ')]
            : [],
        ),
      ),
    );
    expect([...moves].sort()).toEqual([...listedMoves].sort());
  });

  // Red when: a `because` is emptied.
  test('says why wherever nothing moves', () => {
    for (const state of operationStates) {
      for (const event of operationEventTypes) {
        for (const cell of leaves(transitionTable[state][event])) {
          if ('because' in cell) expect(cell.because, `${state} × ${event}`).toMatch(/^[A-Z].{10,}\.$/);
        }
      }
    }
  });

  // Red when: any `evidence-` cell is made `refused`.
  test('never refuses a fact from outside', () => {
    for (const state of operationStates) {
      for (const event of operationEventTypes.filter((type) => type.startsWith('evidence-'))) {
        expect(leaves(transitionTable[state][event]).map(({ kind }) => kind)).not.toContain('refused');
      }
    }
  });
});

describe('next', () => {
  const answer = (current: TransitionSubject, type: OperationEventType, more: object = {}) =>
    next(current, { type, at, ...more });

  // Red when: `claim` loses its guard on ambiguity, or `outcome_unknown claim` is made a move.
  test('never claims afresh what may have been sent', () => {
    for (const state of operationStates) {
      const given = answer(subject(state, [], true), 'claim');
      expect(given.answer, state).not.toBe('moved');
    }
    expect(answer(subject('outcome_unknown'), 'claim').answer).toBe('refused');
    expect(answer(subject('approved'), 'claim')).toMatchObject({ answer: 'moved', to: 'submitting' });
  });

  // Red when: `claim` loses the guard `nothing-blocks-sending`.
  test('does not send what stands before a person for a blocking reason, and does where the provider only refuses us', () => {
    expect(answer(subject('approved', ['contradicted']), 'claim').answer).toBe('refused');
    expect(answer(subject('approved', ['provider-refuses-us']), 'claim')).toMatchObject({
      answer: 'moved',
      to: 'submitting',
      attention: [],
    });
  });

  // Red when: `resubmit` loses the guard `nobody-is-needed`.
  test('resubmits only while no person is needed', () => {
    expect(answer(subject('outcome_unknown'), 'resubmit')).toMatchObject({
      answer: 'moved',
      to: 'submitting',
    });
    for (const reason of attentionReasons) {
      expect(answer(subject('outcome_unknown', [reason]), 'resubmit').answer).toBe('refused');
    }
  });

  // Red when: `unlessSent` or the guard of `submitting evidence-unsent` is taken out.
  test('goes back to approved, denied, cancelled, proposed or expired only where nothing may have been sent', () => {
    expect(answer(subject('submitting'), 'evidence-unsent')).toMatchObject({ to: 'approved' });
    expect(answer(subject('submitting', [], true), 'evidence-unsent')).toMatchObject({
      to: 'outcome_unknown',
    });
    for (const type of ['deny', 'cancel', 'withdraw', 'send-back', 'expire'] as const) {
      expect(answer(subject('approved', [], true), type)).toMatchObject({
        answer: 'refused',
        problem: 'too-late',
      });
      expect(answer(subject('approved'), type).answer).toBe('moved');
    }
  });

  // Red when: one of these cells is made `ignored`.
  test('answers people who come too late with too-late, and approvers of a denied one with already-decided', () => {
    for (const state of [
      'submitting',
      'outcome_unknown',
      'pending',
      'confirmed',
      'failed',
      'reversed',
    ] as const) {
      for (const type of ['withdraw', 'deny', 'cancel'] as const) {
        expect(answer(subject(state), type), `${state} ${type}`).toMatchObject({ problem: 'too-late' });
      }
    }
    for (const state of ['confirmed', 'failed', 'reversed', 'cancelled', 'expired'] as const) {
      expect(answer(subject(state), 'approve')).toMatchObject({ problem: 'too-late' });
    }
    expect(answer(subject('denied'), 'approve')).toMatchObject({ problem: 'already-decided' });
  });

  // Red when: `approved approve` is made `ignored`.
  test('records a further approval where none is needed, without moving', () => {
    for (const state of ['approved', 'submitting', 'pending', 'outcome_unknown'] as const) {
      expect(answer(subject(state, ['provider-refuses-us']), 'approve')).toMatchObject({
        answer: 'moved',
        to: state,
        attention: [{ reason: 'provider-refuses-us', since }],
      });
    }
  });

  // Red when: the guard `pending-for-too-long` answers true always, or `submitting resolve-*` moves.
  test('lets people settle only what is unknown, or pending for too long, with no attempt under way', () => {
    for (const type of ['resolve-confirmed', 'resolve-failed'] as const) {
      expect(answer(subject('submitting'), type)).toMatchObject({ answer: 'refused', problem: 'stale' });
      expect(answer(subject('pending'), type)).toMatchObject({ answer: 'refused', problem: 'stale' });
      expect(answer(subject('pending', ['pending-too-long']), type)).toMatchObject({
        answer: 'moved',
        attention: [],
      });
      expect(answer(subject('outcome_unknown', ['outcome-unresolved']), type)).toMatchObject({
        answer: 'moved',
        attention: [],
      });
    }
  });

  // Red when: `clearAttention` of confirmedRow is made a move to failed.
  test('only clears attention where the outcome is settled already', () => {
    for (const state of ['confirmed', 'failed', 'reversed'] as const) {
      for (const type of ['resolve-confirmed', 'resolve-failed'] as const) {
        expect(answer(subject(state, ['contradicted', 'duplicate-action']), type)).toEqual({
          answer: 'moved',
          to: state,
          attention: [],
        });
        expect(answer(subject(state), type).answer).toBe('ignored');
      }
    }
  });

  // Red when: `raised` replaces the list instead of adding to it, or takes a new `since`.
  test('adds attention once, with the instant it began', () => {
    const first = answer(subject('outcome_unknown', ['outcome-unresolved']), 'evidence-unknown', {
      raises: ['outcome-unresolved', 'amount-differs'],
    });
    expect(first).toEqual({
      answer: 'moved',
      to: 'outcome_unknown',
      attention: [
        { reason: 'outcome-unresolved', since },
        { reason: 'amount-differs', since: at },
      ],
    });
    expect(
      answer(subject('outcome_unknown', ['amount-differs']), 'evidence-unknown', {
        raises: ['amount-differs'],
      }),
    ).toMatchObject({ answer: 'ignored' });
  });

  // Red when: a `stay` cell answers `moved` without a visible change.
  test('does not raise the version for evidence that says nothing new', () => {
    expect(answer(subject('confirmed'), 'evidence-confirmed').answer).toBe('ignored');
    expect(answer(subject('pending'), 'evidence-pending').answer).toBe('ignored');
    expect(answer(subject('pending'), 'evidence-pending', { visible: true }).answer).toBe('moved');
  });

  // Red when: `clearedAttention` is not looked at.
  test('does not raise again, on the same evidence, what a person has cleared', () => {
    const cleared: TransitionSubject = { ...subject('failed'), clearedAttention: ['contradicted'] };
    expect(next(cleared, { type: 'evidence-pending', at }).answer).toBe('ignored');
    expect(next(cleared, { type: 'evidence-failed', at, raises: ['contradicted'] }).answer).toBe('ignored');
    expect(next(subject('failed'), { type: 'evidence-pending', at })).toMatchObject({
      answer: 'moved',
      to: 'failed',
      attention: [{ reason: 'contradicted', since: at }],
    });
  });

  // Red when: what a person cleared is taken out of what the table raises with a move.
  test('raises with a move what the table raises, also where a person has cleared it before', () => {
    const cleared: TransitionSubject = { ...subject('failed'), clearedAttention: ['contradicted'] };
    expect(next(cleared, { type: 'evidence-confirmed', at })).toEqual({
      answer: 'moved',
      to: 'confirmed',
      attention: [{ reason: 'contradicted', since: at }],
    });
  });

  // Red when: `untrueIn` is emptied, or `contradicted` is put into it.
  test('drops with a settled outcome the attention that it answers, and keeps what says that facts disagree', () => {
    const current = subject('outcome_unknown', ['outcome-unresolved', 'conflicting-evidence']);
    expect(answer(current, 'evidence-confirmed')).toEqual({
      answer: 'moved',
      to: 'confirmed',
      attention: [{ reason: 'conflicting-evidence', since }],
    });
  });

  // Red when: `without(current.attention, event.clears)` is taken out of `stay`.
  test('clears the reasons that no longer hold, and no other', () => {
    expect(
      answer(subject('approved', ['provider-refuses-us', 'contradicted']), 'attention-settled', {
        clears: ['provider-refuses-us'],
      }),
    ).toMatchObject({ answer: 'moved', to: 'approved', attention: [{ reason: 'contradicted', since }] });
    expect(answer(subject('approved'), 'attention-settled', { clears: ['contradicted'] }).answer).toBe(
      'ignored',
    );
  });
});
