import type { PaymentAnswer } from '@holdfast/providers';
import type { ProviderAccount, WorkerSettings } from '../engine-interface.ts';
import type { Claimed } from '../execute/claimed.ts';
import type { SeenAtProvider } from '../mirror/seen-at-provider.ts';
import { lastCheckSource, type LastCheckNeed } from './last-check-source.ts';

/** What has to be known before the claiming transaction: whose side of which payment is to be asked about. */
export type ClaimSubject = {
  readonly paymentReference: string;
  readonly need: LastCheckNeed;
  /** False where it cannot be claimed now anyway (on hold, not yet due), so that no question is spent on it. */
  readonly worthAsking: boolean;
};

export type ClaimRequest = {
  readonly organisationId: string;
  readonly operationId: string;
  readonly kind: 'first' | 'resubmission';
  /** `null`: the organisation has no account known to this process. */
  readonly account: ProviderAccount | null;
  /** The payment must have been asked about at or after this time of the database; `null` where the mirror serves. */
  readonly askedSinceMs: number | null;
  /** What the provider answered just now about this payment, where it is not stored yet: the claim stores it first. */
  readonly answered?: SeenAtProvider;
  /** The provider wants nothing from us for this much longer. */
  readonly accountPausedForMs: number;
  readonly settings: WorkerSettings;
};

export type ClaimResult =
  | { readonly kind: 'claimed'; readonly claimed: Claimed }
  | { readonly kind: 'waits' }
  | { readonly kind: 'sent-back' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'not-ours'; readonly because: string };

export type ClaimApprovedPorts = {
  /** `null` where it is not approved any more. Plain reads, no lock. */
  readonly readSubject: (
    organisationId: string,
    operationId: string,
    account: ProviderAccount,
  ) => Promise<ClaimSubject | null>;
  readonly askAboutPayment: (account: ProviderAccount, paymentReference: string) => Promise<PaymentAnswer>;
  readonly absorb: (account: ProviderAccount, seen: SeenAtProvider) => Promise<void>;
  /** The claiming transaction: it judges everything again under its locks. Losing a race is a value. */
  readonly claim: (request: ClaimRequest) => Promise<ClaimResult>;
};

/**
 * Tries to claim one approved operation. The provider's side is looked at first and outside any transaction; what it
 * shows is stored, and the claiming transaction judges from what is stored.
 */
export const claimApproved = async (
  ports: ClaimApprovedPorts,
  organisationId: string,
  operationId: string,
  account: ProviderAccount | undefined,
  accountPausedForMs: number,
  settings: WorkerSettings,
): Promise<ClaimResult> => {
  const request = { organisationId, operationId, kind: 'first', accountPausedForMs, settings } as const;
  if (account === undefined) return ports.claim({ ...request, account: null, askedSinceMs: null });
  const subject = await ports.readSubject(organisationId, operationId, account);
  if (subject === null) return { kind: 'not-ours', because: 'it is not approved any more' };
  if (accountPausedForMs > 0 || !subject.worthAsking)
    return ports.claim({ ...request, account, askedSinceMs: null });
  if (lastCheckSource(subject.need, account.adapter.contract) !== 'question') {
    return ports.claim({ ...request, account, askedSinceMs: null });
  }
  const answer = await ports.askAboutPayment(account, subject.paymentReference);
  // Without an answer the payment's time of asking is older than this, and the claim waits.
  const asked = { ...request, account, askedSinceMs: subject.need.nowMs };
  if (answer.kind === 'answer' && answer.refunds.length === 0 && answer.disputes.length === 0) {
    // Nothing stands there: the usual answer, which needs no transaction of its own.
    return ports.claim({ ...asked, answered: seenIn(answer, subject.paymentReference, asked.askedSinceMs) });
  }
  await absorbAnswer(ports, account, subject.paymentReference, answer, asked.askedSinceMs);
  return ports.claim(asked);
};

const seenIn = (
  { refunds, disputes }: Extract<PaymentAnswer, { kind: 'answer' }>,
  paymentReference: string,
  askedAtMs: number,
): SeenAtProvider => ({ refunds, disputes, askedPayment: paymentReference, askedAtMs, source: 'look-up' });

/**
 * Asks about the whole payment and stores what the answer shows, also the part of one that broke off.
 * @param nowMs the database's time before the question
 */
export const askAndAbsorb = async (
  ports: Pick<ClaimApprovedPorts, 'askAboutPayment' | 'absorb'>,
  account: ProviderAccount,
  paymentReference: string,
  nowMs: number,
): Promise<PaymentAnswer> => {
  const answer = await ports.askAboutPayment(account, paymentReference);
  await absorbAnswer(ports, account, paymentReference, answer, nowMs);
  return answer;
};

const absorbAnswer = async (
  ports: Pick<ClaimApprovedPorts, 'absorb'>,
  account: ProviderAccount,
  paymentReference: string,
  answer: PaymentAnswer,
  askedAtMs: number,
): Promise<void> => {
  if (answer.kind === 'answer') {
    // An answer that does not tell about disputes is no whole answer about the payment's disputes.
    await ports.absorb(account, seenIn(answer, paymentReference, askedAtMs));
  } else if (answer.refundsSeen !== undefined && answer.refundsSeen.length > 0) {
    await ports.absorb(account, {
      refunds: answer.refundsSeen,
      disputes: [],
      askedPayment: null,
      source: 'look-up',
    });
  }
};
