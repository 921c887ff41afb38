import { sameAmount, type ForeignRefund } from '@holdfast/operation';
import type { JudgeLookUp, MirroredRefund, UnnamedSubject } from './provider-adapter.ts';

/** Whose operation a look-up is about. */
export type LookUpSubject = { readonly organisationId: string; readonly operationId: string };

const isOurs = (refund: MirroredRefund, subject: LookUpSubject): boolean =>
  refund.organisationId === subject.organisationId && refund.operationId === subject.operationId;

/** A refund that carries our organisation and an operation ID was made by us, for whichever operation. */
const isElsewhere = (refund: MirroredRefund, subject: LookUpSubject): boolean =>
  refund.organisationId !== subject.organisationId || refund.operationId === null;

/** The one that moved money first: of several records of one operation it is the one that must not be missed. */
const weight: Record<MirroredRefund['status'], number> = { succeeded: 0, pending: 1, failed: 2 };

/**
 * Every record that the provider holds for this operation, by our own metadata alone, never by amount. The one
 * that matters most is first; more than one with money moved is a duplicate.
 */
export const recordsOfOperation = (
  refunds: readonly MirroredRefund[],
  subject: LookUpSubject,
): readonly MirroredRefund[] =>
  refunds
    .filter((refund) => isOurs(refund, subject))
    .sort((one, other) => weight[one.status] - weight[other.status] || one.createdAtMs - other.createdAtMs);

export const refundsMadeElsewhere = (
  refunds: readonly MirroredRefund[],
  subject: LookUpSubject,
): readonly ForeignRefund[] =>
  refunds
    .filter((refund) => isElsewhere(refund, subject) && refund.status !== 'failed')
    .map(({ reference, amount, createdAtMs }) => ({ reference, amount, atMs: createdAtMs }));

/** The provider's clock and ours may differ by this much when it is asked whether a record is younger than a request. */
const clockDoubtMs = 10 * 60_000;

/**
 * Where records name nobody: those that may be this operation's, by amount and time. They are never taken for it:
 * they only stand against every conclusion that it did not happen.
 */
const possiblyOurs = (
  refunds: readonly MirroredRefund[],
  unnamed: UnnamedSubject | undefined,
): readonly ForeignRefund[] =>
  unnamed === undefined
    ? []
    : refunds
        .filter(
          (refund) =>
            refund.operationId === null &&
            refund.organisationId === null &&
            refund.status !== 'failed' &&
            sameAmount(refund.amount, unnamed.amount) &&
            refund.createdAtMs >= unnamed.sentFromMs - clockDoubtMs &&
            !unnamed.heldReferences.includes(refund.reference),
        )
        .map(({ reference, amount, createdAtMs }) => ({ reference, amount, atMs: createdAtMs }));

/**
 * What a payment's answer says about one operation of ours. Positive evidence counts also from an answer that
 * broke off; everything else needs the whole answer. Amount and currency are compared by settling, not here.
 */
export const judgeLookUp: JudgeLookUp = (answer, subject) => {
  const seen = answer.kind === 'answer' ? answer.refunds : (answer.refundsSeen ?? []);
  const [record] = recordsOfOperation(seen, subject);
  if (record !== undefined) return { kind: 'found', record };
  if (answer.kind === 'no-answer') return { kind: 'no-answer', because: answer.because };
  const unattributed = possiblyOurs(answer.refunds, subject.unnamed);
  if (unattributed.length > 0) {
    return { kind: 'unattributed', refunds: unattributed, operations: subject.unnamed?.operations ?? [] };
  }
  const elsewhere = refundsMadeElsewhere(answer.refunds, subject);
  // The larger of the two figures: "nothing was left" must hold whichever of them is right.
  const capturedMinor = Math.max(subject.capturedMinor, answer.captured?.minor ?? 0);
  const currencies = new Set([...elsewhere.map(({ amount }) => amount.currency), answer.captured?.currency]);
  currencies.delete(undefined);
  const takenMinor = elsewhere.reduce((sum, { amount }) => sum + amount.minor, 0);
  const exhausted = capturedMinor > 0 && takenMinor >= capturedMinor && currencies.size === 1;
  return exhausted ? { kind: 'exhausted-elsewhere', refunds: elsewhere } : { kind: 'absent-yet' };
};
