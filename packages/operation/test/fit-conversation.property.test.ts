import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  conversationLimits,
  conversationSchema,
  fitConversation,
  type ConversationTurn,
} from '../src/operation.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4_000 }),
  fc.constantFrom('\u0000', '\uD800', 'a\uDC00b', '\u0001'.repeat(3_000), '😀'.repeat(1_100), ''),
);
const anyTurn: fc.Arbitrary<ConversationTurn> = fc.record({
  at: fc.constant('2026-11-30T12:00:00.000Z'),
  asked: anyText,
  answered: anyText,
  interpreter: fc.constantFrom('on-the-device', 'at-holdfast', 'program'),
  read: fc.array(fc.record({ what: fc.constant('order'), id: anyText, title: anyText }), { maxLength: 60 }),
  quoted: fc.array(fc.record({ from: anyText, text: anyText }), { maxLength: 60 }),
});
const longDraft: ConversationTurn = {
  ...{ at: '2026-11-30T12:00:00.000Z', asked: 'all', answered: 'a draft', interpreter: 'at-holdfast' },
  ...{ read: [], quoted: [] },
  drafted: {
    orderId: 'o',
    amount: { minor: 1, currency: 'EUR' },
    lines: Array.from({ length: 90 }, (_, at) => ({
      sku: `${'\u0001'.repeat(190)}${String(at)}`,
      quantity: 1,
    })),
  },
};

describe('a conversation that is kept with a proposal', () => {
  // Red when: a text is cut in the middle of a character, or a size is not looked at.
  it('fits whatever was said, so that it never stands in the way of the proposal', () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { minLength: 1, maxLength: 20 }), (said) => {
        expect(conversationSchema.safeParse(fitConversation(said)).error).toBeUndefined();
      }),
      { numRuns: 60 },
    );
    expect(conversationSchema.safeParse(fitConversation([longDraft])).error).toBeUndefined();
  });

  it('keeps the newest turns whole before it keeps what others wrote, and says that it was cut', () => {
    const turn = (asked: string): ConversationTurn => ({
      ...{ at: '2026-11-30T12:00:00.000Z', asked, answered: 'no', interpreter: 'on-the-device', read: [] },
      quoted: [{ from: 'Mara', text: 'x'.repeat(1_900) }],
    });
    const said = Array.from({ length: 9 }, (_, at) => turn(`question ${String(at)}`));
    const kept = fitConversation(said);
    expect(kept?.turns.map(({ asked }) => asked)).toEqual(said.map(({ asked }) => asked));
    expect(kept?.turns.at(-1)?.quoted).toHaveLength(1);
    expect([kept?.turns[0]?.quoted, kept?.cut]).toEqual([[], true]);
    expect(JSON.stringify(kept).length).toBeLessThanOrEqual(conversationLimits.characters);
    expect([fitConversation([]), fitConversation([turn('short')])?.cut]).toEqual([undefined, undefined]);
  });

  it('that says a state or an approval of its own making says nothing: those fields are dropped', () => {
    const read = conversationSchema.parse({
      ...fitConversation([longDraft]),
      state: 'approved',
      approvals: [{ by: 'finance' }],
    });
    expect(Object.keys(read)).toEqual(expect.not.arrayContaining(['state', 'approvals']));
  });
});
