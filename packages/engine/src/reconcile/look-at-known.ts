import type { AttentionReason, OperationState } from '@holdfast/operation';
import { askAndAbsorb, type ClaimApprovedPorts } from '../claim/claim-approved.ts';
import type { ProviderAccount, WorkerSettings } from '../engine-interface.ts';
import type { PaymentAnswer, RefundAnswer } from '@holdfast/providers';
import { nextLookAtSettledMs, pauseWhilePendingMs } from './wake-up.ts';

/** An operation whose refund the provider has shown, or that people have settled. Times are the database's. */
export type KnownOperation = {
  readonly nowMs: number;
  readonly state: OperationState;
  readonly attention: readonly AttentionReason[];
  readonly paymentReference: string;
  /** The provider's reference; `null` where people settled it without one. */
  readonly reference: string | null;
  readonly sinceMs: number;
};

/** How the provider met the question. `not-found`: it does not know the reference that it gave us. */
export type KnownSeen = 'answer' | 'no-answer' | 'key-refused' | 'not-found';

export type KnownVerdict = {
  readonly raises: readonly AttentionReason[];
  readonly clears: readonly AttentionReason[];
  /** `null`: nothing more is to be looked at. */
  readonly wakeAtMs: number | null;
};

/** When to look again at what is pending or settled, and whether a person has to be told. */
export const decideKnown = (
  operation: KnownOperation,
  seen: KnownSeen,
  terms: { readonly lateFailureWindowMs: number; readonly pendingUsuallyEndsWithinMs: number },
  settings: Pick<WorkerSettings, 'checkBackoffMs'>,
): KnownVerdict => {
  const { nowMs, sinceMs } = operation;
  // A reference that the provider gave us and no longer knows is a contradiction, not an absence.
  const raises: AttentionReason[] = seen === 'not-found' ? ['conflicting-evidence'] : [];
  const clears: readonly AttentionReason[] = seen === 'answer' ? ['provider-refuses-us'] : [];
  if (operation.state === 'pending') {
    // What is settled waits for nothing; what is not cannot end while our key is refused.
    if (seen === 'key-refused') raises.push('provider-refuses-us');
    const tooLong = nowMs - sinceMs >= terms.pendingUsuallyEndsWithinMs;
    if (raises.length === 0 && tooLong) raises.push('pending-too-long');
    return {
      raises,
      clears,
      wakeAtMs: nowMs + pauseWhilePendingMs(nowMs - sinceMs, settings.checkBackoffMs[0] ?? 1_000),
    };
  }
  return { raises, clears, wakeAtMs: nextLookAtSettledMs(sinceMs, terms.lateFailureWindowMs, nowMs) };
};

export type LookAtKnownPorts = Pick<ClaimApprovedPorts, 'askAboutPayment' | 'absorb'> & {
  /** `null` where there is nothing of it to look at (any more). */
  readonly readKnown: (organisationId: string, operationId: string) => Promise<KnownOperation | null>;
  readonly askAboutRefund: (account: ProviderAccount, reference: string) => Promise<RefundAnswer>;
  readonly applyKnown: (organisationId: string, operationId: string, verdict: KnownVerdict) => Promise<void>;
};

const metBy = (answer: RefundAnswer | PaymentAnswer): KnownSeen =>
  answer.kind === 'no-answer' && answer.ourKeyRefused ? 'key-refused' : answer.kind;

/** Looks again, slowly, at something pending or settled: what the provider shows is absorbed and settles it. */
export const lookAtKnown = async (
  ports: LookAtKnownPorts,
  organisationId: string,
  operationId: string,
  account: ProviderAccount,
  settings: WorkerSettings,
): Promise<void> => {
  const before = await ports.readKnown(organisationId, operationId);
  if (before === null) return;
  let seen: KnownSeen;
  if (before.reference === null) {
    seen = metBy(await askAndAbsorb(ports, account, before.paymentReference, before.nowMs));
  } else {
    const answer = await ports.askAboutRefund(account, before.reference);
    seen = metBy(answer);
    if (answer.kind === 'answer') {
      await ports.absorb(account, {
        refunds: [answer.record],
        disputes: [],
        askedPayment: null,
        source: 'look-up',
      });
    }
  }
  const after = await ports.readKnown(organisationId, operationId);
  if (after === null) return;
  await ports.applyKnown(
    organisationId,
    operationId,
    decideKnown(after, seen, account.adapter.contract, settings),
  );
};
