import type { Amount } from '@holdfast/operation';
import { expect } from 'vitest';
import { judgeAbsence } from '@holdfast/providers';
import { eur, organisationId, type ConformanceCase, type ProviderTraits } from './provider-under-test.ts';

const wrongAmounts: readonly unknown[] = [
  ...[undefined, {}, { minor: 1_000 }, { currency: 'EUR' }],
  ...[
    eur(0),
    eur(-1),
    eur(0.5),
    eur(Number.NaN),
    { minor: 100, currency: 'eur' },
    { minor: 100, currency: 'XXX' },
  ],
];

/** What the contract says of itself must be able to be true. */
const contractCases = ({ contract }: ProviderTraits): readonly ConformanceCase[] => [
  {
    name: 'the contract contradicts itself nowhere, and hopes for nothing',
    run: async () => {
      const { money: _money, displayName, lookUp, ...rest } = contract;
      expect(displayName).toMatch(/^[A-Z]/);
      for (const value of Object.values(rest)) {
        if (typeof value === 'number') expect(value).toBeGreaterThanOrEqual(0);
        if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true);
      }
      if (contract.keyWindowMs === 0) expect(contract.keyWindowMarginMs).toBe(0);
      else expect(contract.keyWindowMarginMs).toBeLessThan(contract.keyWindowMs);
      // Without a key nothing can be asked by sending it again.
      if (lookUp === 'by-replay') expect(contract.keyWindowMs).toBeGreaterThan(0);
      if (lookUp === 'by-payment') expect(contract.emptyReadsForAbsence).toBeGreaterThanOrEqual(2);
      // The product's own key has 45 characters.
      expect(contract.maximumKeyLength).toBeGreaterThanOrEqual(45);
    },
  },
  {
    // Red when: `judgeAbsence` concludes an absence with a provider that shows nothing.
    name: 'where nothing can be listed, no silence ever becomes an absence',
    run: async () => {
      const facts = {
        ...{ nowMs: 1e12, attempts: [{ endedAtMs: 1 }], savedFailureReplayed: false },
        ...{ mayStillBeResubmitted: false, emptyReadsAtMs: [1e9, 2e9, 3e9, 4e9, 1e11] },
      };
      expect(judgeAbsence(facts, contract)).toBe(
        contract.lookUp === 'by-payment' ? 'absent-final' : 'absent-yet',
      );
    },
  },
];

export const encodingCases = (traits: ProviderTraits): readonly ConformanceCase[] => [
  ...contractCases(traits),
  ...wrongAmounts.map((amount) => ({
    // Red when: an amount that is not there leaves the amount out, which with most providers means all that is left.
    name: `F076: of the amount ${JSON.stringify(amount) ?? 'undefined'} it makes no bytes, and breaks nothing`,
    run: async ({ provider, refundOf }: Parameters<ConformanceCase['run']>[0]) => {
      const payment = await provider.pay(eur(1_000));
      const request = { ...refundOf(payment, eur(1_000)), amount: amount as Amount };
      expect(provider.adapter.encodeRefund(request).ok).toBe(false);
    },
  })),
  {
    name: 'the same refund is always the same bytes, and they say its amount and whose it is',
    run: async ({ provider, refundOf, encode }) => {
      const request = refundOf(await provider.pay(eur(98_765)), eur(12_345));
      const first = encode(request);
      expect(encode(request)).toEqual(first);
      expect(first.idempotencyKey).toBe(request.idempotencyKey);
      expect(first.body).toMatch(/123\.?45/);
      if (!traits.contract.echoesReference) return;
      expect(first.body).toContain(request.operationId);
      expect(first.body).toContain(organisationId);
    },
  },
  {
    name: 'what does not fit is refused, never cut: a key that is too long, a payment that is none, IDs that are too long',
    run: async ({ provider, refundOf }) => {
      const request = refundOf(await provider.pay(eur(1_000)), eur(100));
      const { contract, unknownPayment } = traits;
      const refused = [
        { ...request, idempotencyKey: 'k'.repeat(contract.maximumKeyLength + 1) },
        { ...request, idempotencyKey: 'two words' },
        { ...request, idempotencyKey: '' },
        { ...request, paymentReference: '' },
        { ...request, operationId: 'o'.repeat(contract.maximumTextBytes + 1) },
        { ...request, operationId: '' },
        { ...request, organisationId: '' },
      ];
      for (const one of refused) expect(provider.adapter.encodeRefund(one).ok).toBe(false);
      // A reference is data, also one that looks like a path: it may be refused, and never leads anywhere else.
      const { path } = provider.adapter.encodeRefund({ ...request, paymentReference: unknownPayment }).ok
        ? { path: 'one that is whole is taken' }
        : { path: '' };
      expect(path).not.toBe('');
      const astray = provider.adapter.encodeRefund({ ...request, paymentReference: `../${unknownPayment}` });
      if (astray.ok) expect(astray.request.path).not.toContain('..');
    },
  },
];
