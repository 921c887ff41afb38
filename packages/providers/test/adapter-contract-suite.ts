import type { Amount } from '@holdfast/operation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  judgeLookUp,
  type AttemptReport,
  type EncodedRequest,
  type MirroredRefund,
  type PaymentAnswer,
  type ProviderAdapter,
  type RefundRequest,
} from '@holdfast/providers';

/** Ways in which a provider, or the line to it, withholds the end of a request. In brackets: did it act? */
export const ambiguousTroubles = {
  'answer-lost': true,
  'no-answer': true,
  'server-error': true,
  'half-a-body': true,
  'dripping-body': true,
  'empty-answer': true,
  'gateway-html': true,
  'dropped-before': false,
} as const;
export type AmbiguousTrouble = keyof typeof ambiguousTroubles;
export type Trouble =
  AmbiguousTrouble | 'rate-limited' | 'stays-pending' | 'hidden-from-look-up' | 'wrong-amount';

/** A provider that a suite may do anything to: the double, or a sandbox of the real one. */
export type ProviderUnderTest = {
  readonly adapter: ProviderAdapter;
  /** The same account through a key that the provider refuses. */
  readonly adapterWithBadKey: ProviderAdapter;
  /** Takes a payment; its reference. */
  readonly pay: (amount: Amount) => Promise<string>;
  /** The next refund of that payment meets this. */
  readonly trouble: (paymentReference: string, trouble: Trouble) => Promise<void>;
  readonly refundByHand: (paymentReference: string, amount: Amount) => Promise<string>;
  readonly failRefund: (reference: string) => Promise<void>;
  readonly dispute: (paymentReference: string) => Promise<string>;
  /** References of the refunds that the provider's own books hold for a payment, whatever its listings show. */
  readonly books: (paymentReference: string) => Promise<readonly string[]>;
  /** How many submissions under that key have reached the provider. */
  readonly submissions: (idempotencyKey: string) => Promise<number>;
  /** The webhooks delivered so far about a payment, as they came in. */
  readonly webhooks: (
    paymentReference: string,
  ) => readonly { readonly rawBody: Uint8Array; readonly signature: string }[];
  readonly webhookSecret: string;
  readonly stop: () => Promise<void>;
};

const organisationId = '0194e1a0-0000-7000-8000-00000000000a';
/** For troubles that end only with the deadline. Long enough to connect and send on a busy machine. */
const impatientMs = 1_500;
const endsOnlyAtDeadline: readonly AmbiguousTrouble[] = ['no-answer', 'dripping-body'];
const patienceFor = (trouble: AmbiguousTrouble): number =>
  endsOnlyAtDeadline.includes(trouble) ? impatientMs : patientMs;

const patientMs = 10_000;

/** What every adapter must keep, whoever the provider is. Parameterised by a provider to be tested against. */
export const describeAdapterContract = (name: string, start: () => Promise<ProviderUnderTest>): void => {
  describe(`${name} keeps the adapter's contract`, () => {
    let provider: ProviderUnderTest;
    let operations = 0;
    beforeAll(async () => {
      provider = await start();
    });
    afterAll(async () => {
      await provider.stop();
    });

    const eur = (minor: number): Amount => ({ minor, currency: 'EUR' });

    const refundOf = (paymentReference: string, amount: Amount): RefundRequest => {
      operations += 1;
      const operationId = `0194e1a0-0000-7000-8000-${String(operations).padStart(12, '0')}`;
      const idempotencyKey = `${organisationId}:${operationId}`;
      return { organisationId, operationId, idempotencyKey, paymentReference, amount, reason: 'returned' };
    };

    const encode = (request: RefundRequest): EncodedRequest => {
      const result = provider.adapter.encodeRefund(request);
      if (!result.ok) throw new Error(result.because);
      return result.request;
    };

    // Red when: an amount that is not there leaves the amount out, which with most providers means all that is left.
    test.each([
      undefined,
      {},
      { minor: 1_000 },
      { currency: 'EUR' },
      eur(0),
      eur(-1),
      eur(0.5),
      eur(Number.NaN),
    ])('F076: of the amount %o it makes no bytes, and breaks nothing', (amount) => {
      const request = { ...refundOf('pi_A', eur(1_000)), amount: amount as Amount };
      expect(provider.adapter.encodeRefund(request).ok).toBe(false);
    });

    const submit = (request: RefundRequest, timeoutMs = patientMs): Promise<AttemptReport> =>
      provider.adapter.submit(encode(request), request, Date.now() + timeoutMs);

    const ask = (paymentReference: string): Promise<PaymentAnswer> =>
      provider.adapter.askAboutPayment(paymentReference, Date.now() + patientMs);

    const lookUp = async (
      request: RefundRequest,
      capturedMinor = 10_000,
    ): Promise<ReturnType<typeof judgeLookUp>> =>
      judgeLookUp(await ask(request.paymentReference), { ...request, capturedMinor });

    const ownRefunds = (answer: PaymentAnswer, request: RefundRequest): readonly MirroredRefund[] =>
      answer.kind === 'answer'
        ? answer.refunds.filter(({ operationId }) => operationId === request.operationId)
        : [];

    test.each([
      eur(4_999),
      { minor: 500, currency: 'JPY' },
      { minor: 12_340, currency: 'KWD' },
      { minor: 700, currency: 'ISK' },
      { minor: 50_000, currency: 'MGA' },
      { minor: 3_000_000_000, currency: 'USD' },
    ])(
      'one refund of $minor $currency: accepted, in the books once, found again by our own IDs',
      async (amount) => {
        const request = refundOf(await provider.pay({ ...amount, minor: amount.minor * 2 }), amount);
        const { finding, replayed } = await submit(request);
        if (finding.kind !== 'accepted') throw new Error(JSON.stringify(finding));
        expect(replayed).toBe(false);
        expect(finding.record).toMatchObject({
          status: 'succeeded',
          amount,
          paymentReference: request.paymentReference,
        });
        expect(finding.record).toMatchObject({ organisationId, operationId: request.operationId });
        expect(await provider.books(request.paymentReference)).toEqual([finding.record.reference]);
        const answer = await ask(request.paymentReference);
        expect(answer).toMatchObject({
          kind: 'answer',
          captured: { minor: amount.minor * 2, currency: amount.currency },
        });
        expect(ownRefunds(answer, request)).toMatchObject([{ reference: finding.record.reference, amount }]);
        const one = await provider.adapter.askAboutRefund(finding.record.reference, Date.now() + patientMs);
        expect(one).toMatchObject({
          kind: 'answer',
          record: { reference: finding.record.reference, amount },
        });
      },
    );

    test('the same bytes again: the recorded answer, said to be one, and still one refund', async () => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const first = await submit(request);
      const second = await submit(request);
      expect(second).toMatchObject({ finding: first.finding, replayed: true });
      expect(await provider.books(request.paymentReference)).toHaveLength(1);
    });

    test('our key with other parameters: unknown, so that a person looks, and nothing is done', async () => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await submit(request);
      const changed = { ...request, amount: eur(2_600) };
      expect((await submit(changed)).finding.kind).toBe('unknown');
      expect(await provider.books(request.paymentReference)).toHaveLength(1);
    });

    // F004: no byte until the deadline. F006: 500 after it was done. F010: closed without a status line.
    test.each(Object.entries(ambiguousTroubles) as [AmbiguousTrouble, boolean][])(
      'F004 F006 F010 · %s: unknown, one submission, and the look-up tells (acted: %s)',
      async (trouble, acted) => {
        // Red when: the classifier calls any of these rejected or not sent; the library may send again.
        const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
        await provider.trouble(request.paymentReference, trouble);
        const before = Date.now();
        const report = await submit(request, patienceFor(trouble));
        expect(report.finding.kind).toBe('unknown');
        expect(Date.now() - before).toBeLessThan(patientMs);
        expect(await provider.submissions(request.idempotencyKey)).toBe(1);
        const books = await provider.books(request.paymentReference);
        expect(books).toHaveLength(acted ? 1 : 0);
        expect(await lookUp(request)).toMatchObject(
          acted
            ? { kind: 'found', record: { reference: books[0], amount: eur(2_500) } }
            : { kind: 'absent-yet' },
        );
      },
    );

    test.each(Object.keys(ambiguousTroubles) as AmbiguousTrouble[])(
      'F001 · %s, then the same bytes again: never a second refund',
      async (trouble) => {
        // Red when: submit sends without the stored key, or with a key of its own.
        const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
        await provider.trouble(request.paymentReference, trouble);
        await submit(request, patienceFor(trouble));
        const { finding, replayed } = await submit(request);
        // A saved server error is repeated for ever; everything else ends in the one refund.
        if (trouble === 'server-error')
          expect({ kind: finding.kind, replayed }).toEqual({ kind: 'unknown', replayed: true });
        else
          expect(finding).toMatchObject({ kind: 'accepted', record: { operationId: request.operationId } });
        expect(await provider.books(request.paymentReference)).toHaveLength(1);
      },
    );

    test('the same bytes twice at once: at most one refund, and neither is called failed', async () => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const reports = await Promise.all([submit(request), submit(request)]);
      const kinds = reports.map(({ finding }) => finding.kind);
      expect(kinds).toContain('accepted');
      for (const kind of kinds) expect(['accepted', 'in-flight-elsewhere']).toContain(kind);
      expect(await provider.books(request.paymentReference)).toHaveLength(1);
    });

    test('an empty look-up proves nothing yet: the refund may only not be listed', async () => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await provider.trouble(request.paymentReference, 'hidden-from-look-up');
      expect((await submit(request)).finding.kind).toBe('accepted');
      expect(await lookUp(request)).toEqual({ kind: 'absent-yet' });
    });

    test('rate limited: nothing done, later, and when', async () => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await provider.trouble(request.paymentReference, 'rate-limited');
      expect((await submit(request)).finding).toMatchObject({
        kind: 'deferred',
        because: 'rate-limited',
        retryAfterMs: 2_000,
      });
      expect(await provider.books(request.paymentReference)).toHaveLength(0);
      expect((await submit(request)).finding.kind).toBe('accepted');
    });

    test('our key refused: nothing done, and every question says so', async () => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const { adapterWithBadKey: refused } = provider;
      const deadlineMs = Date.now() + patientMs;
      const { finding } = await refused.submit(encode(request), request, deadlineMs);
      expect(finding).toMatchObject({ kind: 'deferred', because: 'key-refused' });
      const answers = [
        await refused.askAboutPayment(request.paymentReference, deadlineMs),
        await refused.askAboutRefund('re_none', deadlineMs),
        await refused.listSince(Date.now() - patientMs, deadlineMs),
        await refused.askAccount(deadlineMs),
      ];
      for (const answer of answers) expect(answer).toMatchObject({ kind: 'no-answer', ourKeyRefused: true });
      expect(await provider.books(request.paymentReference)).toHaveLength(0);
    });

    test('more than is left: refused as that, which may be our own doing', async () => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(10_001));
      expect((await submit(request)).finding).toMatchObject({
        kind: 'rejected',
        decline: 'exceeds-unrefunded',
      });
    });

    test('all refunded by hand: refused as that, and the look-up names who took it all', async () => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const reference = await provider.refundByHand(request.paymentReference, eur(10_000));
      expect((await submit(request)).finding).toMatchObject({
        kind: 'rejected',
        decline: 'already-refunded',
      });
      expect(await lookUp(request)).toMatchObject({
        kind: 'exhausted-elsewhere',
        refunds: [{ reference, amount: eur(10_000) }],
      });
    });

    test('a refund by hand of the same amount is never taken for ours', async () => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await provider.refundByHand(request.paymentReference, eur(2_500));
      expect(await lookUp(request)).toEqual({ kind: 'absent-yet' });
    });

    test('disputed: refused as that, and the question shows it', async () => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const reference = await provider.dispute(request.paymentReference);
      expect((await submit(request)).finding).toMatchObject({ kind: 'rejected', decline: 'disputed' });
      const answer = await ask(request.paymentReference);
      expect(answer).toMatchObject({
        kind: 'answer',
        disputes: [{ reference, open: true, amount: eur(10_000) }],
      });
    });

    test('pending, then failed: each shown as it is', async () => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await provider.trouble(request.paymentReference, 'stays-pending');
      const { finding } = await submit(request);
      if (finding.kind !== 'accepted') throw new Error(JSON.stringify(finding));
      expect(finding.record.status).toBe('pending');
      await provider.failRefund(finding.record.reference);
      const one = await provider.adapter.askAboutRefund(finding.record.reference, Date.now() + patientMs);
      expect(one).toMatchObject({
        kind: 'answer',
        record: { status: 'failed', failureReason: expect.any(String) as string },
      });
      expect(await lookUp(request)).toMatchObject({ kind: 'found', record: { status: 'failed' } });
    });

    test('done with another amount: the provider’s amount is what is reported', async () => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      await provider.trouble(request.paymentReference, 'wrong-amount');
      expect((await submit(request)).finding).toMatchObject({
        kind: 'accepted',
        record: { amount: eur(100) },
      });
    });

    test('F066: a payment with more refunds than a page holds: all are read, ours among them', async () => {
      const request = refundOf(await provider.pay(eur(1_000_000)), eur(2_500));
      await submit(request);
      for (let count = 0; count < 120; count += 1)
        await provider.refundByHand(request.paymentReference, eur(1 + count));
      const answer = await ask(request.paymentReference);
      expect(answer.kind === 'answer' && new Set(answer.refunds.map(({ reference }) => reference)).size).toBe(
        121,
      );
      expect(ownRefunds(answer, request)).toHaveLength(1);
    });

    test('what the provider has never heard of', async () => {
      const request = refundOf('pi_never_heard_of', eur(100));
      expect((await submit(request)).finding.kind).toBe('rejected');
      expect(await ask(request.paymentReference)).toMatchObject({ kind: 'no-answer', paymentNotFound: true });
      expect(await provider.adapter.askAboutRefund('re_none', Date.now() + patientMs)).toEqual({
        kind: 'not-found',
      });
    });

    test('the listing since a time shows refunds by hand, late failures and disputes', async () => {
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
      expect(listed.disputes).toContainEqual(
        expect.objectContaining({ reference: dispute, paymentReference: other, open: true }),
      );
    });

    test('the account says who it is and that it is not live', async () => {
      const account = await provider.adapter.askAccount(Date.now() + patientMs);
      expect(account).toMatchObject({
        kind: 'answer',
        accountId: expect.stringMatching(/.+/) as string,
        liveMode: false,
      });
    });

    test('a webhook about our refund carries our key, our IDs and the refund', async () => {
      const request = refundOf(await provider.pay(eur(10_000)), eur(2_500));
      const { finding } = await submit(request);
      if (finding.kind !== 'accepted') throw new Error(JSON.stringify(finding));
      const events = await expect
        .poll(() => verified(request).filter(({ record }) => record !== null), { timeout: patientMs })
        .not.toEqual([])
        .then(() => verified(request).filter(({ record }) => record !== null));
      expect(events).toContainEqual(
        expect.objectContaining({
          idempotencyKey: request.idempotencyKey,
          metadataOrganisationId: organisationId,
          metadataOperationId: request.operationId,
          paymentReference: request.paymentReference,
          liveMode: false,
          record: finding.record,
        }),
      );
    });

    const verified = ({ paymentReference }: RefundRequest) =>
      provider.webhooks(paymentReference).map(({ rawBody, signature }) => {
        const secrets = ['whsec_another', provider.webhookSecret];
        const verdict = provider.adapter.verifyWebhook(rawBody, signature, secrets, Date.now());
        if (!verdict.ok) throw new Error(verdict.because);
        expect(verdict.secretIndex).toBe(1);
        return verdict.event;
      });
  });
};
