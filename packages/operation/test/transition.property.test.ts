import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  attentionReasons,
  moneyHeld,
  next,
  operationEventTypes,
  operationStates,
  refundableMinor,
  type Attention,
  type OperationState,
} from '../src/operation.ts';

const at = '2026-11-29T10:00:00.000Z';
const reasons = fc.subarray([...attentionReasons]);
const event = fc.record({
  type: fc.constantFrom(...operationEventTypes),
  at: fc.constant(at),
  raises: reasons,
  clears: reasons,
  visible: fc.boolean(),
});
const step = fc.record({ event, anyAttemptAmbiguous: fc.boolean() });

// Red when: a cell moves to a state that is not one, or `next` throws for some cell.
test('next never leaves the table, whatever happens in whatever order', () => {
  fc.assert(
    fc.property(fc.constantFrom(...operationStates), fc.array(step, { maxLength: 40 }), (start, steps) => {
      let state: OperationState = start;
      let attention: readonly Attention[] = [];
      for (const { event: happening, anyAttemptAmbiguous } of steps) {
        const answer = next({ state, attention, anyAttemptAmbiguous }, happening);
        if (answer.answer !== 'moved') {
          expect(answer.because).not.toBe('');
          continue;
        }
        expect(operationStates).toContain(answer.to);
        const listed = answer.attention.map(({ reason }) => reason);
        expect(new Set(listed).size).toBe(listed.length);
        state = answer.to;
        attention = answer.attention;
      }
    }),
    { numRuns: 500 },
  );
});

type Held = { amount: number; state: OperationState; attention: readonly Attention[] };

// Red when: `moneyHeld.outcome_unknown` is 'nothing', or a release is booked twice.
test('money is conserved: what a payment has reserved and refunded is what its operations hold, after any history', () => {
  const amounts = [700, 1100, 450];
  const history = fc.array(fc.record({ which: fc.nat(amounts.length - 1), step }), { maxLength: 60 });
  fc.assert(
    fc.property(history, (steps) => {
      const operations = amounts.map((amount): Held => ({ amount, state: 'proposed', attention: [] }));
      const figures = {
        currency: 'EUR',
        captured: 2000,
        refunded: 0,
        refundedElsewhere: 0,
        reserved: 0,
        disputed: false,
      };
      for (const { which, step: taken } of steps) {
        const operation = operations[which];
        if (operation === undefined) continue;
        const answer = next({ ...operation, anyAttemptAmbiguous: taken.anyAttemptAmbiguous }, taken.event);
        if (answer.answer !== 'moved') continue;
        const [before, after] = [moneyHeld[operation.state], moneyHeld[answer.to]];
        if (before !== after) {
          if (before !== 'nothing') figures[before] -= operation.amount;
          if (after !== 'nothing') figures[after] += operation.amount;
        }
        operation.state = answer.to;
        operation.attention = answer.attention;
      }
      const heldAs = (kind: 'reserved' | 'refunded'): number =>
        operations.reduce((sum, { amount, state }) => (moneyHeld[state] === kind ? sum + amount : sum), 0);
      expect(figures.reserved).toBe(heldAs('reserved'));
      expect(figures.refunded).toBe(heldAs('refunded'));
      expect(figures.reserved).toBeGreaterThanOrEqual(0);
      expect(figures.refunded).toBeGreaterThanOrEqual(0);
      expect(refundableMinor(figures)).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 500 },
  );
});

// Red when: `outcome_unknown` or `submitting` is held as 'nothing'.
test('money stays held from approval until a definite end, unknown included', () => {
  for (const state of ['approved', 'submitting', 'pending', 'outcome_unknown'] as const) {
    expect(moneyHeld[state]).toBe('reserved');
  }
});
