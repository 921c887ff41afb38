import type { AttemptFinding, ProviderRecord } from '@holdfast/operation';
import type {
  AttemptReport,
  EncodedRequest,
  MirroredDispute,
  MirroredRefund,
  PaymentAnswer,
  ProviderAdapter,
  ProviderContract,
  RefundRequest,
} from '@holdfast/providers';

/** How the provider meets one request. Unscripted requests are executed and answered. */
export type Behaviour =
  | { readonly do: 'answer' }
  | { readonly do: 'execute-then-lose' }
  | { readonly do: 'lose' }
  | { readonly do: 'execute-then-500' }
  | { readonly do: 'find'; readonly finding: AttemptFinding; readonly status?: number }
  | { readonly do: 'pending' }
  /** Executes, and answers only once `until` resolves. */
  | { readonly do: 'execute-then-wait'; readonly until: Promise<void> };

export type ScriptedProvider = {
  readonly adapter: ProviderAdapter;
  readonly ledger: MirroredRefund[];
  readonly disputes: MirroredDispute[];
  /** Every request that left us, in order. */
  readonly requests: EncodedRequest[];
  /** Behaviours for the next requests; then `answer`. */
  readonly script: Behaviour[];
  /** While true every question has no answer. */
  silent: boolean;
  /** While above zero, look-ups and listings do not show refunds; each question about a payment takes one off. */
  hidden: number;
  questions: number;
};

export const scriptedContract: ProviderContract = {
  displayName: 'Stripe',
  keyWindowMs: 24 * 3_600_000,
  keyWindowMarginMs: 3_600_000,
  maximumKeyLength: 255,
  canListByPayment: true,
  quietPeriodMs: 200,
  emptyReadsForAbsence: 2,
  emptyReadsApartMs: 50,
  finalAbsenceProves: 'a-person-decides',
  lateFailureWindowMs: 30 * 24 * 3_600_000,
  pendingUsuallyEndsWithinMs: 5 * 24 * 3_600_000,
  mirrorFreshForMs: 15_000,
  eventsKeptForMs: 30 * 24 * 3_600_000,
};

const report = (finding: AttemptFinding, status: number | null, replayed = false): AttemptReport => ({
  finding,
  status,
  requestId: null,
  replayed,
  providerDateMs: null,
});

/** A provider in this process: a ledger, idempotency keys with saved answers, and faults by script. */
export const createScriptedProvider = (contract: Partial<ProviderContract> = {}): ScriptedProvider => {
  const ledger: MirroredRefund[] = [];
  const saved = new Map<string, AttemptReport>();
  let counter = 0;
  let encoded = 0;

  const execute = (expected: RefundRequest, status: ProviderRecord['status']): MirroredRefund => {
    counter += 1;
    const refund: MirroredRefund = {
      reference: `re_${String(counter)}`,
      status,
      statusText: status,
      amount: expected.amount,
      paymentReference: expected.paymentReference,
      failureReason: null,
      createdAtMs: Date.now(),
      organisationId: expected.organisationId,
      operationId: expected.operationId,
    };
    ledger.push(refund);
    return refund;
  };

  const submit: ProviderAdapter['submit'] = async (request, expected) => {
    provider.requests.push(request);
    const behaviour = provider.script.shift() ?? { do: 'answer' };
    if (behaviour.do === 'find') return report(behaviour.finding, behaviour.status ?? null);
    if (behaviour.do === 'lose') return report({ kind: 'unknown', because: 'connection reset' }, null);
    const known = saved.get(request.idempotencyKey);
    const answer =
      known ??
      report(
        { kind: 'accepted', record: execute(expected, behaviour.do === 'pending' ? 'pending' : 'succeeded') },
        200,
      );
    if (known === undefined) {
      saved.set(
        request.idempotencyKey,
        behaviour.do === 'execute-then-500'
          ? report({ kind: 'unknown', because: 'server error' }, 500)
          : answer,
      );
    }
    switch (behaviour.do) {
      case 'execute-then-lose':
        return report({ kind: 'unknown', because: 'connection reset' }, null);
      case 'execute-then-500':
        return report({ kind: 'unknown', because: 'server error' }, 500, known !== undefined);
      case 'execute-then-wait':
        await behaviour.until;
        return { ...answer, replayed: known !== undefined };
      case 'answer':
      case 'pending':
        return { ...answer, replayed: known !== undefined };
    }
  };

  const askAboutPayment = (paymentReference: string): Promise<PaymentAnswer> => {
    provider.questions += 1;
    if (provider.silent)
      return Promise.resolve({ kind: 'no-answer', because: 'timeout', ourKeyRefused: false });
    const hide = provider.hidden > 0;
    if (hide) provider.hidden -= 1;
    return Promise.resolve({
      kind: 'answer',
      captured: null,
      refunds: hide ? [] : ledger.filter((refund) => refund.paymentReference === paymentReference),
      disputes: provider.disputes.filter((dispute) => dispute.paymentReference === paymentReference),
      providerDateMs: Date.now(),
    });
  };

  const provider: ScriptedProvider = {
    ledger,
    disputes: [],
    requests: [],
    script: [],
    silent: false,
    hidden: 0,
    questions: 0,
    adapter: {
      contract: { ...scriptedContract, ...contract },
      // Each encoding differs, as one by another version of us might: only stored bytes are the same twice.
      encodeRefund: (request) => {
        encoded += 1;
        return {
          ok: true,
          request: {
            method: 'POST',
            path: '/v1/refunds',
            contentType: 'application/x-www-form-urlencoded',
            body: `payment_intent=${request.paymentReference}&amount=${String(request.amount.minor)}&made=${String(encoded)}`,
            idempotencyKey: request.idempotencyKey,
            apiVersion: 'scripted-1',
          },
        };
      },
      submit,
      askAboutPayment,
      askAboutRefund: (reference) => {
        if (provider.silent)
          return Promise.resolve({ kind: 'no-answer', because: 'timeout', ourKeyRefused: false });
        const record = ledger.find((refund) => refund.reference === reference);
        return Promise.resolve(record === undefined ? { kind: 'not-found' } : { kind: 'answer', record });
      },
      listSince: () =>
        Promise.resolve(
          provider.silent
            ? { kind: 'no-answer', because: 'timeout', ourKeyRefused: false }
            : {
                kind: 'answer',
                refunds: provider.hidden > 0 ? [] : [...ledger],
                disputes: [...provider.disputes],
                providerDateMs: Date.now(),
              },
        ),
      // Two to a page, so that paging shows.
      refundPage: (sinceMs, after) => {
        if (provider.silent)
          return Promise.resolve({ kind: 'no-answer', because: 'timeout', ourKeyRefused: false });
        const newestFirst = [...ledger].reverse().filter(({ createdAtMs }) => createdAtMs >= sinceMs);
        const from = after === null ? 0 : newestFirst.findIndex(({ reference }) => reference === after) + 1;
        const refunds = newestFirst.slice(from, from + 2);
        return Promise.resolve({
          kind: 'answer',
          refunds,
          next: newestFirst.length > from + 2 ? (refunds.at(-1)?.reference ?? null) : null,
          providerDateMs: Date.now(),
        });
      },
      askAccount: () => Promise.resolve({ kind: 'answer', accountId: 'acct_scripted', liveMode: false }),
      // Deliveries are JSON of a verified event; the signature header must be one of the secrets.
      verifyWebhook: (rawBody, signatureHeader, secrets) => {
        const secretIndex = secrets.indexOf(signatureHeader ?? '');
        if (secretIndex < 0) return { ok: false, because: 'bad-signature' };
        return { ok: true, event: JSON.parse(new TextDecoder().decode(rawBody)), secretIndex, skewMs: 0 };
      },
    },
  };
  return provider;
};
