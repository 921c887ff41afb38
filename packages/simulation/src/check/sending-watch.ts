import type { RefundRequest } from '@holdfast/providers';
import type { Ledger } from '../provider/ledger.ts';
import { Violation } from '../world/violation.ts';

/**
 * When an approver last pressed the button for an operation, `null`: nobody did; infinity where no press binds what was
 * seen. Milliseconds since the epoch.
 */
export type LastPress = (operationId: string) => number | null;

/**
 * What was known this long before a request left stops it: an answer of the provider counts for four seconds, a claim
 * lasts eight, and somewhat more goes by on the way.
 */
const knownForMs = 14_000;
/** The policy is read in the claim itself, whose lease is eight seconds. */
const policyKnownForMs = 9_000;
/** The hold is looked at last of all before a request, which has two seconds. */
const holdKnownForMs = 3_000;

type Rule = { readonly fromMs: number; readonly needed: number };
type UnderWay = { readonly operationId: string; readonly untilMs: number };

/**
 * What a request must not leave over, judged from outside at the instant in which it leaves: by what the provider's own
 * books showed long enough before, and by what those who manage it were told. It knows no state of ours.
 */
export class SendingWatch {
  readonly #ledger: () => Ledger;
  readonly #nowMs: () => number;
  readonly #lastPress: LastPress;
  readonly #underWay = new Map<string, UnderWay[]>();
  #holdSinceMs: number | null = null;
  #rules: Rule[] = [{ fromMs: -Infinity, needed: 1 }];

  constructor(ledger: () => Ledger, nowMs: () => number, lastPress: LastPress) {
    this.#ledger = ledger;
    this.#nowMs = nowMs;
    this.#lastPress = lastPress;
  }

  /** Somebody was told that nothing is submitted from now on; or began to lift that. */
  holdIs(isOn: boolean): void {
    this.#holdSinceMs = isOn ? this.#nowMs() : null;
  }

  /** A policy that asks for so many approvals: told when it was in force, or looser and only asked for. */
  policyAsksFor(needed: number): void {
    this.#rules.push({ fromMs: this.#nowMs(), needed });
  }

  /** From the beginning on it asks for so many. */
  beginsWith(needed: number): void {
    this.#rules = [{ fromMs: -Infinity, needed }];
  }

  /**
   * The database was put back: neither the hold nor the policy is what it was. Where nobody notices, nothing is held
   * either, and of what was under way nothing is on record.
   */
  putBack(isRecognised: boolean): void {
    this.#holdSinceMs = null;
    if (!isRecognised) this.#underWay.clear();
    const least = Math.min(...this.#rules.map(({ needed }) => needed));
    this.#rules = [{ fromMs: -Infinity, needed: least }];
  }

  /** How many approvals every policy asked for that may have been looked at for what leaves now, or left just before. */
  approvalsNeeded(leftForMs: number): number {
    const sinceMs = this.#nowMs() - policyKnownForMs - leftForMs;
    const inForce = this.#rules.filter(({ fromMs }, index) => {
      const endsMs = this.#rules[index + 1]?.fromMs ?? Infinity;
      return endsMs > sinceMs && fromMs <= this.#nowMs();
    });
    return Math.min(...inForce.map(({ needed }) => needed));
  }

  requestLeft(request: RefundRequest, untilMs: number): void {
    const { operationId, paymentReference } = request;
    const about = `${operationId.slice(-4)} on ${paymentReference}`;
    const nowMs = this.#nowMs();
    const others = (this.#underWay.get(paymentReference) ?? []).filter(
      (one) => one.untilMs > nowMs && !this.#hasShown(one.operationId),
    );
    this.#underWay.set(paymentReference, [...others, { operationId, untilMs }]);
    const [other] = others;
    if (other !== undefined) {
      broken('one request of a payment at a time', `${about} beside one for ${other.operationId.slice(-4)}`);
    }
    if (this.#holdSinceMs !== null && nowMs - this.#holdSinceMs > holdKnownForMs) {
      broken('nothing leaves on hold', `${about}, ${String(nowMs - this.#holdSinceMs)} ms after it was said`);
    }
    this.#checkLedger(request, about);
  }

  /** The provider has answered it, so that it is under way no more. */
  answered({ operationId, paymentReference }: RefundRequest): void {
    const left = (this.#underWay.get(paymentReference) ?? []).filter(
      (one) => one.operationId !== operationId,
    );
    this.#underWay.set(paymentReference, left);
  }

  /** Its one action was shown, by a list or an event: what of it is still on its way has the same key and makes no other. */
  #hasShown(operationId: string): boolean {
    return this.#ledger().refunds.some(
      (one) => one.operationId === operationId && Math.min(one.listedFromMs, one.toldFromMs) <= this.#nowMs(),
    );
  }

  #checkLedger({ operationId, paymentReference }: RefundRequest, about: string): void {
    const { refunds, disputes } = this.#ledger();
    const knownMs = this.#nowMs() - knownForMs;
    const dispute = disputes.find(
      (one) => one.paymentReference === paymentReference && one.open && one.atMs < knownMs,
    );
    if (dispute !== undefined)
      broken('nothing leaves over an open dispute', `${about}: ${dispute.reference}`);
    const pressedMs = this.#lastPress(operationId) ?? -Infinity;
    const unseen = refunds.find(
      (one) =>
        one.operationId === null &&
        one.paymentReference === paymentReference &&
        one.status !== 'failed' &&
        Math.min(one.listedFromMs, one.toldFromMs) > pressedMs &&
        one.listedFromMs < knownMs,
    );
    if (unseen !== undefined) {
      broken('nothing leaves over a refund by hand that no approver saw', `${about}: ${unseen.reference}`);
    }
  }
}

const broken = (promise: string, detail: string): never => {
  throw new Violation('safety', promise, detail);
};
