import { expect } from 'vitest';
import {
  ambiguousTroubles,
  eur,
  patienceFor,
  type AmbiguousTrouble,
  type ConformanceCase,
  type ConformanceRig,
  type ProviderTraits,
} from './provider-under-test.ts';

const troubles = Object.keys(ambiguousTroubles) as readonly AmbiguousTrouble[];

const withoutKeys: readonly ConformanceCase[] = [
  {
    // The contract says zero, and this is why: whoever sends again pays again.
    name: 'it knows no keys: the same bytes again are a second refund, so its contract lets nothing be sent again',
    run: async ({ provider, traits, refundOf, submit }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await submit(request);
      await submit(request);
      expect(await provider.books(request.paymentReference)).toHaveLength(2);
      expect(traits.contract.keyWindowMs).toBe(0);
    },
  },
];

const withKeys = (traits: ProviderTraits): readonly ConformanceCase[] => [
  {
    name: 'the same bytes again: the same refund, said to be an old answer where the provider says so',
    run: async ({ provider, refundOf, submit }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const first = await submit(request);
      const second = await submit(request);
      if (first.finding.kind !== 'accepted') throw new Error(JSON.stringify(first.finding));
      expect(second.finding).toMatchObject({
        ...{ kind: 'accepted', record: { reference: first.finding.record.reference, amount: eur(2_500) } },
      });
      expect(second.replayed).toBe(traits.marksReplays);
      expect(await provider.books(request.paymentReference)).toHaveLength(1);
    },
  },
  {
    name: 'our key with other parameters: never a second refund, and never taken for a refusal',
    run: async ({ provider, refundOf, submit }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await submit(request);
      const { finding } = await submit({ ...request, amount: eur(2_600) });
      // Unknown, or the answer of before, whose amount then shows that something is wrong.
      expect(finding.kind === 'accepted' ? finding.record.amount : finding.kind).toEqual(
        finding.kind === 'accepted' ? eur(2_500) : 'unknown',
      );
      expect(await provider.books(request.paymentReference)).toHaveLength(1);
    },
  },
  ...troubles.map((trouble) => ({
    // Red when: submit sends without the stored key, or with a key of its own.
    name: `F001 · ${trouble}, then the same bytes again: never a second refund, and the end is known`,
    run: async ({ provider, refundOf, submit }: ConformanceRig) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await provider.trouble(request.paymentReference, trouble);
      await submit(request, patienceFor(trouble));
      const { finding, replayed } = await submit(request);
      // A saved server error is repeated for ever; everything else ends in the one refund.
      if (trouble === 'server-error' && traits.savesServerErrors) {
        expect({ kind: finding.kind, replayed }).toEqual({ kind: 'unknown', replayed: true });
      } else {
        const [reference] = await provider.books(request.paymentReference);
        expect(finding).toMatchObject({ kind: 'accepted', record: { reference } });
      }
      expect(await provider.books(request.paymentReference)).toHaveLength(1);
    },
  })),
  {
    name: 'the same bytes twice at once: at most one refund, and neither is called failed',
    run: async ({ provider, refundOf, submit }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const reports = await Promise.all([submit(request), submit(request)]);
      const kinds = reports.map(({ finding }) => finding.kind);
      expect(kinds).toContain('accepted');
      for (const kind of kinds) expect(['accepted', 'in-flight-elsewhere', 'unknown']).toContain(kind);
      expect(await provider.books(request.paymentReference)).toHaveLength(1);
    },
  },
  ...(traits.contract.lookUp === 'by-replay'
    ? [
        {
          // Red when: the double answers with what was saved, so that a late failure is never heard of.
          name: 'sent again after it failed: the answer is how it stands now, which is what makes it a look-up',
          run: async ({ provider, refundOf, submit }: ConformanceRig) => {
            const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
            const { finding } = await submit(request);
            if (finding.kind !== 'accepted') throw new Error(JSON.stringify(finding));
            await provider.failRefund(finding.record.reference);
            const again = await submit(request);
            expect(again.finding).toMatchObject({ kind: 'accepted', record: { status: 'failed' } });
          },
        },
      ]
    : []),
  {
    // Red when: the contract's window is longer than the provider's memory. (Last: it moves the provider's clock.)
    name: 'a key is known until the deadline for sending again, and is a new request once the window is over',
    run: async ({ provider, refundOf, submit }) => {
      const { keyWindowMs, keyWindowMarginMs } = traits.contract;
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await submit(request);
      await provider.clockAhead(keyWindowMs - keyWindowMarginMs);
      await submit(request);
      expect(await provider.books(request.paymentReference)).toHaveLength(1);
      await provider.clockAhead(keyWindowMs + 60_000);
      await submit(request);
      expect(await provider.books(request.paymentReference)).toHaveLength(2);
      await provider.clockAhead(0);
    },
  },
];

const withUnpublishedKeys: readonly ConformanceCase[] = [
  {
    name: 'it knows keys for a time that nobody publishes: its contract lets nothing be sent again, though that might be one refund',
    run: async ({ provider, traits, refundOf, submit }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await submit(request);
      await submit(request);
      expect(await provider.books(request.paymentReference)).toHaveLength(1);
      expect(traits.contract.keyWindowMs).toBe(0);
    },
  },
  {
    name: 'our key with another amount is never taken for a refusal',
    run: async ({ provider, refundOf, submit }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await submit(request);
      expect((await submit({ ...request, amount: eur(2_600) })).finding.kind).toBe('unknown');
      expect(await provider.books(request.paymentReference)).toHaveLength(1);
    },
  },
];

export const keyCases = (traits: ProviderTraits): readonly ConformanceCase[] =>
  traits.contract.keyWindowMs > 0
    ? withKeys(traits)
    : traits.hasUnpublishedKeys
      ? withUnpublishedKeys
      : withoutKeys;
