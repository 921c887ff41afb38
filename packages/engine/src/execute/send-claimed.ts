import type { AttemptReport } from '@holdfast/providers';
import type { ProviderAccount } from '../engine-interface.ts';
import type { AccountLimiter, RequestLimiter } from '../worker/account-limiter.ts';
import type { ProcessClock, WorkerLog } from '../worker/worker-ports.ts';
import type { Claimed } from './claimed.ts';
import { recordAnswer, type AttemptIdentity } from './record-answer.ts';
import { judgeBeforeSend, type BeforeSendFacts } from './send-verdict.ts';

export type SendClaimedPorts = {
  readonly clock: ProcessClock;
  readonly log: WorkerLog;
  readonly stopping: () => boolean;
  readonly limiterOf: (account: ProviderAccount) => AccountLimiter;
  /** Reads the operation's row, last of all before sending. */
  readonly readBeforeSend: (claimed: Claimed) => Promise<BeforeSendFacts>;
  readonly storeAnswer: (
    account: ProviderAccount,
    attempt: AttemptIdentity,
    report: AttemptReport,
  ) => Promise<void>;
  /** The same, and the operation settled from it in one transaction: the usual way, and the shortest. */
  readonly storeAndSettle: (
    account: ProviderAccount,
    attempt: AttemptIdentity,
    report: AttemptReport,
  ) => Promise<void>;
  readonly settle: (account: ProviderAccount, operationId: string) => Promise<void>;
};

const withoutRequest = (finding: AttemptReport['finding']): AttemptReport => ({
  finding,
  status: null,
  requestId: null,
  replayed: false,
  providerDateMs: null,
});

/**
 * Carries out one claim: checks it last of all against the database, makes its one request, and makes the answer
 * durable before anything else happens to it.
 * @returns whether a request was made
 */
export const sendClaimed = async (
  ports: SendClaimedPorts,
  account: ProviderAccount,
  claimed: Claimed,
  providerTimeoutMs: number,
): Promise<boolean> => {
  const { made, report } = await lookAndRequest(ports, account, claimed, providerTimeoutMs);
  heed(ports.limiterOf(account).submission, report);
  const attempt: AttemptIdentity = {
    organisationId: claimed.organisationId,
    operationId: claimed.operationId,
    attemptNumber: claimed.attemptNumber,
    fence: claimed.fence,
  };
  const saved = await recordAndSettle(ports, account, attempt, report);
  if (!saved) {
    const lost = made ? 'what came of a request' : 'that no request was made';
    ports.log('error', `${lost} could not be recorded, and is lost with this process`, { ...attempt });
  }
  return made;
};

/** What became of the one request, or why there was none. */
const lookAndRequest = async (
  ports: SendClaimedPorts,
  account: ProviderAccount,
  claimed: Claimed,
  providerTimeoutMs: number,
): Promise<{ readonly made: boolean; readonly report: AttemptReport }> => {
  // The request's time is counted from before this question: a process that is frozen until its answer arrives has
  // none left, and the adapter then sends nothing.
  const askedAtMs = ports.clock.nowMs();
  const notMade = (because: string) => ({
    made: false,
    report: withoutRequest({ kind: 'not-sent', because }),
  });
  let facts: BeforeSendFacts;
  try {
    facts = await ports.readBeforeSend(claimed);
  } catch (error) {
    // Nothing has left. Unsaid, the attempt would have no end: whether it left could never be told again.
    ports.log('warn', 'the last look before sending failed; nothing is sent', {
      operationId: claimed.operationId,
      error,
    });
    return notMade('last-look-failed');
  }
  const verdict = judgeBeforeSend(facts, claimed, providerTimeoutMs);
  if (verdict.kind === 'stop') return notMade(verdict.because);
  const report = await makeRequest(ports, account, claimed, askedAtMs, verdict.timeoutMs);
  return { made: true, report };
};

/**
 * Stores the answer and settles from it at once. Should settling break for whatever reason, the answer alone is made
 * durable first: saved evidence has a wake-up of its own, and is settled at the next pass.
 */
const recordAndSettle = async (
  ports: SendClaimedPorts,
  account: ProviderAccount,
  attempt: AttemptIdentity,
  report: AttemptReport,
): Promise<boolean> => {
  try {
    await ports.storeAndSettle(account, attempt, report);
    return true;
  } catch (error) {
    ports.log('warn', 'settling at once failed; the answer is saved first', {
      ...attempt,
      error,
    });
  }
  const saved = await recordAnswer(
    {
      store: (identity, answer) => ports.storeAnswer(account, identity, answer),
      pause: ports.clock.pause,
      stopping: ports.stopping,
      onTrouble: (message, about, error) => ports.log('error', message, { ...about, error }),
    },
    attempt,
    report,
  );
  if (saved) await settleIfPossible(ports, account, attempt);
  return saved;
};

const settleIfPossible = async (
  ports: SendClaimedPorts,
  account: ProviderAccount,
  attempt: AttemptIdentity,
): Promise<void> => {
  try {
    await ports.settle(account, attempt.operationId);
  } catch (error) {
    ports.log('warn', 'settling failed; the next pass does it', { ...attempt, error });
  }
};

/** One request on the wire. An adapter that breaks leaves the outcome unknown: the request may have left. */
const makeRequest = async (
  ports: SendClaimedPorts,
  account: ProviderAccount,
  claimed: Claimed,
  askedAtMs: number,
  timeoutMs: number,
): Promise<AttemptReport> => {
  const nowMs = ports.clock.nowMs();
  if (nowMs >= askedAtMs + timeoutMs) return withoutRequest({ kind: 'not-sent', because: 'no-time-left' });
  // Was the clock put back since it was asked, a deadline counted from then would outlive the lease.
  const deadlineMs = Math.min(askedAtMs, nowMs) + timeoutMs;
  try {
    return await account.adapter.submit(claimed.request, claimed.expected, deadlineMs);
  } catch (error) {
    ports.log('error', 'the adapter broke while submitting', {
      operationId: claimed.operationId,
      error,
    });
    return withoutRequest({ kind: 'unknown', because: 'adapter-broke', requestLeft: false });
  }
};

/** A locked object is one payment's matter; a refusal of the whole account is everybody's. */
const heed = (limiter: RequestLimiter, { finding }: AttemptReport): void => {
  if (finding.kind === 'deferred' && finding.because !== 'locked') {
    limiter.refused({ because: finding.because, retryAfterMs: finding.retryAfterMs });
  } else if (finding.kind !== 'not-sent' && finding.kind !== 'unknown') {
    limiter.answered();
  }
};
