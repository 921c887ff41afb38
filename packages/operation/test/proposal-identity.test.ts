import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalJson,
  compareProposals,
  fingerprintOf,
  idempotencyKeyOf,
  mintOperationId,
  parseOperationId,
  type FingerprintFacts,
  type JsonValue,
  type ProposalContent,
} from '../src/operation.ts';

const facts: FingerprintFacts = {
  kind: 'refund',
  organisationId: 'org-1',
  providerAccountId: 'acct_1',
  paymentReference: 'pay_A',
  customerId: 'c-1',
  orderId: 'o-1',
  lines: [
    { sku: 'B', quantity: 1 },
    { sku: 'A', quantity: 2 },
  ],
  returnId: 'r-1',
  amount: 1000,
  currency: 'EUR',
  reason: 'returned',
};

describe('the fingerprint', () => {
  // Red when: any one field is left out of the canonical JSON.
  test('F018: moves with every fact that would be done, and with nothing else', () => {
    const changes: Partial<FingerprintFacts>[] = [
      { organisationId: 'org-2' },
      { providerAccountId: null },
      { paymentReference: 'pay_B' },
      { customerId: 'c-2' },
      { orderId: 'o-2' },
      { lines: [{ sku: 'A', quantity: 2 }] },
      {
        lines: [
          { sku: 'A', quantity: 1 },
          { sku: 'B', quantity: 2 },
        ],
      },
      { returnId: null },
      { amount: 1200 },
      { currency: 'USD' },
      { reason: 'damaged' },
    ];
    const all = [facts, ...changes.map((change) => ({ ...facts, ...change }))].map(fingerprintOf);
    expect(new Set(all).size).toBe(all.length);
    expect(fingerprintOf({ ...facts, lines: [...facts.lines].reverse() })).toBe(fingerprintOf(facts));
    const reordered = Object.fromEntries(Object.entries(facts).reverse()) as typeof facts;
    expect(fingerprintOf(reordered)).toBe(fingerprintOf(facts));
    expect(fingerprintOf({ ...facts, note: 'for Ada', customerName: 'Ada' } as typeof facts)).toBe(
      fingerprintOf(facts),
    );
  });

  // Red when: the way of computing it changes, which would void every approval that is open during an upgrade.
  test('is the SHA-256 of the canonical JSON, the same in every release', () => {
    expect(fingerprintOf(facts)).toBe('aacfd4e90f3b0e0813c478729e66d4fc694c3b3dec8897c6c7fd12f7e6c0455f');
  });
});

describe('canonical JSON', () => {
  test('is the form of RFC 8785', () => {
    expect(
      canonicalJson({
        numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27],
        string: '€$\u000f\nA\'B"\\"/',
        literals: [null, true, false],
      }),
    ).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\"/"}',
    );
    expect(
      canonicalJson({ '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 }),
    ).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });

  test('does not exist for what JSON cannot say', () => {
    for (const value of [NaN, Infinity, '\ud800']) expect(() => canonicalJson(value)).toThrow();
  });

  test('says the same of the same value, and reads back as it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text);
      }),
    );
  });
});

describe('a proposal under a known ID', () => {
  const recorded: ProposalContent = {
    kind: 'refund',
    orderId: 'o-1',
    amount: { minor: 1000, currency: 'EUR' },
    reason: 'returned',
    lines: facts.lines,
    returnId: 'r-1',
    note: null,
    ticketId: 't-1',
    replaces: null,
  };

  // Red when: a field is left out of `contentOf`.
  test('F018: that differs is told field by field, and nothing else is told', () => {
    const cases: readonly [Partial<ProposalContent>, string][] = [
      [{ orderId: 'o-2' }, 'orderId'],
      [{ amount: { minor: 1200, currency: 'EUR' } }, 'amount'],
      [{ amount: { minor: 1000, currency: 'USD' } }, 'amount'],
      [{ reason: 'damaged' }, 'reason'],
      [{ lines: [] }, 'lines'],
      [{ returnId: undefined }, 'returnId'],
      [{ note: 'please' }, 'note'],
      [{ ticketId: null }, 'ticketId'],
      [{ replaces: '0193a000-0000-7000-8000-000000000001' }, 'replaces'],
    ];
    for (const [change, field] of cases) {
      const compared = compareProposals(recorded, { ...recorded, ...change });
      expect(compared.same).toBe(false);
      expect(Object.keys(compared.recorded)).toEqual([field]);
      expect(Object.keys(compared.received)).toEqual([field]);
    }
    expect(compareProposals(recorded, { ...recorded, amount: { minor: 1200, currency: 'EUR' } })).toEqual({
      same: false,
      recorded: { amount: { minor: 1000, currency: 'EUR' } },
      received: { amount: { minor: 1200, currency: 'EUR' } },
    });
  });

  // Red when: `compareProposals` compares JSON.stringify of the two.
  test('F018: that says the same in another order, or with differentFrom, is the same', () => {
    const { note: _note, replaces: _replaces, ...rest } = recorded;
    const reordered = Object.fromEntries(Object.entries(rest).reverse()) as unknown as ProposalContent;
    const received = {
      ...reordered,
      amount: { currency: 'EUR', minor: 1000 },
      lines: [...facts.lines].reverse(),
      differentFrom: ['re_1'],
    };
    expect(compareProposals(recorded, received)).toEqual({ same: true, recorded: {}, received: {} });
  });
});

describe('the IDs of one action', () => {
  const id = mintOperationId(1_764_410_400_000, new Uint8Array(10).fill(7));

  test('are UUIDv7, folded to lower case, anything else refused', () => {
    expect(parseOperationId(id.toUpperCase())).toBe(id);
    for (const text of ['', 'x', id.replace('-7', '-4'), `${id} `, id.replaceAll('-', '')]) {
      expect(parseOperationId(text)).toBeUndefined();
    }
  });

  // Red when: the organisation is left out of the key.
  test('give one key an action, short enough for every provider, and never another’s', () => {
    expect(idempotencyKeyOf('org-1', id)).toBe(idempotencyKeyOf('org-1', id));
    expect(idempotencyKeyOf('org-2', id)).not.toBe(idempotencyKeyOf('org-1', id));
    expect(idempotencyKeyOf('org-1', id)).toMatch(/^[0-9a-f-]{45}$/);
  });
});
