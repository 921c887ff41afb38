import type { AttemptFinding, ProviderRecord } from '@holdfast/operation';
import { isoMoney } from '@holdfast/providers';
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
  | { readonly do: 'execute-then-wait'; readonly until: Promise<void> }
  /** We hear nothing; the provider goes on and executes once `until` resolves. Until then the key is in use. */
  | { readonly do: 'outlive'; readonly until: Promise<void> };

/** How a provider behaves, whatever its contract says of it. */
export type ScriptedWays = {
  /** How long an answer is kept under its key, by the provider's clock. 0: keys are not looked at. */
  readonly keepsKeysForMs: number;
  /** Its records carry the IDs that we sent along. */
  readonly echoesReference: boolean;
  /** It refuses an equal amount on one payment for so long after the last; 0: it does not. */
  readonly refusesEqualForMs: number;
  /** It refuses a second request for one refund, and undoes the first. */
  readonly secondUndoesFirst: boolean;
};

export type ScriptedProviderKind = {
  readonly contract?: Partial<ProviderContract>;
  readonly ways?: Partial<ScriptedWays>;
};

const dayMs = 24 * 3_600_000;

/** Keys for a day, answers saved and replayed, 409 while the first call runs, another body under a key refused. */
export const pspK: ScriptedProviderKind = {};
/** No keys; refunds can be listed. Its records name the operation, or nobody. */
export const pspN = (echoesReference: boolean): ScriptedProviderKind => ({
  contract: { keyWindowMs: 0, echoesReference },
  ways: { keepsKeysForMs: 0, echoesReference },
});
/** Like K, and refuses an equal amount on one payment within a day. */
export const pspM: ScriptedProviderKind = { ways: { refusesEqualForMs: dayMs } };
/** No keys: a second request is answered 409 and undoes the first. */
export const pspL: ScriptedProviderKind = {
  contract: { keyWindowMs: 0 },
  ways: { keepsKeysForMs: 0, secondUndoesFirst: true },
};

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
  /** How far the provider's clock is ahead of this process's. */
  aheadMs: number;
};

export const scriptedContract: ProviderContract = {
  displayName: 'Stripe',
  money: isoMoney,
  keyWindowMs: dayMs,
  keyWindowMarginMs: 3_600_000,
  maximumKeyLength: 255,
  maximumTextBytes: 500,
  lookUp: 'by-payment',
  echoesReference: true,
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

type Saved = { readonly answer: AttemptReport; readonly atMs: number; readonly body: string };

const unheard = report({ kind: 'unknown', because: 'connection reset' }, null);
const serverError = report({ kind: 'unknown', because: 'server error' }, 500);

/** A provider in this process: a ledger, idempotency keys with saved answers, and faults by script. */
export const createScriptedProvider = (
  contract: Partial<ProviderContract> = {},
  changedWays: Partial<ScriptedWays> = {},
): ScriptedProvider => {
  const ledger: MirroredRefund[] = [];
  const saved = new Map<string, Saved>();
  const running = new Set<string>();
  const ways: ScriptedWays = {
    ...{ keepsKeysForMs: dayMs, echoesReference: true, refusesEqualForMs: 0, secondUndoesFirst: false },
    ...changedWays,
  };
  /** Whose refunds these are, also where its records do not say so. */
  const madeFor = new Map<string, string>();
  let counter = 0;
  let encoded = 0;
  const nowMs = (): number => Date.now() + provider.aheadMs;

  const execute = (expected: RefundRequest, status: ProviderRecord['status']): MirroredRefund => {
    counter += 1;
    const refund: MirroredRefund = {
      reference: `re_${String(counter)}`,
      status,
      statusText: status,
      amount: expected.amount,
      paymentReference: expected.paymentReference,
      failureReason: null,
      createdAtMs: nowMs(),
      organisationId: ways.echoesReference ? expected.organisationId : null,
      operationId: ways.echoesReference ? expected.operationId : null,
    };
    madeFor.set(refund.reference, expected.operationId);
    ledger.push(refund);
    return refund;
  };

  /** What the provider's own rules make of a request before it is carried out. */
  const refusal = (expected: RefundRequest): AttemptReport | undefined => {
    const standing = ledger.filter(
      ({ paymentReference, status }) => paymentReference === expected.paymentReference && status !== 'failed',
    );
    const first = standing.find(({ reference }) => madeFor.get(reference) === expected.operationId);
    if (ways.secondUndoesFirst && first !== undefined) {
      ledger[ledger.indexOf(first)] = { ...first, status: 'failed', statusText: 'undone' };
      return report({ kind: 'rejected', decline: 'other', code: 'conflict' }, 409);
    }
    const equal = standing.find(
      ({ amount, createdAtMs }) =>
        amount.minor === expected.amount.minor && createdAtMs + ways.refusesEqualForMs > nowMs(),
    );
    return equal === undefined
      ? undefined
      : report(
          {
            ...{ kind: 'rejected', decline: 'repeated-too-soon', code: 'duplicate_operation' },
            notBeforeMs: equal.createdAtMs + ways.refusesEqualForMs,
          },
          400,
        );
  };

  const finish = (request: EncodedRequest, answer: AttemptReport): AttemptReport => {
    if (ways.keepsKeysForMs > 0) {
      saved.set(request.idempotencyKey, { answer, atMs: nowMs(), body: request.body });
    }
    return answer;
  };

  const savedUnder = ({ idempotencyKey }: EncodedRequest): Saved | undefined => {
    const known = saved.get(idempotencyKey);
    return known !== undefined && nowMs() - known.atMs < ways.keepsKeysForMs ? known : undefined;
  };

  const submit: ProviderAdapter['submit'] = async (request, expected) => {
    provider.requests.push(request);
    const behaviour = provider.script.shift() ?? { do: 'answer' };
    if (behaviour.do === 'find') return report(behaviour.finding, behaviour.status ?? null);
    if (behaviour.do === 'lose') return unheard;
    if (running.has(request.idempotencyKey)) return report({ kind: 'in-flight-elsewhere' }, 409);
    const known = savedUnder(request);
    if (known !== undefined && known.body !== request.body) {
      return report({ kind: 'unknown', because: 'our key was used with other parameters' }, 400);
    }
    if (known !== undefined) {
      if (behaviour.do === 'execute-then-lose') return unheard;
      if (behaviour.do === 'execute-then-wait') await behaviour.until;
      return { ...known.answer, replayed: true };
    }
    const refused = refusal(expected);
    if (refused !== undefined) return refused;
    if (behaviour.do === 'outlive') {
      running.add(request.idempotencyKey);
      void behaviour.until.then(() => {
        running.delete(request.idempotencyKey);
        finish(request, report({ kind: 'accepted', record: execute(expected, 'succeeded') }, 200));
      });
      return unheard;
    }
    const record = execute(expected, behaviour.do === 'pending' ? 'pending' : 'succeeded');
    const answer = finish(
      request,
      behaviour.do === 'execute-then-500' ? serverError : report({ kind: 'accepted', record }, 200),
    );
    if (behaviour.do === 'execute-then-lose') return unheard;
    if (behaviour.do === 'execute-then-wait') await behaviour.until;
    return answer;
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
      providerDateMs: nowMs(),
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
    aheadMs: 0,
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
                providerDateMs: nowMs(),
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
          providerDateMs: nowMs(),
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
