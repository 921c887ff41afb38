import type { AttentionReason, OperationState } from '@holdfast/operation';
import { askAndAbsorb, type ClaimApprovedPorts } from '../claim/claim-approved.ts';
import type { ProviderAccount, WorkerSettings } from '../engine-interface.ts';
import type { RefundAnswer } from '@holdfast/providers';
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

export type KnownVerdict = {
  readonly raises: AttentionReason | null;
  /** `null`: nothing more is to be looked at. */
  readonly wakeAtMs: number | null;
};

/** When to look again at what is pending or settled, and whether a person has to be told. */
export const decideKnown = (
  operation: KnownOperation,
  vanished: boolean,
  terms: { readonly lateFailureWindowMs: number; readonly pendingUsuallyEndsWithinMs: number },
  settings: Pick<WorkerSettings, 'checkBackoffMs'>,
): KnownVerdict => {
  const { nowMs, sinceMs } = operation;
  // A reference that the provider gave us and no longer knows is a contradiction, not an absence.
  const raises = vanished ? 'conflicting-evidence' : null;
  if (operation.state === 'pending') {
    const tooLong = nowMs - sinceMs >= terms.pendingUsuallyEndsWithinMs;
    return {
      raises: raises ?? (tooLong ? 'pending-too-long' : null),
      wakeAtMs: nowMs + pauseWhilePendingMs(nowMs - sinceMs, settings.checkBackoffMs[0] ?? 1_000),
    };
  }
  return { raises, wakeAtMs: nextLookAtSettledMs(sinceMs, terms.lateFailureWindowMs, nowMs) };
};

export type LookAtKnownPorts = Pick<ClaimApprovedPorts, 'askAboutPayment' | 'absorb'> & {
  /** `null` where there is nothing of it to look at (any more). */
  readonly readKnown: (organisationId: string, operationId: string) => Promise<KnownOperation | null>;
  readonly askAboutRefund: (account: ProviderAccount, reference: string) => Promise<RefundAnswer>;
  readonly applyKnown: (organisationId: string, operationId: string, verdict: KnownVerdict) => Promise<void>;
};

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
  let vanished = false;
  if (before.reference === null) {
    await askAndAbsorb(ports, account, before.paymentReference);
  } else {
    const answer = await ports.askAboutRefund(account, before.reference);
    vanished = answer.kind === 'not-found';
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
    decideKnown(after, vanished, account.adapter.contract, settings),
  );
};
