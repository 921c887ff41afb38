import type { Operation } from '@holdfast/operation';
import type { EncodedRequest, RefundRequest } from '@holdfast/providers';
import { standing, sumOf, type Ledger, type LedgerRefund } from '../provider/ledger.ts';
import { Violation } from '../world/violation.ts';
import { SendingWatch } from './sending-watch.ts';

/** What an approver had on the screen when pressing the button. */
export type ApprovalAct = {
  readonly person: string;
  readonly operationId: string;
  readonly minor: number;
  readonly currency: string;
  readonly paymentReference: string;
  readonly atMs: number;
  /** Whether what leaves with it says what of the order was on the screen. */
  readonly saysWhatWasSeen: boolean;
};

export type ProposalAct = {
  readonly person: string;
  readonly operationId: string;
  readonly orderId: string;
  readonly minor: number;
};

/** After a refund by hand, a request of ours that was checked before it may still be on its way for so long. */
const stillOnItsWayMs = 60_000;

/** The database is asked last of all before a request, which has two seconds. */
const longestLastLookMs = 3_000;
/** A request may be carried out for so long after it left. */
const longestOnItsWayMs = 23_000;

const short = (operationId: string): string => operationId.slice(-4);

/** What one sentence on a screen says of the world, read from its text as a person reads it. */
const claimOf = (
  sentence: string,
): 'refunded' | 'by-people' | 'nothing' | 'accepted' | 'undone' | 'left' | 'unsent' | 'open' | null => {
  if (/reports it refunded, reference \S+\./.test(sentence)) return 'refunded';
  if (/^Settled as refunded by/.test(sentence) || /^No money moved\. Settled by/.test(sentence))
    return 'by-people';
  if (/^No money moved/.test(sentence)) return 'nothing';
  if (/has accepted it and is processing it/.test(sentence)) return 'accepted';
  if (/^The refund did not last/.test(sentence)) return 'undone';
  if (/^The request was submitted, but confirmation is delayed/.test(sentence)) return 'left';
  if (
    /^(Waiting for|Back for approval|Approved\.|Denied by|Cancelled by|Nobody decided|The approval ran out)/.test(
      sentence,
    )
  )
    return 'unsent';
  if (/^(Submitting to|The request may have been submitted|We could not establish)/.test(sentence))
    return 'open';
  return null;
};

const saysEnded = (sentence: string): boolean =>
  /^(No money moved|Denied by|Cancelled by|Nobody decided|The approval ran out)/.test(sentence);

const isCalledTwice = (attention: Operation['attention']): boolean =>
  attention.some(({ reason }) => reason === 'duplicate-action');

/**
 * Watches from outside: what the provider holds, what people did, and what people were shown. It knows nothing of
 * states and tables of ours.
 */
export class Witness {
  readonly approvals: ApprovalAct[] = [];
  readonly proposals = new Map<string, ProposalAct>();
  readonly sending: SendingWatch;
  readonly #ledger: () => Ledger;
  readonly #nowMs: () => number;
  /** Operations of which a request has left us. */
  readonly #left = new Set<string>();
  /** When somebody was first shown the provider's word that an operation is refunded. */
  readonly #saidRefunded = new Map<string, number>();
  /** Operations of which somebody was told that no money moved. */
  readonly #saidNothing = new Map<string, string>();
  /** Operations of which somebody was shown that they ended without money. */
  readonly #saidEnded = new Map<string, string>();
  /** What left first under each key. */
  readonly #firstBytes = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #newestShown = new Map<string, number>();
  /** Operations of which people said that nothing happened: what they overlook is not for us to know. */
  readonly settledByPeople = new Set<string>();
  /** History was put back: what was shown before it may be forgotten, and what is shown after it may be old. */
  restored = false;
  /**
   * Requests that had left and not arrived when a copy was put back and nobody noticed: for what they will do, no record
   * holds any money.
   */
  readonly #forgotten = new Set<string>();

  constructor(ledger: () => Ledger, nowMs: () => number) {
    this.#ledger = ledger;
    this.#nowMs = nowMs;
    this.sending = new SendingWatch(ledger, nowMs, (operationId) => this.#lastPressMs(operationId));
  }

  #lastPressMs(operationId: string): number | null {
    const presses = this.approvals.filter((act) => act.operationId === operationId);
    // One that does not say what was seen is an approval of whatever is known by the time that it arrives.
    if (presses.some(({ saysWhatWasSeen }) => !saysWhatWasSeen)) return Infinity;
    return presses.at(-1)?.atMs ?? null;
  }

  /** The database was put back: what was shown may be forgotten. */
  putBack(isRecognised: boolean): void {
    this.restored = true;
    this.sending.putBack(isRecognised);
    if (isRecognised) return;
    for (const id of this.onTheirWay) this.#forgotten.add(id);
  }

  /** Operations of which a request has left and nothing is at the provider yet: it may still arrive. */
  get onTheirWay(): readonly string[] {
    return [...this.#left].filter((id) => this.#of(id).length === 0);
  }

  #of(operationId: string): readonly LedgerRefund[] {
    return this.#ledger().refunds.filter((one) => one.operationId === operationId);
  }

  /** Called when the bytes of a request leave us: of what ended, as everybody was told, nothing may. */
  requestLeft(request: RefundRequest, { idempotencyKey, body }: EncodedRequest, untilMs: number): void {
    const { operationId } = request;
    this.#left.add(operationId);
    this.#forgotten.delete(operationId);
    const first = this.#firstBytes.get(idempotencyKey) ?? body;
    this.#firstBytes.set(idempotencyKey, first);
    if (first !== body && !this.restored) {
      const about = `${short(operationId)}: ${body}, not ${first}`;
      throw new Violation('safety', 'what is sent again is the same to the last byte', about);
    }
    const said = this.#saidEnded.get(operationId);
    if (said !== undefined && !this.restored) {
      const about = `${short(operationId)}: ${said}`;
      throw new Violation('safety', 'nothing leaves after its end was shown', about);
    }
    const refundedMs = this.#saidRefunded.get(operationId);
    if (refundedMs !== undefined && this.#nowMs() - refundedMs > longestLastLookMs && !this.restored) {
      const about = `${short(operationId)} has been shown as refunded`;
      throw new Violation('safety', 'nothing leaves after its end was shown', about);
    }
    this.#checkApprovals(request, 0);
    this.sending.requestLeft(request, untilMs);
  }

  /** A proposal was refused as a possible duplicate; the person had said of some refunds that it is another one. */
  refusedAsDuplicate(operationId: string, named: readonly string[], saidToDiffer: readonly string[]): void {
    if (named.some((one) => !saidToDiffer.includes(one))) return;
    const about = `${short(operationId)} is refused over ${named.map(short).join(', ')} again`;
    throw new Violation('safety', 'a person who says that it is another refund is believed', about);
  }

  /** Called right before the provider carries out a request of ours. */
  beforeRefund(expected: RefundRequest, request: EncodedRequest): void {
    const { operationId, amount, paymentReference } = expected;
    const [before] = this.#of(operationId);
    if (before !== undefined) {
      throw new Violation(
        'safety',
        'at most one action per operation',
        `${short(operationId)} has ${before.reference} and is carried out again under ${request.idempotencyKey}`,
      );
    }
    const asked = this.proposals.get(operationId);
    if (asked === undefined || asked.minor !== amount.minor) {
      throw new Violation(
        'safety',
        'nothing that nobody asked for',
        `${short(operationId)} of ${String(amount.minor)}`,
      );
    }
    this.#checkApprovals(expected, longestOnItsWayMs);
    const said = this.#saidNothing.get(operationId);
    if (said !== undefined && !this.restored) {
      throw new Violation(
        'safety',
        'nothing happens after “no money moved”',
        `${short(operationId)}: ${said}`,
      );
    }
    this.#checkRoom(paymentReference, amount.minor, operationId);
  }

  /** By as many different people as was asked for, of exactly what is sent. */
  #checkApprovals({ operationId, amount, paymentReference }: RefundRequest, leftForMs: number): void {
    const approvers = new Set(
      this.approvals
        .filter(
          (act) =>
            act.operationId === operationId &&
            act.minor === amount.minor &&
            act.currency === amount.currency &&
            act.paymentReference === paymentReference,
        )
        .map(({ person }) => person),
    );
    const needed = this.sending.approvalsNeeded(leftForMs);
    if (approvers.size < needed) {
      throw new Violation(
        'safety',
        'nothing without an approval of exactly that',
        `${short(operationId)}: ${String(approvers.size)} of ${String(needed)}`,
      );
    }
  }

  #checkRoom(paymentReference: string, minor: number, operationId: string): void {
    if (this.settledByPeople.has(operationId) || this.#forgotten.has(operationId)) return;
    const captured = this.#ledger().captured.get(paymentReference) ?? 0;
    const counted = standing(this.#ledger(), paymentReference).filter((one) =>
      one.operationId === null || this.#forgotten.has(one.operationId)
        ? one.listedFromMs < this.#nowMs() - stillOnItsWayMs
        : !this.settledByPeople.has(one.operationId),
    );
    const total = sumOf(counted) + minor;
    if (total > captured) {
      throw new Violation(
        'safety',
        'no more than was captured',
        `${short(operationId)} makes it ${String(total)} of ${String(captured)} on ${paymentReference}`,
      );
    }
  }

  /** Called with everything that a screen shows, as often as anything of it may have changed. */
  shown(device: string, operations: readonly Operation[]): void {
    for (const operation of operations) {
      this.#checkForwards(device, operation);
      const key = `${device} ${operation.id} ${String(operation.version)} ${operation.sentence}`;
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      this.judgeSentence(operation);
    }
  }

  /** Within one history the newest that a screen has shown stays, whatever arrives late. */
  #checkForwards(device: string, { id, version, sentence }: Operation): void {
    const key = `${device} ${id}`;
    const before = this.#newestShown.get(key) ?? 0;
    this.#newestShown.set(key, version);
    if (version >= before || this.restored) return;
    const about = `${device} shows ${short(id)} at ${String(version)} after ${String(before)}: ${sentence}`;
    throw new Violation('safety', 'no screen goes backwards', about);
  }

  #judgeRefunded({ id, sentence, amount, resolution }: Operation, wrong: (promise: string) => never): void {
    const reference = /reference (\S+)\. The bank/.exec(sentence)?.[1];
    const named = this.#ledger().refunds.find((one) => one.reference === reference);
    const isOurs = named?.operationId === id || (named?.operationId === null && resolution !== null);
    if (named === undefined || !isOurs || !named.hasSucceeded) wrong('no “refunded” without an effect');
    // A cancellation that is remembered for an ID knows no amount.
    if (amount !== null && named?.minor !== amount.minor && resolution === null)
      wrong('no “refunded” of another amount');
    if (!this.#saidRefunded.has(id)) this.#saidRefunded.set(id, this.#nowMs());
  }

  judgeSentence(operation: Operation): void {
    const { id, sentence, attention } = operation;
    const refunds = this.#of(id);
    const wrong = (promise: string): never => {
      const held = refunds.map(({ reference, status }) => `${reference} ${status}`).join(', ');
      throw new Violation(
        'safety',
        promise,
        `${short(id)} “${sentence}” while the provider holds: ${held || 'nothing'}`,
      );
    };
    if (isCalledTwice(attention) && refunds.length < 2)
      wrong('nobody is called for a second refund that is not there');
    if (saysEnded(sentence)) this.#saidEnded.set(id, sentence);
    switch (claimOf(sentence)) {
      case 'refunded':
        return this.#judgeRefunded(operation, wrong);
      case 'nothing':
        if (this.#saidRefunded.has(id) && !this.restored)
          return wrong('no “no money moved” after “refunded”');
        // Of a refund that failed before anybody here saw it, nobody here can know that it had succeeded.
        if (refunds.some(({ status }) => status !== 'failed'))
          return wrong('no “no money moved” with an effect');
        this.#saidNothing.set(id, sentence);
        return;
      case 'accepted':
        if (refunds.length === 0) return wrong('no “accepted” without an effect');
        return;
      case 'undone':
        if (
          !refunds.some(({ status, hasSucceeded }) => status === 'failed' && hasSucceeded) &&
          operation.resolution === null
        )
          return wrong('no “did not last” of what lasts');
        return;
      case 'left':
        if (!this.#left.has(id)) return wrong('no “was submitted” of what never left');
        return;
      case 'unsent': {
        const updatedMs = Date.parse(operation.updatedAt);
        if (
          !this.restored &&
          operation.attention.length === 0 &&
          refunds.some(({ atMs }) => atMs < updatedMs - 1)
        )
          return wrong('no “not submitted yet” after an effect');
        return;
      }
      case 'by-people':
      case 'open':
        return;
      case null:
        throw new Violation('safety', 'every sentence can be read', `${short(id)} “${sentence}”`);
    }
  }
}
