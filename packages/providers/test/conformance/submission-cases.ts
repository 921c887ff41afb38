import type { Amount } from '@holdfast/operation';
import { expect } from 'vitest';
import {
  ambiguousTroubles,
  eur,
  organisationId,
  patienceFor,
  patientMs,
  type AmbiguousTrouble,
  type ConformanceCase,
  type ConformanceRig,
  type ProviderTraits,
} from './provider-under-test.ts';

const troubles = Object.entries(ambiguousTroubles) as readonly (readonly [AmbiguousTrouble, boolean])[];

const amounts: readonly Amount[] = [
  eur(4_999),
  { minor: 500, currency: 'JPY' },
  { minor: 12_340, currency: 'KWD' },
  { minor: 700, currency: 'ISK' },
  { minor: 50_000, currency: 'MGA' },
  { minor: 3_000_000_000, currency: 'USD' },
];

const acceptedOnce = async (
  { provider, traits, refundOf, submit }: ConformanceRig,
  amount: Amount,
): Promise<void> => {
  const request = refundOf(await provider.pay({ ...amount, minor: amount.minor * 2 }), amount);
  const { finding, replayed } = await submit(request);
  if (finding.kind !== 'accepted') throw new Error(JSON.stringify(finding));
  expect(replayed).toBe(false);
  const { record } = finding;
  expect(record).toMatchObject({
    amount,
    paymentReference: request.paymentReference,
    status: traits.acceptsAs,
  });
  expect(record).toMatchObject(
    traits.contract.echoesReference
      ? { organisationId, operationId: request.operationId }
      : { organisationId: null, operationId: null },
  );
  expect(await provider.books(request.paymentReference)).toEqual([record.reference]);
  expect(await provider.submissions(request)).toBe(1);
};

/** What becomes known of a lost answer without sending anything. */
const whatIsKnown = async (
  rig: ConformanceRig,
  acted: boolean,
  request: ReturnType<ConformanceRig['refundOf']>,
) => {
  const { traits, lookUp, provider } = rig;
  const { lookUp: kind, echoesReference } = traits.contract;
  const found = await lookUp(request);
  if (kind !== 'by-payment') return expect(found.kind).toBe('no-answer');
  if (!acted) return expect(found).toEqual({ kind: 'absent-yet' });
  const [reference] = await provider.books(request.paymentReference);
  return expect(found).toMatchObject(
    echoesReference
      ? { kind: 'found', record: { reference, amount: eur(2_500) } }
      : { kind: 'unattributed', refunds: [{ reference }], operations: [request.operationId] },
  );
};

export const submissionCases = (traits: ProviderTraits): readonly ConformanceCase[] => [
  ...amounts.map((amount) => ({
    name: `${String(amount.minor)} ${amount.currency}: accepted and in the books once, or refused before anything leaves`,
    run: async (rig: ConformanceRig) => {
      const { provider, refundOf } = rig;
      const isTaken = traits.contract.money.digits[amount.currency] !== undefined;
      if (isTaken) return acceptedOnce(rig, amount);
      const request = refundOf(await provider.pay(eur(10_000)), amount);
      return expect(provider.adapter.encodeRefund(request).ok).toBe(false);
    },
  })),
  // F004: no byte until the deadline. F006: 500 after it was done. F010: closed without a status line.
  ...troubles.map(([trouble, acted]) => ({
    // Red when: the classifier calls any of these rejected or not sent; the library may send again.
    name: `F004 F006 F010 · ${trouble}: unknown, one submission, and only what the contract says tells (acted: ${String(acted)})`,
    run: async (rig: ConformanceRig) => {
      const { provider, refundOf, submit } = rig;
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await provider.trouble(request.paymentReference, trouble);
      const before = Date.now();
      const report = await submit(request, patienceFor(trouble));
      expect(report.finding.kind).toBe('unknown');
      expect(Date.now() - before).toBeLessThan(patientMs);
      expect(await provider.submissions(request)).toBe(1);
      expect(await provider.books(request.paymentReference)).toHaveLength(acted ? 1 : 0);
      await whatIsKnown(rig, acted, request);
    },
  })),
  {
    name: 'rate limited: nothing done, later, and when',
    run: async ({ provider, refundOf, submit }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await provider.trouble(request.paymentReference, 'rate-limited');
      expect((await submit(request)).finding).toMatchObject({
        ...{ kind: 'deferred', because: 'rate-limited', retryAfterMs: 2_000 },
      });
      expect(await provider.books(request.paymentReference)).toHaveLength(0);
      expect((await submit(request)).finding.kind).toBe('accepted');
    },
  },
  {
    name: 'our key refused: nothing done, and every question that there is says so',
    run: async ({ provider, refundOf, encode }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const { adapterWithBadKey: refused } = provider;
      const deadlineMs = Date.now() + patientMs;
      const { finding } = await refused.submit(encode(request), request, deadlineMs);
      expect(finding).toMatchObject({ kind: 'deferred', because: 'key-refused' });
      const answers = [
        await refused.askAboutPayment(request.paymentReference, deadlineMs),
        await refused.askAboutRefund('re_none', deadlineMs),
        await refused.listSince(Date.now() - patientMs, deadlineMs),
        await refused.refundPage(Date.now() - patientMs, null, deadlineMs),
        await refused.askAccount(deadlineMs),
      ];
      for (const answer of answers) {
        if (answer.kind !== 'no-answer') throw new Error(JSON.stringify(answer));
        expect(answer.ourKeyRefused || answer.notOffered === true).toBe(true);
      }
      expect(await provider.books(request.paymentReference)).toHaveLength(0);
    },
  },
  {
    name: 'more than is left: refused as that, which may be our own doing, or taken first and refused by webhook',
    run: async ({ provider, refundOf, submit }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(10_001));
      const { finding } = await submit(request);
      if (traits.refusesTooMuch === 'at-once')
        expect(finding).toMatchObject({ kind: 'rejected', decline: 'exceeds-unrefunded' });
      else expect(finding).toMatchObject({ kind: 'accepted', record: { status: 'pending' } });
    },
  },
  ...(traits.refusesTooMuch === 'by-webhook'
    ? []
    : [
        {
          name: 'all refunded by hand: refused as what may be our own doing',
          run: async ({ provider, refundOf, submit }: ConformanceRig) => {
            const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
            await provider.refundByHand(request.paymentReference, eur(10_000));
            expect((await submit(request)).finding).toMatchObject({
              ...{ kind: 'rejected', decline: traits.wholeRefundDecline },
            });
          },
        },
      ]),
  {
    name: 'done with another amount: the provider’s amount is what is reported',
    run: async ({ provider, refundOf, submit }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await provider.trouble(request.paymentReference, 'wrong-amount');
      expect((await submit(request)).finding).toMatchObject({
        ...{ kind: 'accepted', record: { amount: eur(100) } },
      });
    },
  },
  {
    name: 'a payment that the provider has never heard of: refused, and nothing else',
    run: async ({ provider, refundOf, submit }) => {
      const request = refundOf(traits.unknownPayment, eur(100));
      expect((await submit(request)).finding.kind).toBe('rejected');
      expect(await provider.books(traits.unknownPayment)).toHaveLength(0);
    },
  },
];
