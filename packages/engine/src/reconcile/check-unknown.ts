import type { Amount, AttentionReason, LookUpFinding } from '@holdfast/operation';
import { judgeAbsence, judgeLookUp, type PaymentAnswer } from '@holdfast/providers';
import { askAndAbsorb, type ClaimApprovedPorts, type ClaimResult } from '../claim/claim-approved.ts';
import type { ProviderAccount, WorkerSettings } from '../engine-interface.ts';
import { shareOf, spreadPauseMs } from '../limit/spread.ts';
import type { RequestLimiter } from '../worker/account-limiter.ts';
import {
  decideUnknown,
  mayBeResubmitted,
  type UnknownFacts,
  type UnknownVerdict,
} from './unknown-verdict.ts';

/** An operation with an unknown outcome, as the database shows it. */
export type UnknownOperation = {
  readonly organisationId: string;
  readonly operationId: string;
  readonly paymentReference: string;
  readonly capturedMinor: number;
  readonly amount: Amount;
  /** When a request of it may first have left. */
  readonly sentFromMs: number;
  /** Operations of the payment and the same amount whose outcome is not known, this one among them. */
  readonly unresolvedEqual: readonly string[];
  /** The provider's references that other operations of the payment hold. */
  readonly heldReferences: readonly string[];
  readonly facts: UnknownFacts;
  readonly attempts: readonly { readonly endedAtMs: number | null }[];
  readonly emptyReadsAtMs: readonly number[];
  /** An attempt was answered with a server error, saved or fresh. */
  readonly sawServerError: boolean;
};

export type CheckUnknownPorts = ClaimApprovedPorts & {
  /** `null` where its outcome is not unknown (any more). */
  readonly readUnknown: (organisationId: string, operationId: string) => Promise<UnknownOperation | null>;
  /**
   * Keeps what a look-up showed as evidence, counts the check, and settles. `null` where the provider has no such
   * question: the check counts, and there is nothing to keep.
   */
  readonly recordLookUp: (
    account: ProviderAccount,
    operationId: string,
    finding: LookUpFinding | null,
  ) => Promise<void>;
  readonly adjustAttention: (
    organisationId: string,
    operationId: string,
    adjustment: { readonly raises: readonly AttentionReason[]; readonly clears: readonly AttentionReason[] },
  ) => Promise<void>;
  /** Sets the next wake-up and, where it says so, brings the operation before a person. */
  readonly applyVerdict: (
    organisationId: string,
    operationId: string,
    verdict: Exclude<UnknownVerdict, { kind: 'resubmit' }>,
  ) => Promise<void>;
};

/** What the answer says about this operation, and whether nothing of it can be called final by now. */
const findingOf = (
  operation: UnknownOperation,
  answer: PaymentAnswer,
  account: ProviderAccount,
  settings: WorkerSettings,
): LookUpFinding => {
  const { contract } = account.adapter;
  const { organisationId, operationId, capturedMinor, facts } = operation;
  const { amount, sentFromMs, heldReferences, unresolvedEqual } = operation;
  const unnamed = { amount, sentFromMs, heldReferences, operations: unresolvedEqual };
  const finding = judgeLookUp(answer, {
    ...{ organisationId, operationId, capturedMinor },
    unnamed: contract.echoesReference ? undefined : unnamed,
  });
  if (finding.kind !== 'absent-yet') return finding;
  const mayStillBeResubmitted =
    facts.attention.length === 0 && mayBeResubmitted(facts, contract, settings.providerTimeoutMs);
  const kind = judgeAbsence(
    {
      nowMs: facts.nowMs,
      attempts: operation.attempts,
      emptyReadsAtMs: operation.emptyReadsAtMs,
      savedFailureReplayed: operation.sawServerError || facts.savedFailureReplayed,
      mayStillBeResubmitted,
    },
    contract,
  );
  return { kind };
};

/** What the way the provider answered, or did not, says about our standing with it. */
export const adjustmentBy = (
  answer: PaymentAnswer,
  standing: readonly AttentionReason[],
): { readonly raises: readonly AttentionReason[]; readonly clears: readonly AttentionReason[] } => {
  if (answer.kind === 'answer') {
    return { raises: [], clears: standing.filter((reason) => reason === 'provider-refuses-us') };
  }
  const raises: AttentionReason[] = [];
  if (answer.ourKeyRefused) raises.push('provider-refuses-us');
  // We sent a refund of a payment that the provider does not know: no look-up of ours will settle that.
  if (answer.paymentNotFound === true) raises.push('conflicting-evidence');
  return { raises: raises.filter((reason) => !standing.includes(reason)), clears: [] };
};

/**
 * Looks up one unknown outcome. Where that does not settle it: the same bytes again, a later look, or a person.
 * @returns the claim for a resubmission, where one was made
 */
export const checkUnknown = async (
  ports: CheckUnknownPorts,
  organisationId: string,
  operationId: string,
  account: ProviderAccount,
  submission: Pick<RequestLimiter, 'admit' | 'giveBack'>,
  settings: WorkerSettings,
): Promise<ClaimResult> => {
  const before = await ports.readUnknown(organisationId, operationId);
  if (before === null) return { kind: 'not-ours', because: 'its outcome is not unknown any more' };
  const answer = await askAndAbsorb(ports, account, before.paymentReference, before.facts.nowMs);
  const isOffered = answer.kind === 'answer' || answer.notOffered !== true;
  const finding = isOffered ? findingOf(before, answer, account, settings) : null;
  await ports.recordLookUp(account, operationId, finding);
  const adjustment = adjustmentBy(answer, before.facts.attention);
  if (adjustment.raises.length + adjustment.clears.length > 0) {
    await ports.adjustAttention(organisationId, operationId, adjustment);
  }

  const after = await ports.readUnknown(organisationId, operationId);
  if (after === null) return { kind: 'not-ours', because: 'the look-up settled it' };
  // Whether it was asked for shows before the look-up is counted.
  const facts = { ...after.facts, onlyLook: before.facts.onlyLook };
  const share = shareOf(operationId);
  const ownPauses = settings.checkBackoffMs.map((pauseMs) => spreadPauseMs(pauseMs, share));
  const verdict = decideUnknown(facts, account.adapter.contract, { ...settings, checkBackoffMs: ownPauses });
  if (verdict.kind !== 'resubmit') {
    await ports.applyVerdict(organisationId, operationId, verdict);
    return { kind: 'waits' };
  }
  const admission = await submission.admit();
  if (admission.kind === 'later') {
    const untilMs = facts.nowMs + admission.afterMs;
    await ports.applyVerdict(organisationId, operationId, { kind: 'wait', untilMs });
    return { kind: 'waits' };
  }
  // The look-up that was just answered is the fresh last check: nothing is sent on the strength of an older one.
  const resubmission = { organisationId, operationId, kind: 'resubmission', account } as const;
  let claimed = false;
  try {
    const askedSinceMs = before.facts.nowMs;
    const result = await ports.claim({ ...resubmission, askedSinceMs, accountPausedForMs: 0, settings });
    claimed = result.kind === 'claimed';
    return result;
  } finally {
    if (!claimed) submission.giveBack();
  }
};

/**
 * Where the provider cannot be asked now (there is no account, or it wants to be left alone), the time after which a
 * person is needed runs on all the same.
 * @param afterMs how long it is known that asking is not worth it
 */
export const checkWithoutAsking = async (
  ports: Pick<CheckUnknownPorts, 'readUnknown' | 'applyVerdict'>,
  organisationId: string,
  operationId: string,
  settings: WorkerSettings,
  afterMs = 0,
): Promise<void> => {
  const unknown = await ports.readUnknown(organisationId, operationId);
  if (unknown === null) return;
  const facts = { ...unknown.facts, notBeforeMs: unknown.facts.nowMs + afterMs };
  const verdict = decideUnknown(facts, { keyWindowMs: 0, lookUp: 'none' }, settings);
  if (verdict.kind === 'resubmit') throw new Error('nothing is sent where nothing can be asked');
  await ports.applyVerdict(organisationId, operationId, verdict);
};
