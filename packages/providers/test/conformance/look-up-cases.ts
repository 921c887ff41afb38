import { expect } from 'vitest';
import {
  eur,
  patientMs,
  type ConformanceCase,
  type ConformanceRig,
  type ProviderTraits,
} from './provider-under-test.ts';

const unlisted: readonly ConformanceCase[] = [
  {
    // Red when: a provider without a list answers with an empty one, which reads as "nothing was refunded".
    name: 'a payment cannot be asked about: that is said, and nothing leaves for it',
    run: async ({ provider, traits, refundOf, submit, ask }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await submit(request);
      expect(await ask(request.paymentReference)).toMatchObject({ kind: 'no-answer', notOffered: true });
      expect(await ask(traits.unknownPayment)).toMatchObject({ kind: 'no-answer', notOffered: true });
    },
  },
];

const listed = (traits: ProviderTraits): readonly ConformanceCase[] => [
  {
    name: 'the question about a payment shows what was captured, and each refund',
    run: async ({ provider, refundOf, submit, ask, ownRefunds }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const { finding } = await submit(request);
      if (finding.kind !== 'accepted') throw new Error(JSON.stringify(finding));
      const answer = await ask(request.paymentReference);
      const { reference } = finding.record;
      expect(answer).toMatchObject({
        ...{ kind: 'answer', captured: eur(10_000), refunds: [{ reference, amount: eur(2_500) }] },
      });
      expect(ownRefunds(answer, request)).toHaveLength(traits.contract.echoesReference ? 1 : 0);
    },
  },
  {
    name: 'an empty look-up proves nothing yet: the refund may only not be listed',
    run: async ({ provider, refundOf, submit, lookUp }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await provider.trouble(request.paymentReference, 'hidden-from-look-up');
      expect((await submit(request)).finding.kind).toBe('accepted');
      expect(await lookUp(request)).toEqual({ kind: 'absent-yet' });
    },
  },
  {
    // Red when: a record is taken for ours by its amount.
    name: 'F067 · a refund by hand of the same amount is never taken for ours',
    run: async ({ provider, refundOf, lookUp }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const reference = await provider.refundByHand(request.paymentReference, eur(2_500));
      expect(await lookUp(request)).toMatchObject(
        traits.contract.echoesReference
          ? { kind: 'absent-yet' }
          : { kind: 'unattributed', refunds: [{ reference }], operations: [request.operationId] },
      );
    },
  },
  {
    name: 'all refunded by hand: the look-up names who took it all',
    run: async ({ provider, refundOf, lookUp }) => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const reference = await provider.refundByHand(request.paymentReference, eur(10_000));
      expect(await lookUp(request)).toMatchObject({
        ...{ kind: 'exhausted-elsewhere', refunds: [{ reference, amount: eur(10_000) }] },
      });
    },
  },
  {
    name: 'a payment that the provider has never heard of is no empty list',
    run: async ({ ask }) => {
      expect(await ask(traits.unknownPayment)).toMatchObject({ kind: 'no-answer', paymentNotFound: true });
    },
  },
  ...(traits.pageSize === null ? [] : [pages(traits.pageSize)]),
];

const pages = (pageSize: number): ConformanceCase => ({
  name: 'F066: a payment with more refunds than a page holds: all are read, ours among them',
  run: async ({ provider, refundOf, submit, ask, ownRefunds }) => {
    const request = refundOf(await provider.pay(eur(1_000_000)), eur(2_500));
    await submit(request);
    const more = pageSize + 20;
    for (let count = 0; count < more; count += 1)
      await provider.refundByHand(request.paymentReference, eur(1 + count));
    const answer = await ask(request.paymentReference);
    expect(answer.kind === 'answer' && new Set(answer.refunds.map(({ reference }) => reference)).size).toBe(
      more + 1,
    );
    expect(ownRefunds(answer, request)).toHaveLength(1);
    const since = await provider.adapter.refundPage(0, null, Date.now() + patientMs);
    expect(since).toMatchObject({ kind: 'answer', next: expect.any(String) as string });
  },
});

const oneRefund = (traits: ProviderTraits): readonly ConformanceCase[] => [
  {
    name: 'one refund by its reference: pending, then failed, each shown as it is; and one that is none',
    run: async ({ provider, refundOf, submit }) => {
      const { adapter } = provider;
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await provider.trouble(request.paymentReference, 'stays-pending');
      const { finding } = await submit(request);
      if (finding.kind !== 'accepted') throw new Error(JSON.stringify(finding));
      expect(finding.record.status).toBe('pending');
      const { reference } = finding.record;
      await provider.failRefund(reference);
      const one = await adapter.askAboutRefund(reference, Date.now() + patientMs);
      expect(one).toMatchObject({
        kind: 'answer',
        record: { reference, status: 'failed', failureReason: expect.any(String) as string },
      });
      const none = await adapter.askAboutRefund('re_none', Date.now() + patientMs);
      expect(none).toEqual({ kind: 'not-found' });
      if (traits.contract.echoesReference)
        expect(one).toMatchObject({ record: { operationId: request.operationId } });
    },
  },
];

const refundUnasked: ConformanceCase = {
  name: 'a refund cannot be asked about by its reference: that is said, and is no "not found"',
  run: async ({ provider }) => {
    expect(await provider.adapter.askAboutRefund('none', Date.now() + patientMs)).toMatchObject({
      ...{ kind: 'no-answer', notOffered: true },
    });
  },
};

const sinceATime: ConformanceCase = {
  name: 'the listing since a time shows refunds by hand, late failures and disputes',
  run: async ({ provider, traits }) => {
    const since = Date.now();
    const [one, other] = [await provider.pay(eur(10_000)), await provider.pay(eur(10_000))];
    const byHand = await provider.refundByHand(one, eur(100));
    const dispute = await provider.dispute(other);
    await provider.failRefund(byHand);
    const listed = await provider.adapter.listSince(since, Date.now() + patientMs);
    if (listed.kind !== 'answer') throw new Error(listed.because);
    expect(listed.refunds).toContainEqual(
      expect.objectContaining({ reference: byHand, status: 'failed', operationId: null }),
    );
    if (traits.disputes === 'none') return;
    expect(listed.disputes).toContainEqual(
      expect.objectContaining({ reference: dispute, paymentReference: other, open: true }),
    );
  },
};

const notSince: ConformanceCase = {
  name: 'nothing can be listed since a time: that is said, and is no empty list',
  run: async ({ provider: { adapter } }) => {
    const deadlineMs = Date.now() + patientMs;
    for (const answer of [
      await adapter.listSince(0, deadlineMs),
      await adapter.refundPage(0, null, deadlineMs),
    ])
      expect(answer).toMatchObject({ kind: 'no-answer', notOffered: true });
  },
};

const disputed: ConformanceCase = {
  name: 'disputed: refused as that or left to people, and the question shows it',
  run: async ({ provider, refundOf, submit, ask }: ConformanceRig) => {
    const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
    const reference = await provider.dispute(request.paymentReference);
    expect((await submit(request)).finding.kind).toMatch(/^(rejected|unknown)$/);
    expect(await ask(request.paymentReference)).toMatchObject({
      ...{ kind: 'answer', disputes: [{ reference, open: true, amount: eur(10_000) }] },
    });
  },
};

const account = (says: boolean): ConformanceCase => ({
  name: says
    ? 'the account says who it is and that it is not live'
    : 'who the account is cannot be asked: that is said',
  run: async ({ provider }) => {
    const answer = await provider.adapter.askAccount(Date.now() + patientMs);
    expect(answer).toMatchObject(
      says
        ? { kind: 'answer', accountId: expect.stringMatching(/.+/) as string, liveMode: false }
        : { kind: 'no-answer', reason: 'not-said-here', notOffered: true },
    );
  },
});

export const lookUpCases = (traits: ProviderTraits): readonly ConformanceCase[] => [
  ...(traits.contract.lookUp === 'by-payment' ? listed(traits) : unlisted),
  ...(traits.asksAboutOneRefund ? oneRefund(traits) : [refundUnasked]),
  traits.listsSince ? sinceATime : notSince,
  ...(traits.disputes === 'shown' ? [disputed] : []),
  account(traits.saysAccount),
];
