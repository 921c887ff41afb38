import type { AttemptFinding } from '@holdfast/operation';
import type {
  AttemptReport,
  EncodedRequest,
  MirroredRefund,
  ProviderContract,
  RefundRequest,
} from '@holdfast/providers';
import type { Chance } from '../world/chance.ts';
import type { Scheduler } from '../world/scheduler.ts';
import {
  createLedger,
  standing,
  sumOf,
  type Ledger,
  type LedgerDispute,
  type LedgerRefund,
} from './ledger.ts';

/** How often each thing goes wrong between us and the provider, as shares of requests. */
export type ProviderTroubles = {
  /** Never arrives. */
  lost: number;
  /** The answer never comes back. */
  answerLost: number;
  /** It arrives long after we have given up. */
  late: number;
  serverError: number;
  refusal: number;
  /** Refused at a gate before the key is looked at: what became of an earlier request under it, the gate does not know. */
  gateRefusal: number;
  /** Answered with somebody else's refund. */
  crossed: number;
  /** Carried out with less than was asked for. */
  otherAmount: number;
  deferral: number;
  pending: number;
  /** Of questions: how many have no answer. */
  silent: number;
  listingLagMs: number;
  /** Of refunds that were made: how many fail later. */
  lateFailure: number;
};

export const noTroubles = (): ProviderTroubles => ({
  ...{ lost: 0, answerLost: 0, late: 0, serverError: 0, refusal: 0, deferral: 0, pending: 0, silent: 0 },
  ...{ listingLagMs: 0, lateFailure: 0, gateRefusal: 0, crossed: 0, otherAmount: 0 },
});

export type ProviderEvent = { readonly refund: LedgerRefund } | { readonly dispute: LedgerDispute };

export type ProviderWatcher = {
  /** Right before a refund of ours is made. */
  readonly beforeRefund: (expected: RefundRequest, request: EncodedRequest) => void;
  readonly changed: (event: ProviderEvent) => void;
  /** The bytes of a request have left us; an answer is waited for until then, at the longest. */
  readonly left: (expected: RefundRequest, request: EncodedRequest, untilMs: number) => void;
  /** It has been answered, whoever hears of that. */
  readonly answered: (expected: RefundRequest) => void;
  readonly trace: (line: string) => void;
};

/** What the provider's own side works with. */
export type Books = {
  readonly scheduler: Scheduler;
  readonly wire: Chance;
  readonly watcher: ProviderWatcher;
  readonly contract: ProviderContract;
  readonly ledger: Ledger;
  readonly keys: Map<string, Saved>;
  troubles: ProviderTroubles;
  /** It pays out more than was captured, where it is asked to: then only our own reservation guards. */
  lenient: boolean;
};

type Saved = { readonly body: string; readonly atMs: number; answer: AttemptReport | null };

export const openBooks = (given: Pick<Books, 'scheduler' | 'wire' | 'watcher' | 'contract'>): Books => ({
  ...given,
  ...{ ledger: createLedger(), keys: new Map(), troubles: noTroubles(), lenient: false },
});

export const report = (finding: AttemptFinding, status: number | null): AttemptReport => ({
  ...{ finding, status, replayed: false },
  ...{ requestId: null, providerDateMs: null },
});

export const recordOf = (refund: LedgerRefund): MirroredRefund => ({
  reference: refund.reference,
  status: refund.status,
  statusText: refund.statusText,
  amount: { minor: refund.minor, currency: refund.currency },
  paymentReference: refund.paymentReference,
  failureReason: refund.failureReason,
  createdAtMs: refund.atMs,
  organisationId: refund.organisationId,
  operationId: refund.operationId,
});

type NewRefund = Pick<
  LedgerRefund,
  'paymentReference' | 'minor' | 'currency' | 'operationId' | 'organisationId' | 'idempotencyKey' | 'status'
>;

export const addRefund = (books: Books, refund: NewRefund): LedgerRefund => {
  const { ledger, scheduler, wire, troubles, watcher } = books;
  const lag = troubles.listingLagMs === 0 ? 0 : wire.below(troubles.listingLagMs);
  const whole: LedgerRefund = {
    ...refund,
    reference: `re_${String(ledger.refunds.length + 1)}`,
    statusText: refund.status,
    failureReason: null,
    hasSucceeded: refund.status === 'succeeded',
    atMs: scheduler.nowMs(),
    listedFromMs: scheduler.nowMs() + lag,
    toldFromMs: Infinity,
  };
  ledger.refunds.push(whole);
  const whose = whole.operationId === null ? 'made by hand' : `for ${whole.operationId.slice(-4)}`;
  watcher.trace(
    `provider: ${whole.reference} ${String(whole.minor)} of ${whole.paymentReference} is ${whole.status}, ${whose}`,
  );
  watcher.changed({ refund: whole });
  return whole;
};

export const isOverdrawn = ({ ledger }: Books, paymentReference: string, minor: number): boolean =>
  sumOf(standing(ledger, paymentReference)) + minor > (ledger.captured.get(paymentReference) ?? 0);

/** Refused for good, or not: what it says is kept under the key. */
const refusal = (books: Books, { paymentReference, amount }: RefundRequest): AttemptReport | null => {
  const { ledger, troubles, wire, lenient } = books;
  if (wire.happens(troubles.refusal)) {
    return report({ kind: 'rejected', decline: 'not-enough-balance', code: 'balance' }, 402);
  }
  if (lenient || !isOverdrawn(books, paymentReference, amount.minor)) return null;
  const isAllGone = sumOf(standing(ledger, paymentReference)) >= (ledger.captured.get(paymentReference) ?? 0);
  const decline = isAllGone ? 'already-refunded' : 'exceeds-unrefunded';
  return report({ kind: 'rejected', decline, code: null }, 400);
};

/** Another operation's refund of the same payment, taken for the answer by something in between. */
const crossedWith = ({ ledger }: Books, { operationId, paymentReference }: RefundRequest) =>
  ledger.refunds.find(
    (one) =>
      one.operationId !== null &&
      one.operationId !== operationId &&
      one.paymentReference === paymentReference &&
      one.hasSucceeded,
  );

/** What the provider does with a request that has arrived, and what arrives of its answer. */
export const carryOut = (books: Books, request: EncodedRequest, expected: RefundRequest): AttemptReport => {
  const { wire, troubles } = books;
  if (wire.happens(troubles.gateRefusal)) {
    return report({ kind: 'rejected', decline: 'not-enough-balance', code: 'gate' }, 402);
  }
  const answer = answerTo(books, request, expected);
  const others = wire.happens(troubles.crossed) ? crossedWith(books, expected) : undefined;
  return others === undefined ? answer : report({ kind: 'accepted', record: recordOf(others) }, 200);
};

/** Its answer is kept under the key. */
const answerTo = (books: Books, request: EncodedRequest, expected: RefundRequest): AttemptReport => {
  const { keys, scheduler, contract, wire, troubles, watcher } = books;
  const known = keys.get(request.idempotencyKey);
  if (known !== undefined && scheduler.nowMs() - known.atMs < contract.keyWindowMs) {
    if (known.body !== request.body) {
      return report({ kind: 'unknown', because: 'our key was used with other parameters' }, 400);
    }
    return known.answer === null
      ? report({ kind: 'in-flight-elsewhere' }, 409)
      : { ...known.answer, replayed: true };
  }
  if (wire.happens(troubles.deferral)) {
    const because = wire.pick(['rate-limited', 'locked', 'key-refused'] as const) ?? 'locked';
    return report({ kind: 'deferred', because, retryAfterMs: wire.happens(0.5) ? 1_500 : null }, 429);
  }
  const saved: Saved = { body: request.body, atMs: scheduler.nowMs(), answer: null };
  keys.set(request.idempotencyKey, saved);
  const keep = (answer: AttemptReport): AttemptReport => {
    saved.answer = answer;
    return answer;
  };
  const refused = refusal(books, expected);
  if (refused !== null) return keep(refused);
  const breaks = wire.happens(troubles.serverError);
  const broken = report({ kind: 'unknown', because: 'server error' }, 500);
  if (breaks && wire.happens(0.5)) return keep(broken);
  watcher.beforeRefund(expected, request);
  const refund = addRefund(books, {
    paymentReference: expected.paymentReference,
    minor: wire.happens(troubles.otherAmount) ? Math.ceil(expected.amount.minor / 2) : expected.amount.minor,
    currency: expected.amount.currency,
    operationId: expected.operationId,
    organisationId: expected.organisationId,
    idempotencyKey: request.idempotencyKey,
    status: wire.happens(troubles.pending) ? 'pending' : 'succeeded',
  });
  return keep(breaks ? broken : report({ kind: 'accepted', record: recordOf(refund) }, 200));
};
