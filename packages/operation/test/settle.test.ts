import { describe, expect, test } from 'vitest';
import { settle, settlementEvent, settlementEventType, type Settlement } from '../src/operation.ts';
import {
  accepted,
  alreadyRefunded,
  aPersonDecides,
  byHand,
  deferred,
  disputed,
  ended,
  lookUp,
  notSent,
  nothingHappened,
  people,
  record,
  response,
  subject,
  underWay,
  unknown,
  webhook,
} from './evidence.ts';

const settled = (
  attempts: Parameters<typeof settle>[1],
  observations: Parameters<typeof settle>[2],
  terms = nothingHappened,
): Settlement => settle(subject, attempts, observations, terms);

describe('the ends of our own requests', () => {
  test('say nothing while the only request is under way', () => {
    expect(settled([], []).kind).toBe('no-evidence');
    expect(settled([underWay(1)], []).kind).toBe('no-evidence');
    expect(settled([underWay(1)], [lookUp({ kind: 'absent-yet' })]).kind).toBe('no-evidence');
  });

  // Red when: `attemptEnd` takes a recorded end without an observation for a definite one.
  test('leave it unknown when the answer was lost, and say whether a request certainly left', () => {
    expect(settled(ended(1), [response(1, unknown)])).toMatchObject({
      kind: 'unknown',
      certainlySubmitted: true,
    });
    expect(
      settled(ended(1), [response(1, { ...unknown, requestLeft: false } as typeof unknown)]),
    ).toMatchObject({
      kind: 'unknown',
      certainlySubmitted: false,
    });
    expect(settled(ended(1), [])).toMatchObject({ kind: 'unknown', certainlySubmitted: false });
    expect(settled(ended(1), [response(1, { kind: 'in-flight-elsewhere' })])).toMatchObject({
      kind: 'unknown',
    });
  });

  test('confirm it on the provider’s own answer', () => {
    expect(settled(ended(1), [response(1, accepted())])).toMatchObject({
      kind: 'confirmed',
      record: { reference: 're_1' },
      booked: subject.amount,
      settledBy: null,
      attention: [],
    });
  });

  // Red when: a pending record is taken for a failure (F053: staff then refund again).
  test('F053: a pending answer is pending, never failed, and a later success settles it', () => {
    const pending = response(1, accepted({ status: 'pending' }));
    expect(settled(ended(1), [pending]).kind).toBe('pending');
    expect(settled(ended(1), [pending, webhook(record())]).kind).toBe('confirmed');
  });

  test('let it be submitted again when every attempt is proved not sent or deferred', () => {
    expect(settled(ended(1), [response(1, notSent)])).toMatchObject({
      kind: 'unsent',
      deferredUntilMs: null,
    });
    expect(settled(ended(1, 2), [response(1, notSent), response(2, deferred, 20)])).toMatchObject({
      kind: 'unsent',
      deferredUntilMs: 3_020,
    });
  });

  // Red when: `byRefusals` does not look for ambiguous attempts.
  test.each([deferred, disputed, notSent])(
    'prove nothing by $kind while another attempt is ambiguous',
    (finding) => {
      expect(settled(ended(1, 2), [response(1, unknown), response(2, finding)]).kind).toBe('unknown');
      expect(settled([underWay(1), ...ended(2)], [response(2, finding)]).kind).toBe('unknown');
    },
  );

  // Red when: `definite` in `attemptEnd` is not preferred to `unknown`.
  test('let a definite late answer of one request beat the lost sight of the same request', () => {
    expect(settled(ended(1), [response(1, unknown), response(1, disputed, 99)])).toMatchObject({
      kind: 'failed',
      cause: { kind: 'declined', decline: 'disputed' },
    });
  });

  test('stay unknown when two definite ends of one request disagree', () => {
    expect(settled(ended(1), [response(1, notSent), response(1, disputed)]).kind).toBe('unknown');
  });

  test('fail it when every attempt was refused for good', () => {
    expect(settled(ended(1, 2), [response(1, deferred), response(2, disputed)])).toMatchObject({
      kind: 'failed',
      cause: { kind: 'declined', decline: 'disputed', code: 'charge_disputed' },
    });
  });

  // Red when: an answer that shows another operation's refund is taken for ours.
  test('do not take somebody else’s refund in the answer to our request for ours', () => {
    const foreign = response(1, accepted({ operationId: '0193a000-0000-7000-8000-00000000ffff' }));
    expect(settled(ended(1), [foreign])).toMatchObject({
      kind: 'unknown',
      attention: ['conflicting-evidence'],
    });
  });
});

describe('"already refunded" and "more than what is left"', () => {
  // Red when: `declinesThatMayBeOurs` is not looked at.
  test('prove nothing alone', () => {
    expect(settled(ended(1), [response(1, alreadyRefunded)]).kind).toBe('unknown');
    expect(
      settled(ended(1), [response(1, { kind: 'rejected', decline: 'exceeds-unrefunded', code: null })]).kind,
    ).toBe('unknown');
    expect(settled(ended(1), [response(1, alreadyRefunded), lookUp({ kind: 'absent-final' })]).kind).toBe(
      'unknown',
    );
  });

  test('fail it once the look-up shows that others alone have exhausted the payment, also after our own lost answer', () => {
    const exhausted = lookUp({ kind: 'exhausted-elsewhere', refunds: [byHand] });
    const cause = { kind: 'refunded-elsewhere', refunds: [byHand] };
    expect(settled(ended(1), [response(1, alreadyRefunded), exhausted])).toMatchObject({
      kind: 'failed',
      cause,
    });
    expect(
      settled(ended(1, 2), [response(1, unknown), response(2, alreadyRefunded), exhausted]),
    ).toMatchObject({ kind: 'failed', cause });
  });

  // Red when: `exhausted-elsewhere` is taken as proof without a refusal, or with a request still out.
  test('and that look-up alone leaves it to a person', () => {
    const exhausted = lookUp({ kind: 'exhausted-elsewhere', refunds: [byHand] });
    expect(settled(ended(1), [response(1, unknown), exhausted]).kind).toBe('unknown');
    expect(settled([underWay(1), ...ended(2)], [response(2, alreadyRefunded), exhausted]).kind).toBe(
      'unknown',
    );
  });

  test('are ours when the look-up finds ours', () => {
    expect(
      settled(ended(1), [response(1, alreadyRefunded), lookUp({ kind: 'found', record: record() })]).kind,
    ).toBe('confirmed');
  });
});

describe('absence', () => {
  // Red when: `absent-yet` or `no-answer` is treated like `absent-final`.
  test('of a record, or of an answer, concludes nothing', () => {
    for (const finding of [{ kind: 'absent-yet' }, { kind: 'no-answer', because: '503' }] as const) {
      expect(settled(ended(1), [response(1, unknown), lookUp(finding)]).kind).toBe('unknown');
    }
  });

  test('is final only with this provider, and only once every attempt’s end is recorded', () => {
    const absent = lookUp({ kind: 'absent-final' });
    expect(settled(ended(1), [response(1, unknown), absent])).toMatchObject({
      kind: 'failed',
      cause: { kind: 'never-arrived' },
    });
    expect(settled(ended(1), [response(1, unknown), absent], aPersonDecides).kind).toBe('unknown');
    expect(settled([underWay(1), ...ended(2)], [response(2, unknown), absent]).kind).toBe('unknown');
  });

  // Red when: `finallyAbsent` does not compare the instants.
  test('seen before an answer came in says nothing about the request that was answered', () => {
    expect(settled(ended(1), [lookUp({ kind: 'absent-final' }, 5), response(1, unknown, 10)]).kind).toBe(
      'unknown',
    );
  });
});

describe('records that name nobody, any of which may be this one', () => {
  const nameless = lookUp({ kind: 'unattributed', refunds: [byHand], operations: ['one', 'two'] }, 50);

  // Red when: such a record confirms, or does not stand against an absence or against refunds made elsewhere.
  test.each([
    ['an answer was lost', [response(1, unknown)]],
    ['an absence had been final', [response(1, unknown), lookUp({ kind: 'absent-final' }, 40)]],
    [
      'refunds made elsewhere had used the payment up',
      [response(1, alreadyRefunded), lookUp({ kind: 'exhausted-elsewhere', refunds: [byHand] }, 40)],
    ],
  ])('F067: leave it unknown and to a person where %s', (_what, seen) => {
    expect(settled(ended(1), [...seen, nameless])).toMatchObject({
      kind: 'unknown',
      attention: ['conflicting-evidence'],
      unattributed: { refunds: 1, operations: 2 },
    });
  });

  test('also where the request’s end was never heard of', () => {
    expect(settled([underWay(1)], [nameless]).kind).toBe('unknown');
  });

  test('count only while the newest answer shows them', () => {
    const gone = lookUp({ kind: 'absent-final' }, 60);
    expect(settled(ended(1), [response(1, unknown), nameless, gone]).kind).toBe('failed');
  });
});

describe('the provider’s records', () => {
  // Red when: `outcome` of a refund looks at its newest record only.
  test('show a reversal whichever of success and failure was seen first', () => {
    const [success, failure] = [
      record(),
      record({ status: 'failed', failureReason: 'expired_or_canceled_card' }),
    ];
    for (const [one, other] of [
      [success, failure],
      [failure, success],
    ] as const) {
      expect(settled(ended(1), [webhook(one, 100), webhook(other, 200)])).toMatchObject({
        kind: 'reversed',
        record: { failureReason: 'expired_or_canceled_card' },
      });
    }
  });

  test('fail it where the provider could not complete it', () => {
    expect(
      settled(ended(1), [webhook(record({ status: 'failed', failureReason: 'declined' }))]),
    ).toMatchObject({
      kind: 'failed',
      cause: { kind: 'provider-failed', reference: 're_1', reason: 'declined' },
    });
  });

  // Red when: `refunds.length > 1` is not looked at.
  test('raise duplicate-action for a second reference; a success beats pending beats failure', () => {
    const second = (status: 'pending' | 'failed' | 'succeeded') =>
      webhook(record({ reference: 're_2', status }));
    expect(settled(ended(1), [webhook(record({ status: 'failed' })), second('pending')])).toMatchObject({
      kind: 'pending',
      attention: ['duplicate-action'],
    });
    expect(settled(ended(1), [webhook(record()), second('pending')])).toMatchObject({
      kind: 'confirmed',
      record: { reference: 're_1' },
      attention: ['duplicate-action'],
    });
  });

  // Red when: `isForeign` or the metadata filter of listings is taken out.
  test('of another operation, another organisation or made by hand are not ours', () => {
    for (const changes of [
      { operationId: '0193a000-0000-7000-8000-00000000ffff' },
      { organisationId: 'org-2' },
      { organisationId: null, operationId: null },
    ]) {
      expect(
        settled(ended(1), [response(1, unknown), lookUp({ kind: 'found', record: record(changes) })]).kind,
      ).toBe('unknown');
    }
  });

  // Red when: `differsFrom` compares less than amount, currency and payment.
  test.each([
    { amount: { minor: 1098, currency: 'EUR' } },
    { amount: { minor: 1099, currency: 'USD' } },
    { paymentReference: 'pi_2' },
  ])('of another amount, currency or payment never confirm it by themselves: %o', (changes) => {
    expect(settled(ended(1), [webhook(record(changes))])).toMatchObject({
      kind: 'unknown',
      attention: ['amount-differs'],
    });
  });

  // Red when: one operator is enough in `acceptedByTwo`, or the approved amount is booked.
  test('of another amount are booked at the provider’s amount once two operators took them for ours', () => {
    const odd = record({ amount: { minor: 1000, currency: 'EUR' } });
    const named = (secondBy: string | null) => people({ outcome: 'confirmed', record: odd, secondBy });
    expect(settled(ended(1), [webhook(odd), named(null)]).kind).toBe('unknown');
    expect(settled(ended(1), [webhook(odd), named('ada')]).kind).toBe('unknown');
    expect(settled(ended(1), [webhook(odd), named('ben')])).toMatchObject({
      kind: 'confirmed',
      booked: { minor: 1000, currency: 'EUR' },
      settledBy: { by: 'ada', secondBy: 'ben' },
      attention: [],
    });
  });
});

describe('people', () => {
  // Red when: `byPeople` takes one operator's word.
  test('settle it as failed, or without the provider, only in two', () => {
    expect(settled(ended(1), [response(1, unknown), people({ secondBy: null })]).kind).toBe('unknown');
    expect(settled(ended(1), [response(1, unknown), people()])).toMatchObject({
      kind: 'failed',
      cause: { kind: 'settled-by-people', by: 'ada', secondBy: 'ben', note: 'asked the bank' },
    });
    expect(settled(ended(1), [response(1, unknown), people({ outcome: 'confirmed' })])).toMatchObject({
      kind: 'confirmed',
      record: null,
      booked: subject.amount,
    });
  });

  test('may name a refund that carries nothing of ours, and its later failure is then seen too', () => {
    const bare = record({ reference: 're_9', organisationId: null, operationId: null });
    const named = people({ outcome: 'confirmed', record: bare, secondBy: null });
    expect(settled(ended(1), [response(1, unknown), named])).toMatchObject({
      kind: 'confirmed',
      record: { reference: 're_9' },
    });
    expect(
      settled(ended(1), [named, lookUp({ kind: 'found', record: { ...bare, status: 'failed' } }, 3_000)])
        .kind,
    ).toBe('reversed');
  });

  // Red when: people come before the provider's records in `settle`.
  test('are contradicted by a later record of success', () => {
    for (const observations of [
      [people(), webhook(record())],
      [webhook(record()), people()],
    ]) {
      expect(settled(ended(1), observations)).toMatchObject({
        kind: 'confirmed',
        attention: ['contradicted'],
      });
    }
  });
});

test('each settlement is its own event, and no evidence is none', () => {
  expect(settlementEventType(settled([], []))).toBeUndefined();
  expect(
    settlementEvent(settled(ended(1), [webhook(record()), people()]), '2026-11-29T10:00:00.000Z'),
  ).toEqual({
    type: 'evidence-confirmed',
    at: '2026-11-29T10:00:00.000Z',
    raises: ['contradicted'],
    visible: false,
  });
});
