import type { OperationState } from '@holdfast/operation';

/** The operation's row as the database shows it last of all, right before the first byte. Times are the database's. */
export type BeforeSendFacts = {
  readonly nowMs: number;
  readonly state: OperationState;
  readonly fence: number;
  readonly leaseUntilMs: number | null;
  readonly replayDeadlineMs: number | null;
  readonly onHold: boolean;
};

export type SendVerdict =
  | { readonly kind: 'send'; readonly timeoutMs: number }
  | { readonly kind: 'stop'; readonly because: 'claim-lost' | 'lease-too-short' | 'window-over' | 'on-hold' };

/** Kept free between the end of a request and the end of its lease, so that its answer is recorded inside it. */
const leaseRestMs = 1_000;

/**
 * Whether this claim's request may leave now, and how long it may take. A request must end well inside its lease: a
 * claim that ran out is taken to be lost, and another worker may then ask about it.
 */
export const judgeBeforeSend = (
  facts: BeforeSendFacts,
  claim: { readonly fence: number; readonly firstSend: boolean },
  providerTimeoutMs: number,
): SendVerdict => {
  if (facts.state !== 'submitting' || facts.fence !== claim.fence || facts.leaseUntilMs === null) {
    return { kind: 'stop', because: 'claim-lost' };
  }
  if (facts.onHold) return { kind: 'stop', because: 'on-hold' };
  if (!claim.firstSend && (facts.replayDeadlineMs === null || facts.nowMs >= facts.replayDeadlineMs)) {
    return { kind: 'stop', because: 'window-over' };
  }
  const rest = Math.min(leaseRestMs, Math.max(1, Math.floor((facts.leaseUntilMs - facts.nowMs) / 4)));
  const leftMs = facts.leaseUntilMs - facts.nowMs - rest;
  // A lease configured shorter than the provider's time is used up to its end; one nearly over is not used at all.
  const timeoutMs = Math.min(providerTimeoutMs, leftMs);
  if (timeoutMs <= 0 || (timeoutMs < providerTimeoutMs && timeoutMs < 100)) {
    return { kind: 'stop', because: 'lease-too-short' };
  }
  return { kind: 'send', timeoutMs };
};
