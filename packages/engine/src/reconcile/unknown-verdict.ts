import type { AttentionReason } from '@holdfast/operation';
import type { ProviderContract } from '@holdfast/providers';
import type { WorkerSettings } from '../engine-interface.ts';
import { pauseBeforeCheckMs } from './wake-up.ts';

/** What is known of an operation with an unknown outcome right after a look-up that did not settle it. */
export type UnknownFacts = {
  readonly nowMs: number;
  readonly unknownSinceMs: number;
  readonly attention: readonly AttentionReason[];
  readonly onHold: boolean;
  /** Somebody asked for this very look; asking never submits, so a resubmission waits for the look that was due anyway. */
  readonly onlyLook: boolean;
  /** Until when the stored bytes may be sent again; `null` where they may not. */
  readonly replayDeadlineMs: number | null;
  /** Look-ups since the last request was sent. */
  readonly checksSinceSend: number;
  /** Requests made so far: each one that brought no answer makes the pauses longer. */
  readonly requestsMade: number;
  /** Of those, the latest run that were answered and showed nothing of ours. */
  readonly emptyReadsInARow: number;
  readonly savedFailureReplayed: boolean;
  /** The provider asked us to come back later than this, `null` where it did not. */
  readonly notBeforeMs: number | null;
};

export type UnknownVerdict =
  | { readonly kind: 'resubmit' }
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'need-person'; readonly reason: 'outcome-unresolved'; readonly untilMs: number };

/**
 * Empty look-ups in a row before the same key is sent again. One proves too little: most answers that were lost are
 * seen by the second look, and a request that is not made cannot go wrong.
 */
export const emptyReadsBeforeResubmission = 2;

/**
 * Whether there was enough looking before the same bytes go again. Where they are themselves the look-up there is
 * nothing to wait for but the pause; a webhook gets the time of two checks to come first.
 */
const lookedEnough = (
  { emptyReadsInARow, checksSinceSend }: UnknownFacts,
  lookUp: ProviderContract['lookUp'],
): boolean => {
  switch (lookUp) {
    case 'by-payment':
      return emptyReadsInARow >= emptyReadsBeforeResubmission;
    case 'by-webhook':
      return checksSinceSend >= emptyReadsBeforeResubmission;
    case 'by-replay':
      return true;
    case 'none':
      return false;
  }
};

/** Whether the stored bytes may be sent again at all: by contract, by the window, and by what the provider answered. */
export const mayBeResubmitted = (
  facts: Pick<UnknownFacts, 'nowMs' | 'replayDeadlineMs' | 'savedFailureReplayed'>,
  contract: Pick<ProviderContract, 'keyWindowMs'>,
  providerTimeoutMs: number,
): boolean =>
  contract.keyWindowMs > 0 &&
  // A saved failure is what the key will answer for ever: sending it again only asks the same question.
  !facts.savedFailureReplayed &&
  facts.replayDeadlineMs !== null &&
  facts.nowMs + providerTimeoutMs < facts.replayDeadlineMs;

/** What to do next about an unknown outcome: send the same bytes again, wait for the next look, or tell a person. */
export const decideUnknown = (
  facts: UnknownFacts,
  contract: Pick<ProviderContract, 'keyWindowMs' | 'lookUp'>,
  settings: Pick<WorkerSettings, 'checkBackoffMs' | 'needsPersonAfterMs' | 'providerTimeoutMs'>,
): UnknownVerdict => {
  const pausedUntilMs = Math.max(
    facts.nowMs + pauseBeforeCheckMs(settings.checkBackoffMs, facts.checksSinceSend + facts.requestsMade - 1),
    facts.notBeforeMs ?? 0,
  );
  const personDueMs = facts.unknownSinceMs + settings.needsPersonAfterMs;
  if (facts.attention.length > 0) {
    // A person already decides about it for another reason; this one is added when its time comes, once.
    if (!facts.attention.includes('outcome-unresolved') && facts.nowMs >= personDueMs) {
      return { kind: 'need-person', reason: 'outcome-unresolved', untilMs: pausedUntilMs };
    }
    return { kind: 'wait', untilMs: pausedUntilMs };
  }
  if (facts.nowMs >= personDueMs)
    return { kind: 'need-person', reason: 'outcome-unresolved', untilMs: pausedUntilMs };
  const untilMs = Math.min(pausedUntilMs, personDueMs);
  if (facts.onHold || facts.onlyLook) return { kind: 'wait', untilMs };
  if (!mayBeResubmitted(facts, contract, settings.providerTimeoutMs)) return { kind: 'wait', untilMs };
  if (facts.notBeforeMs !== null && facts.nowMs < facts.notBeforeMs) return { kind: 'wait', untilMs };
  if (!lookedEnough(facts, contract.lookUp)) return { kind: 'wait', untilMs };
  return { kind: 'resubmit' };
};
