import type { Amount } from '@holdfast/operation';
import {
  judgeLookUp,
  type AttemptReport,
  type EncodedRequest,
  type MirroredRefund,
  type PaymentAnswer,
  type ProviderAdapter,
  type ProviderContract,
  type RefundRequest,
  type VerifiedEvent,
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

/** What a provider does that no contract of ours needs to say, and that a suite has to know to expect the right thing. */
export type ProviderTraits = {
  readonly contract: ProviderContract;
  /** It says of a repeated answer that it is one. */
  readonly marksReplays: boolean;
  /** A server error is kept under its key and repeated for ever. */
  readonly savesServerErrors: boolean;
  /** How a refund stands in the first answer. */
  readonly acceptsAs: 'succeeded' | 'pending';
  /** Too much is refused in the answer, or taken first and refused by webhook. */
  readonly refusesTooMuch: 'at-once' | 'by-webhook';
  /** The decline of a payment that is refunded whole. */
  readonly wholeRefundDecline: 'already-refunded' | 'exceeds-unrefunded';
  /** A dispute is shown by the question, or at least refused; `none`: it says nothing that proves anything. */
  readonly disputes: 'shown' | 'none';
  readonly asksAboutOneRefund: boolean;
  readonly listsSince: boolean;
  readonly saysAccount: boolean;
  /** How a verified webhook is joined to the operation; `none`: no delivery is ever believed. */
  readonly webhooks: 'key-and-metadata' | 'metadata' | 'none';
  /** Refunds on a page of its lists; `null` where there are no pages. */
  readonly pageSize: number | null;
  /** It knows keys, but nobody says for how long: the contract counts them as none. */
  readonly hasUnpublishedKeys: boolean;
  /** A payment in the provider's way of writing that it does not know. */
  readonly unknownPayment: string;
};

/** A provider that a suite may do anything to: the double, or a sandbox of the real one. */
export type ProviderUnderTest = {
  readonly adapter: ProviderAdapter;
  /** The same account through a key that the provider refuses. */
  readonly adapterWithBadKey: ProviderAdapter;
  /** The same adapter, speaking to something else at that base. */
  readonly adapterAt: (base: string) => ProviderAdapter;
  /** Takes a payment; its reference. */
  readonly pay: (amount: Amount) => Promise<string>;
  /** The next refund of that payment meets this. */
  readonly trouble: (paymentReference: string, trouble: Trouble) => Promise<void>;
  readonly refundByHand: (paymentReference: string, amount: Amount) => Promise<string>;
  readonly failRefund: (reference: string) => Promise<void>;
  readonly dispute: (paymentReference: string) => Promise<string>;
  /** References of the refunds that the provider's own books hold for a payment, whatever its listings show. */
  readonly books: (paymentReference: string) => Promise<readonly string[]>;
  /** How many submissions of that request have reached the provider. */
  readonly submissions: (request: RefundRequest) => Promise<number>;
  /** Moves the provider's clock this far ahead of the machine's. */
  readonly clockAhead: (ms: number) => Promise<void>;
  /** The webhooks delivered so far about a payment, as they came in. */
  readonly webhooks: (
    paymentReference: string,
  ) => readonly { readonly rawBody: Uint8Array; readonly signature: string | undefined }[];
  readonly webhookSecret: string;
  readonly stop: () => Promise<void>;
};

export const organisationId = '0194e1a0-0000-7000-8000-00000000000a';

/** For troubles that end only with the deadline. Long enough to connect and send on a busy machine. */
const impatientMs = 1_500;
export const patientMs = 10_000;
const endsOnlyAtDeadline: readonly AmbiguousTrouble[] = ['no-answer', 'dripping-body'];
export const patienceFor = (trouble: AmbiguousTrouble): number =>
  endsOnlyAtDeadline.includes(trouble) ? impatientMs : patientMs;

export const eur = (minor: number): Amount => ({ minor, currency: 'EUR' });

/** What every case is made of, over one provider. */
export type ConformanceRig = {
  readonly provider: ProviderUnderTest;
  readonly traits: ProviderTraits;
  readonly refundOf: (paymentReference: string, amount: Amount) => RefundRequest;
  readonly encode: (request: RefundRequest) => EncodedRequest;
  readonly submit: (request: RefundRequest, timeoutMs?: number) => Promise<AttemptReport>;
  readonly ask: (paymentReference: string) => Promise<PaymentAnswer>;
  readonly lookUp: (request: RefundRequest) => Promise<ReturnType<typeof judgeLookUp>>;
  readonly ownRefunds: (answer: PaymentAnswer, request: RefundRequest) => readonly MirroredRefund[];
  /** The deliveries about a payment whose signature is good. */
  readonly verified: (request: RefundRequest) => readonly VerifiedEvent[];
};

let operations = 0;

export const conformanceRig = (provider: ProviderUnderTest, traits: ProviderTraits): ConformanceRig => {
  const { adapter } = provider;
  const refundOf: ConformanceRig['refundOf'] = (paymentReference, amount) => {
    operations += 1;
    const operationId = `0194e1a0-0000-7000-8000-${String(operations).padStart(12, '0')}`;
    // As long as the product's own, which is what every provider must take.
    const idempotencyKey = `${operationId}-0a0a0a0a`;
    return { organisationId, operationId, idempotencyKey, paymentReference, amount, reason: 'returned' };
  };
  const encode: ConformanceRig['encode'] = (request) => {
    const result = adapter.encodeRefund(request);
    if (!result.ok) throw new Error(result.because);
    return result.request;
  };
  const ask: ConformanceRig['ask'] = (paymentReference) =>
    adapter.askAboutPayment(paymentReference, Date.now() + patientMs);
  return {
    ...{ provider, traits, refundOf, encode, ask },
    submit: (request, timeoutMs = patientMs) =>
      adapter.submit(encode(request), request, Date.now() + timeoutMs),
    lookUp: async (request) =>
      judgeLookUp(await ask(request.paymentReference), {
        ...request,
        capturedMinor: 10_000,
        // As the engine asks: records that name nobody are never anybody's.
        unnamed: traits.contract.echoesReference
          ? undefined
          : {
              ...{ amount: request.amount, sentFromMs: Date.now() - patientMs, heldReferences: [] },
              operations: [request.operationId],
            },
      }),
    ownRefunds: (answer, request) =>
      answer.kind === 'answer'
        ? answer.refunds.filter(({ operationId }) => operationId === request.operationId)
        : [],
    verified: ({ paymentReference }) =>
      provider.webhooks(paymentReference).map(({ rawBody, signature }) => {
        // The first is a secret that is being rotated out.
        const secrets = [`a1${provider.webhookSecret}`, provider.webhookSecret];
        const verdict = adapter.verifyWebhook(rawBody, signature, secrets, Date.now());
        if (!verdict.ok) throw new Error(verdict.because);
        if (verdict.secretIndex !== 1) throw new Error('verified by a secret that it was not signed with');
        return verdict.event;
      }),
  };
};

/** One promise that every adapter keeps. It throws where it is broken. */
export type ConformanceCase = {
  readonly name: string;
  readonly run: (rig: ConformanceRig) => Promise<void>;
};
