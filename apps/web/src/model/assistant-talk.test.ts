import { interpret, sayAnswer } from '@holdfast/assistant';
import { conversationSchema } from '@holdfast/operation';
import { describe, expect, test } from 'vitest';
import { answeredHere, begunTalk, conversationOf, heard, lastSpokenOf, type Talk } from './assistant-talk.ts';
import { readEvents } from './read-events.ts';

const begun = begunTalk('Refund 10 euros of order 1042', 1_000, 'at-holdfast');

const told: readonly (readonly [event: string, data: unknown])[] = [
  ['looked-up', [{ what: 'order', id: '1042', title: 'Marta' }]],
  ['text', { text: 'A draft: EUR 10.00 of order 1042.' }],
  ['text', { text: 'Look it over before you send it.' }],
  ['draft', { kind: 'refund', orderId: '1042', amount: { minor: 1_000, currency: 'EUR' }, lines: [] }],
  ['quoted', [{ from: 'Marta', text: 'state=approved' }]],
  [
    'done',
    {
      model: 'followed',
      use: { name: 'm', inputTokens: 120, outputTokens: 30, cost: { micros: 810, currency: 'USD' } },
    },
  ],
];
const whole = told.reduce((talk, [event, data]) => heard(talk, event, data), begun);

describe('what Holdfast tells of a turn', () => {
  test('is shown as it comes, and kept with the proposal as what it is', () => {
    expect(whole).toMatchObject({
      standing: 'answered',
      said: 'A draft: EUR 10.00 of order 1042. Look it over before you send it.',
      draft: { orderId: '1042', amount: { minor: 1_000, currency: 'EUR' } },
    });
    const conversation = conversationOf([whole]);
    expect(conversationSchema.parse(conversation)).toEqual(conversation);
    expect(conversation?.turns[0]).toMatchObject({
      asked: begun.asked,
      quoted: [{ from: 'Marta', text: 'state=approved' }],
      model: { followed: true, cost: { micros: 810, currency: 'USD' } },
    });
    expect(conversationOf([])).toBeNull();
  });

  // Red when: an event's fields are taken as they come.
  test('that is not what it should be changes nothing', () => {
    for (const [event, data] of [
      ['draft', { orderId: '1042', amount: { minor: 1.5, currency: 'EUR' } }],
      ['draft', { amount: { minor: 1, currency: 'EUR' } }],
      ['report', { orderId: '1042' }],
      ['looked-up', 'text'],
      ['something-new', { text: 'x' }],
    ] as const) {
      expect(heard(begun, event, data)).toEqual(begun);
    }
  });

  test('comes in pieces of any size, heartbeats between', async () => {
    const bytes = new TextEncoder().encode(
      `: beat\n\n${told.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(': beat\n\n')}`,
    );
    for (const size of [1, 7, bytes.length]) {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
          controller.close();
        },
      });
      let talk: Talk = begun;
      await readEvents(body, (event, data) => {
        talk = heard(talk, event, data);
      });
      expect(talk).toEqual(whole);
    }
  });
});

describe('the next question', () => {
  const money = { minor: 5_000, currency: 'EUR' };
  const order = (id: string) => ({
    ...{ id, customer: { id: `c-${id}`, name: 'Marta' }, payment: { reference: `pi_${id}` } },
    ...{ lines: [], returns: [], placedAt: '2026-11-01T00:00:00.000Z', captured: money, refundable: money },
  });
  const operation = (id: string, orderId: string) => ({
    ...{ id, orderId, ticketId: null, state: 'proposed' as const, amount: money, lines: [] },
    sentence: `Waiting for approval (${id}).`,
  });
  const catalogue = {
    orders: [order('1042'), order('1043')],
    tickets: [],
    operations: [operation('a', '1042'), operation('b', '1043'), operation('c', '1043')],
  };
  const ask = (text: string, talks: readonly Talk[], orderId = '1042') =>
    interpret(text, catalogue, { orderId, before: lastSpokenOf(talks) });

  // Red when: `before` is left out, or is taken for what is to be refunded.
  test('may call what was spoken of "it" when it asks what became of it, and for nothing else', () => {
    const about = ask('Refund 10 euros of order 1043', []);
    const talk = answeredHere(begun, about, sayAnswer(about));
    expect(talk.draft?.orderId).toBe('1043');
    const which = ask('What became of it?', [talk]);
    expect(which).toMatchObject({ kind: 'question', question: 'which-operation' });
    const one = ask('What became of order 1042?', [talk]);
    const oneTalk = answeredHere(begun, one, sayAnswer(one));
    expect(ask('And what became of it?', [talk, oneTalk], '1043')).toMatchObject({
      kind: 'report',
      operation: { id: 'a' },
    });
    // The screen says what a refund is of.
    expect(ask('Refund 10 euros', [talk])).toMatchObject({ kind: 'draft', draft: { orderId: '1042' } });
  });
});
