import type { KeptReason } from '../outbox-interface.ts';
import type { Cancellation, Chance, Clock, MintId } from '../ports.ts';
import type { QueueScope, QueueStore } from '../queue/queue-store.ts';
import type { Entry, SessionRow } from '../queue/stored-rows.ts';
import {
  decideBeginAttempt,
  decideEndAttempt,
  decideRetell,
  operationsToLookUp,
} from './attempt-decision.ts';
import type { BegunAttempt } from './attempt-decision.ts';
import { pauseAfter } from './backoff.ts';
import type { PauseLimits } from './backoff.ts';
import { takeLease } from './lease.ts';
import type { LeaseRequest, LockOutcome } from './lease.ts';
import { lookUp } from './look-up.ts';
import { afterFailure, failuresThatEndARound } from './round-end.ts';
import { nextStep, planEntries } from './send-plan.ts';
import type { Urgency } from './send-plan.ts';
import type { SenderLock, ServerTold, Transport } from './transport.ts';
import { classify, longestRetryAfterMs } from './verdict.ts';
import type { Classified, Kept } from './verdict.ts';

export type SenderPorts = {
  readonly store: QueueStore;
  readonly transport: Transport;
  readonly told: ServerTold;
  readonly lock: SenderLock;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly mintId: MintId;
  /** Names this tab or worker in the lease. */
  readonly holder: string;
  /** Kept with each attempt; `null` when the app did not tell it. */
  readonly appVersion: string | null;
  readonly requestTimeoutMs: number;
  readonly pauses: PauseLimits;
  /** Called with each answer, so that a screen can say whether Holdfast was reached. */
  readonly heard: (trouble: KeptReason | null) => void;
};

export type RoundOptions = { readonly urgency: Urgency; readonly cancellation: Cancellation };

/** `busy`: another tab or worker is sending. `nextTryInMs` is `null` when nothing waits for time. */
export type RoundEnd = {
  readonly kind: 'rested' | 'stopped' | 'busy' | 'nobody' | 'sign-in-needed';
  readonly sent: number;
  readonly nextTryInMs: number | null;
};

/** How much longer than one request a lease lasts: room to store what came of it. */
const leaseMarginMs = 10_000;
/** Between two rounds at least this, however short the pauses came out. */
const soonestAgainMs = 50;
/** How soon to look again whether the sender in the other tab is done. */
const busyPauseMs = 1_000;

type Round = RoundOptions & {
  readonly lock: LockOutcome;
  readonly tried: Set<string>;
  sent: number;
  failuresInRow: number;
};

/** When the cache cannot say: no cache ever has it, so nothing is applied. */
const noEpoch = -1;

const everywhere: QueueScope = { operationIds: [] };

const scopeOf = (entry: Entry): QueueScope => ({
  operationIds: entry.supersedes === null ? [entry.operationId] : [entry.operationId, entry.supersedes],
});

/**
 * Sends what is queued, one command a request, in rounds. A round is safe to run beside another one: each command
 * keeps its ID and bytes, and what comes back is recorded whoever brings it.
 */
export class Sender {
  readonly #ports: SenderPorts;
  #isLookUpDue = true;
  #stoppedRounds = 0;
  /** After a round that was stopped: until when to leave the server alone, and whether it asked for that itself. */
  #quiet: { readonly untilMs: number; readonly isServersWish: boolean } | null = null;

  constructor(ports: SenderPorts) {
    this.#ports = ports;
  }

  /** Before the next round sends anything, what may have arrived is looked up: after a start, a reconnect, a sign-in. */
  lookUpFirst(): void {
    this.#isLookUpDue = true;
  }

  async runRound(options: RoundOptions): Promise<RoundEnd> {
    const { session } = await this.#ports.store.read(everywhere);
    if (session.subject === null) return { kind: 'nobody', sent: 0, nextTryInMs: null };
    if (session.signInNeeded && options.urgency !== 'person-asked') {
      return { kind: 'sign-in-needed', sent: 0, nextTryInMs: null };
    }
    const quietMs = this.#quietMs(options.urgency);
    if (quietMs > 0) return { kind: 'rested', sent: 0, nextTryInMs: quietMs };
    return this.#ports.lock.during(async (lock) => {
      if (!(await this.#takeLease(lock))) return { kind: 'busy', sent: 0, nextTryInMs: busyPauseMs };
      try {
        return await this.#sendAll({ ...options, lock, tried: new Set(), sent: 0, failuresInRow: 0 });
      } finally {
        await this.#giveLeaseBack();
      }
    });
  }

  #quietMs(urgency: Urgency): number {
    if (this.#quiet === null || urgency === 'person-asked') return 0;
    if (urgency === 'connection-may-be-back' && !this.#quiet.isServersWish) return 0;
    const leftMs = this.#quiet.untilMs - this.#ports.clock.nowMs();
    // More than it can have been means that the clock was set back.
    return leftMs > Math.max(this.#ports.pauses.longestMs, longestRetryAfterMs) ? 0 : leftMs;
  }

  #leaseRequest(lock: LockOutcome): LeaseRequest {
    const { holder, clock, requestTimeoutMs } = this.#ports;
    return { holder, lock, nowMs: clock.nowMs(), lengthMs: requestTimeoutMs + leaseMarginMs };
  }

  #takeLease(lock: LockOutcome): Promise<boolean> {
    return this.#ports.store.change(everywhere, ({ lease }) => {
      const taken = takeLease(lease, this.#leaseRequest(lock));
      return { writes: taken === null ? {} : { lease: taken }, answer: taken !== null };
    });
  }

  #giveLeaseBack(): Promise<null> {
    return this.#ports.store.change(everywhere, ({ lease }) => ({
      writes: lease?.holder === this.#ports.holder ? { lease: null } : {},
      answer: null,
    }));
  }

  #changeSession(changed: Partial<SessionRow>): Promise<null> {
    return this.#ports.store.change(everywhere, ({ session }) => ({
      writes: { session: { ...session, ...changed } },
      answer: null,
    }));
  }

  async #sendAll(round: Round): Promise<RoundEnd> {
    const { store, clock } = this.#ports;
    if (this.#isLookUpDue) {
      const trouble = await this.#lookUpOpen(round.cancellation);
      if (trouble) return this.#stop(round, trouble);
    }
    while (!round.cancellation.requested) {
      const nowMs = clock.nowMs();
      const step = nextStep(planEntries(await store.readOpen(), nowMs), round);
      if (step.kind === 'rest') {
        const nextTryInMs = step.untilMs === null ? null : Math.max(soonestAgainMs, step.untilMs - nowMs);
        return { kind: 'rested', sent: round.sent, nextTryInMs };
      }
      round.tried.add(step.record.entry.key);
      const outcome = await this.#attempt(step.record.entry, round);
      if (outcome === 'lease-lost') return { kind: 'busy', sent: round.sent, nextTryInMs: busyPauseMs };
      const trouble = outcome === 'nothing-sent' ? null : this.#afterAttempt(round, outcome);
      if (trouble) return this.#stop(round, trouble);
    }
    return { kind: 'stopped', sent: round.sent, nextTryInMs: null };
  }

  /** @returns why nothing may be sent in this round, or `null` */
  async #lookUpOpen(cancellation: Cancellation): Promise<Kept | null> {
    const { store, transport, told, clock, requestTimeoutMs } = this.#ports;
    const open = await store.readOpen();
    const { subject, retell } = open.session;
    const all = retell && subject !== null ? await store.readSubject(subject) : null;
    const acknowledged = all ? all.records.map(({ entry }) => entry.operationId) : [];
    const ids = [...new Set([...operationsToLookUp(open), ...acknowledged])];
    if (ids.length > 0) {
      const epoch = await told.epoch().catch(() => noEpoch);
      const world = { transport, timeoutMs: requestTimeoutMs, nowMs: () => clock.nowMs(), cancellation };
      const answer = await lookUp(world, ids);
      this.#ports.heard(answer.kind === 'kept' ? answer.reason : null);
      if (answer.kind === 'kept') return this.#lookUpFailed(answer);
      const found = [...answer.operations.values()].filter((operation) => operation !== null);
      await told.applyOperations(found, epoch).catch(() => undefined);
      const versions = new Map([...answer.operations].map(([id, known]) => [id, known?.version ?? null]));
      if (all) await store.change({ operationIds: ids }, decideRetell(versions, clock.nowMs()));
    }
    if (retell) await this.#changeSession({ retell: false });
    this.#isLookUpDue = false;
    return null;
  }

  async #lookUpFailed(answer: Kept): Promise<Kept | null> {
    if (answer.reason === 'sign-in') await this.#changeSession({ signInNeeded: true });
    // A look-up that does not work must not keep commands here for ever: sending them again is safe as well.
    return afterFailure[answer.reason] === 'stop' ? answer : null;
  }

  async #attempt(entry: Entry, round: Round): Promise<Classified | 'lease-lost' | 'nothing-sent'> {
    const { store, mintId, clock, chance, pauses, appVersion } = this.#ports;
    const attemptId = mintId();
    const asked = { entryKey: entry.key, attemptId, appVersion, lease: this.#leaseRequest(round.lock) };
    const begun = await store.change(scopeOf(entry), decideBeginAttempt(asked));
    if (begun.kind === 'lease-lost') return 'lease-lost';
    if (begun.kind === 'plan-again') return 'nothing-sent';
    const outcome = await this.#request(entry, begun, round.cancellation);
    const { sessionEpoch } = begun;
    const end = { entryKey: entry.key, attemptId, sessionEpoch, outcome, pauses };
    await store.change(scopeOf(entry), decideEndAttempt({ ...end, nowMs: clock.nowMs(), chance: chance() }));
    return outcome;
  }

  async #request(
    entry: Entry,
    begun: Extract<BegunAttempt, { kind: 'begun' }>,
    cancellation: Cancellation,
  ): Promise<Classified> {
    const { transport, told, clock, requestTimeoutMs, heard } = this.#ports;
    const epoch = await told.epoch().catch(() => noEpoch);
    const body = `{"commands":[${begun.body}]}`;
    const request = {
      path: '/v1/commands',
      body,
      protocol: begun.protocol,
      timeoutMs: requestTimeoutMs,
    } as const;
    const outcome = classify(await transport.send(request, cancellation), entry, clock.nowMs());
    heard(outcome.kind === 'kept' ? outcome.reason : null);
    const operation = outcome.kind === 'verdict' ? outcome.result.operation : undefined;
    // The cache is a convenience: its trouble must not keep a verdict from being recorded.
    if (operation) await told.applyOperations([operation], epoch).catch(() => undefined);
    return outcome;
  }

  /** @returns the failure that ends the round, or `null` to go on */
  #afterAttempt(round: Round, outcome: Classified): Kept | null {
    if (outcome.kind === 'verdict') {
      round.sent += 1;
      round.failuresInRow = 0;
      this.#stoppedRounds = 0;
      this.#quiet = null;
      return null;
    }
    round.failuresInRow += 1;
    const isEnd = afterFailure[outcome.reason] === 'stop' || round.failuresInRow >= failuresThatEndARound;
    return isEnd ? outcome : null;
  }

  #stop(round: Round, trouble: Kept): RoundEnd {
    this.#isLookUpDue = true;
    this.#stoppedRounds += 1;
    if (trouble.reason === 'sign-in') return { kind: 'sign-in-needed', sent: round.sent, nextTryInMs: null };
    const { chance, pauses } = this.#ports;
    const nextTryInMs = pauseAfter(this.#stoppedRounds, chance(), trouble.retryAfterMs, pauses);
    const isServersWish = trouble.retryAfterMs !== null;
    this.#quiet = { untilMs: this.#ports.clock.nowMs() + nextTryInMs, isServersWish };
    return { kind: 'stopped', sent: round.sent, nextTryInMs };
  }
}
