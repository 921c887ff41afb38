import fc from 'fast-check';
import { expect, test } from 'vitest';
import { next, settle, settlementEvent, type AttemptFact, type Observation } from '../src/operation.ts';
import {
  accepted,
  alreadyRefunded,
  aPersonDecides,
  byHand,
  deferred,
  disputed,
  lookUp,
  notSent,
  nothingHappened,
  people,
  record,
  response,
  subject,
  unknown,
  webhook,
} from './evidence.ts';

const atMs = fc.integer({ min: 1, max: 30 });
const anyRecord = fc
  .record({
    reference: fc.constantFrom('re_1', 're_2', 're_3'),
    status: fc.constantFrom('pending' as const, 'succeeded' as const, 'failed' as const),
    minor: fc.constantFrom(1099, 1099, 1099, 1000),
    failureReason: fc.constantFrom(null, 'declined', 'lost'),
    createdAtMs: atMs,
    whose: fc.constantFrom('ours' as const, 'ours' as const, 'nobody' as const, 'other' as const),
  })
  .map(({ minor, whose, ...rest }) =>
    record({
      ...rest,
      amount: { minor, currency: 'EUR' },
      ...(whose === 'ours'
        ? {}
        : { operationId: whose === 'nobody' ? null : 'another', organisationId: null }),
    }),
  );
const finding = fc.oneof(
  fc.constantFrom(unknown, notSent, deferred, disputed, alreadyRefunded, {
    kind: 'in-flight-elsewhere',
  } as const),
  anyRecord.map((seen) => accepted(seen)),
);
const observation: fc.Arbitrary<Observation> = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), finding, atMs)
    .map(([number, end, at]) => response(number, end, at)),
  fc.tuple(anyRecord, atMs).map(([seen, at]) => webhook(seen, at)),
  fc.tuple(anyRecord, atMs).map(([seen, at]) => lookUp({ kind: 'found', record: seen }, at)),
  fc
    .tuple(
      fc.constantFrom(
        { kind: 'absent-yet' } as const,
        { kind: 'absent-final' } as const,
        { kind: 'no-answer', because: '503' } as const,
        { kind: 'exhausted-elsewhere', refunds: [byHand] } as const,
        { kind: 'unattributed', refunds: [byHand], operations: ['one'] } as const,
        { kind: 'unattributed', refunds: [byHand], operations: ['one', 'two'] } as const,
      ),
      atMs,
    )
    .map(([seen, at]) => lookUp(seen, at)),
  fc
    .record({
      outcome: fc.constantFrom('confirmed' as const, 'failed' as const),
      secondBy: fc.constantFrom(null, 'ben', 'ada'),
      by: fc.constantFrom('ada', 'cleo'),
      record: fc.option(anyRecord),
      at: atMs,
    })
    .map(({ at, ...finding_ }) => people(finding_, at)),
);
const attempts: fc.Arbitrary<AttemptFact[]> = fc
  .array(fc.boolean(), { maxLength: 3 })
  .map((list) => list.map((isEnded, index) => ({ number: index + 1, ended: isEnded })));
const terms = fc.constantFrom(nothingHappened, aPersonDecides);
const evidence = fc.array(observation, { maxLength: 8 });

// Red when: any choice in settle depends on list order (take `[0]` without sorting, e.g. in `newest`).
test('settle says the same whatever the order of the evidence, and however often each piece came', () => {
  const shuffled = evidence.chain((seen) =>
    fc.record({
      seen: fc.constant(seen),
      again: fc.shuffledSubarray(seen, { minLength: seen.length }),
      doubled: fc.subarray(seen),
    }),
  );
  fc.assert(
    fc.property(attempts, shuffled, terms, (made, { seen, again, doubled }, contract) => {
      const once = settle(subject, made, seen, contract);
      expect(settle(subject, [...made].reverse(), [...doubled, ...again, ...doubled], contract)).toEqual(
        once,
      );
    }),
    { numRuns: 2_000 },
  );
});

// Red when: `confirmed` is answered for a differing record, or `failed` while a request has no recorded end.
test('confirmed rests on a matching record or on two people; failed never leaves a request without its end, unless records or people say so', () => {
  fc.assert(
    fc.property(attempts, evidence, terms, (made, seen, contract) => {
      const settled = settle(subject, made, seen, contract);
      const two = (by: string, secondBy: string | null): boolean => secondBy !== null && secondBy !== by;
      if (settled.kind === 'confirmed') {
        const matches = settled.record?.amount.minor === subject.amount.minor;
        expect(
          matches || (settled.settledBy !== null && two(settled.settledBy.by, settled.settledBy.secondBy)),
        ).toBe(true);
        expect(settled.booked).toEqual(settled.record?.amount ?? subject.amount);
      }
      if (
        settled.kind === 'failed' &&
        ['declined', 'never-arrived', 'refunded-elsewhere'].includes(settled.cause.kind)
      ) {
        const answered = new Set(
          seen.flatMap((one) => (one.source === 'response' ? [one.attemptNumber] : [])),
        );
        expect(made.every(({ number, ended }) => ended || answered.has(number))).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
});

// Red when: `confirmed evidence-failed` moves, or evidence is refused anywhere.
test('evidence that trickles in, in any order, ends where all of it together says', () => {
  const records = fc.array(
    fc.record({
      status: fc.constantFrom('pending' as const, 'succeeded' as const, 'failed' as const),
      at: atMs,
    }),
    { minLength: 1, maxLength: 5 },
  );
  fc.assert(
    fc.property(records, (seen) => {
      const observations = seen.map(({ status, at }) => webhook(record({ status }), at));
      const made = [{ number: 1, ended: false }];
      let state: Parameters<typeof next>[0] = {
        state: 'submitting',
        attention: [],
        anyAttemptAmbiguous: true,
      };
      for (let count = 1; count <= observations.length; count += 1) {
        const event = settlementEvent(
          settle(subject, made, observations.slice(0, count), nothingHappened),
          '2026-11-29T10:00:00.000Z',
        );
        if (event === undefined) continue;
        const answer = next(state, event);
        if (answer.answer === 'moved') state = { ...state, state: answer.to, attention: answer.attention };
      }
      const kinds = new Set(seen.map(({ status }) => status));
      const whole = kinds.has('succeeded')
        ? kinds.has('failed')
          ? 'reversed'
          : 'confirmed'
        : kinds.has('failed')
          ? 'failed'
          : 'pending';
      expect(state.state).toBe(whole);
    }),
    { numRuns: 500 },
  );
});
