import type { AttemptReport, MirroredDispute, NoAnswer, ProviderAdapter } from '@holdfast/providers';
import type { Mortal } from '../world/scheduler.ts';
import { carryOut, recordOf, report, type Books } from './books.ts';
import type { LedgerDispute, LedgerRefund } from './ledger.ts';

const wireMs = 5;
/** How long a request may be on its way beyond our deadline. */
export const longestLateMs = 20_000;

const noAnswer = (because: string): NoAnswer => ({ kind: 'no-answer', because, ourKeyRefused: false });
const nothingHeard = report({ kind: 'unknown', because: 'deadline', requestLeft: true }, null);

/**
 * How long a late request is on its way past our deadline. Never past the end of its key: the margin of the contract is
 * for what is slower than anybody expects, and a network that beats it is outside of what is promised.
 */
const latenessMs = ({ keys, scheduler, contract, wire }: Books, key: string, leftMs: number): number => {
  const known = keys.get(key);
  const untilEndMs =
    known === undefined ? Infinity : known.atMs + contract.keyWindowMs - scheduler.nowMs() - leftMs - 1;
  return Math.max(0, Math.min(wire.below(longestLateMs), untilEndMs));
};

const submitter =
  (books: Books, owner: Mortal, clockOf: () => number): ProviderAdapter['submit'] =>
  async (request, expected, deadlineMs) => {
    const { scheduler, wire, troubles, watcher } = books;
    const leftMs = Math.max(0, deadlineMs - clockOf());
    await scheduler.pause(wire.below(wireMs), owner);
    if (clockOf() >= deadlineMs) return report({ kind: 'not-sent', because: 'deadline had passed' }, null);
    watcher.left(expected, request, scheduler.nowMs() + leftMs);
    if (wire.happens(troubles.lost)) {
      watcher.trace(`wire: a request for ${expected.operationId.slice(-4)} is lost`);
      await scheduler.pause(leftMs, owner);
      return nothingHeard;
    }
    const arrivesInMs = wire.happens(troubles.late)
      ? leftMs + latenessMs(books, request.idempotencyKey, leftMs)
      : wire.below(wireMs * 20);
    // The request goes its own way: neither our deadline nor our death calls it back.
    const answered = new Promise<AttemptReport>((resolve) => {
      scheduler.later(arrivesInMs, null, () => {
        const answer = carryOut(books, request, expected);
        watcher.answered(expected);
        const again = answer.replayed ? ' again' : '';
        watcher.trace(
          `provider: answers for ${expected.operationId.slice(-4)}: ${answer.finding.kind}${again}`,
        );
        resolve(answer);
      });
    });
    const gaveUp = scheduler.pause(leftMs, owner).then(() => nothingHeard);
    if (wire.happens(troubles.answerLost)) return gaveUp;
    const heard = answered.then(async (answer) => {
      await scheduler.pause(wire.below(wireMs), owner);
      return answer;
    });
    return Promise.race([heard, gaveUp]);
  };

const disputeOf = (dispute: LedgerDispute): MirroredDispute => ({
  reference: dispute.reference,
  paymentReference: dispute.paymentReference,
  amount: { minor: dispute.minor, currency: dispute.currency },
  open: dispute.open,
  statusText: dispute.open ? 'needs_response' : 'won',
  createdAtMs: dispute.atMs,
});

const asker =
  (books: Books, owner: Mortal) =>
  async <Answer>(answer: () => Answer): Promise<Answer | NoAnswer> => {
    const { scheduler, wire, troubles } = books;
    await scheduler.pause(wire.below(wireMs * 10), owner);
    if (wire.happens(troubles.silent)) {
      await scheduler.pause(wire.below(500), owner);
      return noAnswer('timeout');
    }
    // What is shown is what was so when it was read; it may be some time on its way back.
    const seen = answer();
    await scheduler.pause(wire.below(wireMs * 10), owner);
    return seen;
  };

const questions = (
  books: Books,
  owner: Mortal,
): Pick<ProviderAdapter, 'askAboutPayment' | 'askAboutRefund' | 'listSince'> => {
  const { ledger, scheduler } = books;
  const asked = <Answer>(answer: () => Answer) => asker(books, owner)(answer);
  const listed = (fits: (refund: LedgerRefund) => boolean) =>
    ledger.refunds.filter((refund) => refund.listedFromMs <= scheduler.nowMs() && fits(refund)).map(recordOf);
  const disputes = (fits: (dispute: LedgerDispute) => boolean) => ledger.disputes.filter(fits).map(disputeOf);
  return {
    askAboutPayment: (reference) =>
      asked(() => ({
        kind: 'answer' as const,
        captured: null,
        refunds: listed(({ paymentReference }) => paymentReference === reference),
        disputes: disputes(({ paymentReference }) => paymentReference === reference),
        providerDateMs: scheduler.nowMs(),
      })),
    askAboutRefund: (reference) =>
      asked(() => {
        const found = ledger.refunds.find((one) => one.reference === reference);
        return found === undefined
          ? { kind: 'not-found' as const }
          : { kind: 'answer' as const, record: recordOf(found) };
      }),
    listSince: (sinceMs) =>
      asked(() => ({
        kind: 'answer' as const,
        refunds: listed(({ atMs }) => atMs >= sinceMs),
        disputes: disputes(({ atMs }) => atMs >= sinceMs),
        providerDateMs: scheduler.nowMs(),
      })),
  };
};

/** The client of one process: its waiting ends with the process. */
export const clientOf = (books: Books, owner: Mortal, clockOf: () => number): ProviderAdapter => ({
  contract: books.contract,
  encodeRefund: (request) => ({
    ok: true,
    request: {
      method: 'POST',
      path: '/v1/refunds',
      contentType: 'application/x-www-form-urlencoded',
      // Another process might encode it in another way; only stored bytes are the same twice.
      body: `payment_intent=${request.paymentReference}&amount=${String(request.amount.minor)}&by=${owner.name}`,
      idempotencyKey: request.idempotencyKey,
      apiVersion: 'pretend-1',
    },
  }),
  submit: submitter(books, owner, clockOf),
  ...questions(books, owner),
  refundPage: () => Promise.resolve(noAnswer('no sweep here')),
  askAccount: () => Promise.resolve({ kind: 'answer', accountId: 'acct_pretend', liveMode: false }),
  verifyWebhook: (rawBody, signatureHeader, secrets) => {
    const secretIndex = secrets.indexOf(signatureHeader ?? '');
    if (secretIndex < 0) return { ok: false, because: 'bad-signature' };
    return { ok: true, event: JSON.parse(new TextDecoder().decode(rawBody)), secretIndex, skewMs: 0 };
  },
});
