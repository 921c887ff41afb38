import type { Cancellation } from '../ports.ts';
import type { Words } from '../queue/words.ts';
import { pauseAfter } from './backoff.ts';
import type { LeaseRow } from '../queue/stored-rows.ts';
import { BatchSender } from './batch-sender.ts';
import type { BatchEnd } from './batch-sender.ts';
import { chooseBatch, firstCommands, isCuredByParting, sizeAfter } from './batch-size.ts';
import { InHand } from './in-hand.ts';
import { takeLease } from './lease.ts';
import type { LockOutcome } from './lease.ts';
import { afterFailure, failuresThatEndARound } from './round-end.ts';
import { lookUpOpen } from './round-look-up.ts';
import { nextStep, planEntries } from './send-plan.ts';
import type { PlannedEntry, Urgency } from './send-plan.ts';
import { leaseRequestOf } from './sender-ports.ts';
import type { SenderPorts } from './sender-ports.ts';
import { longestRetryAfterMs } from './verdict.ts';
import type { Kept } from './verdict.ts';

export type RoundOptions = { readonly urgency: Urgency; readonly cancellation: Cancellation };

/** `busy`: another tab or worker is sending. `nextTryInMs` is `null` when nothing waits for time. */
export type RoundEnd = {
  readonly kind: 'rested' | 'stopped' | 'busy' | 'nobody' | 'sign-in-needed' | 'sign-out-owed';
  /** Commands that got their verdict. */
  readonly sent: number;
  readonly nextTryInMs: number | null;
};

/** Between two rounds at least this, however short the pauses came out. */
const soonestAgainMs = 50;
/** How soon to look again whether the sender in the other tab is done. */
const busyPauseMs = 1_000;
/** An answer that took longer than this part of the deadline is not quick: more at once would miss it. */
const quickShare = 1 / 4;

type Round = RoundOptions & {
  readonly lock: LockOutcome;
  readonly tried: Set<string>;
  readonly parted: Set<string>;
  sent: number;
  failuresInRow: number;
};

/** After a round that was stopped: since and until when to leave the server alone, and whether it asked for that. */
type Quiet = { readonly sinceMs: number; readonly untilMs: number; readonly isServersWish: boolean };

const everywhere = { operationIds: [] };
const keyOf = ({ record }: PlannedEntry): string => record.entry.key;

type Met = Extract<BatchEnd, { kind: 'met' }>;

/** The first outcome after which the others would meet the same. */
const stopperOf = ({ classified }: Met): Kept | null => {
  const outcomes = classified.kind === 'whole' ? [classified.kept] : classified.outcomes;
  const stopper = outcomes.find(
    (one): one is Kept => one.kind === 'kept' && afterFailure[one.reason] === 'stop',
  );
  return stopper ?? null;
};

/**
 * Sends what is queued, in batches, in rounds. A round is safe to run beside another one: each command keeps its ID
 * and bytes, and what comes back is recorded whoever brings it.
 */
export class Sender<W extends Words = Words> {
  readonly #ports: SenderPorts<W>;
  readonly #inHand: InHand;
  readonly #batches: BatchSender<W>;
  #isLookUpDue = true;
  /** Somebody asked for it after the last one began; one that failed comes back with the next round. */
  #isLookUpAskedAnew = false;
  #size = firstCommands;
  #stoppedRounds = 0;
  #quiet: Quiet | null = null;

  constructor(ports: SenderPorts<W>) {
    this.#ports = ports;
    this.#inHand = new InHand(ports.store);
    this.#batches = new BatchSender(ports, this.#inHand);
  }

  /** Before the next round sends anything, what may have arrived is looked up: after a start, a reconnect, a sign-in. */
  lookUpFirst(): void {
    this.#isLookUpDue = true;
    this.#isLookUpAskedAnew = true;
  }

  /**
   * Rejects with our own storage's error. What was heard and could not be stored stays in hand, and no round sends
   * anything before that is stored.
   */
  async runRound(options: RoundOptions): Promise<RoundEnd> {
    await this.#inHand.storeAll();
    const standing = await this.#ports.settleSignOut(options.cancellation);
    if (standing === 'still-owed') return this.#signOutOwed();
    const { session, lease } = await this.#ports.store.read(everywhere);
    if (session.subject === null) return { kind: 'nobody', sent: 0, nextTryInMs: null };
    if (session.signInNeeded && options.urgency !== 'person-asked') {
      return { kind: 'sign-in-needed', sent: 0, nextTryInMs: null };
    }
    const quietMs = this.#quietMs(options.urgency);
    if (quietMs > 0) return { kind: 'rested', sent: 0, nextTryInMs: quietMs };
    return this.#ports.lock.during(async (lock) => {
      if (!(await this.#takeLease(lock, lease))) return { kind: 'busy', sent: 0, nextTryInMs: busyPauseMs };
      try {
        const round = { ...options, lock, tried: new Set<string>(), parted: new Set<string>() };
        return await this.#sendAll({ ...round, sent: 0, failuresInRow: 0 });
      } finally {
        await this.#giveLeaseBack();
      }
    }, options.cancellation);
  }

  #signOutOwed(): RoundEnd {
    const { chance, pauses } = this.#ports;
    this.#stoppedRounds += 1;
    const nextTryInMs = pauseAfter(this.#stoppedRounds, chance(), null, pauses);
    return { kind: 'sign-out-owed', sent: 0, nextTryInMs };
  }

  #quietMs(urgency: Urgency): number {
    if (this.#quiet === null || urgency === 'person-asked') return 0;
    const { sinceMs, untilMs, isServersWish } = this.#quiet;
    if (urgency === 'connection-may-be-back' && !isServersWish) return 0;
    const nowMs = this.#ports.clock.nowMs();
    const longestMs = 2 * Math.max(this.#ports.pauses.longestMs, longestRetryAfterMs);
    // Earlier than it began, or longer than it can have been, means that the clock was set.
    return nowMs < sinceMs || untilMs - nowMs > longestMs ? 0 : untilMs - nowMs;
  }

  /** @param found the lease as it was a moment ago */
  async #takeLease(lock: LockOutcome, found: LeaseRow | null): Promise<boolean> {
    const { store, holder } = this.#ports;
    const isGone = found !== null && found.holder !== holder && (await this.#ports.lock.isGone(found.holder));
    const gone = isGone ? found.holder : null;
    return store.change(everywhere, ({ lease }) => {
      const taken = takeLease(lease, { ...leaseRequestOf(this.#ports, lock), gone });
      return { writes: taken === null ? {} : { lease: taken }, answer: taken !== null };
    });
  }

  #giveLeaseBack(): Promise<null> {
    return this.#ports.store.change(everywhere, ({ lease }) => ({
      writes: lease?.holder === this.#ports.holder ? { lease: null } : {},
      answer: null,
    }));
  }

  async #sendAll(round: Round): Promise<RoundEnd> {
    const { store, clock } = this.#ports;
    if (this.#isLookUpDue) {
      const trouble = await this.#lookUpOpen(round);
      if (trouble) return this.#stop(round, trouble);
    }
    // Planned anew only when all that was due has gone: what waited for that is due by then.
    while (!round.cancellation.requested) {
      const nowMs = clock.nowMs();
      const step = nextStep(planEntries(await store.readOpen(), nowMs), { ...round, nowMs });
      if (step.kind === 'rest') {
        const untilMs = this.#isLookUpAskedAnew ? nowMs : step.untilMs;
        const nextTryInMs = untilMs === null ? null : Math.max(soonestAgainMs, untilMs - nowMs);
        return { kind: 'rested', sent: round.sent, nextTryInMs };
      }
      const end = await this.#sendDue(step.due, round);
      if (end) return end;
    }
    return { kind: 'stopped', sent: round.sent, nextTryInMs: null };
  }

  /** @returns why nothing may be sent in this round */
  async #lookUpOpen({ cancellation }: Round): Promise<Kept | null> {
    // Whoever asks for one while this one is under way asks for another: a restore may be heard of in the middle.
    this.#isLookUpDue = false;
    this.#isLookUpAskedAnew = false;
    let isDone = false;
    try {
      const looked = await lookUpOpen(this.#ports, cancellation);
      isDone = looked.isDone;
      return looked.trouble;
    } finally {
      if (!isDone) this.#isLookUpDue = true;
    }
  }

  async #sendDue(due: readonly PlannedEntry[], round: Round): Promise<RoundEnd | null> {
    let left = due;
    while (left.length > 0 && !round.cancellation.requested) {
      const batch = chooseBatch(left, this.#size);
      const keys = new Set(batch.map(keyOf));
      left = left.filter((planned) => !keys.has(keyOf(planned)));
      for (const key of keys) {
        round.tried.add(key);
        round.parted.delete(key);
      }
      const end = await this.#batches.send(
        batch.map(({ record }) => record.entry),
        round,
      );
      if (end.kind === 'lease-lost') return { kind: 'busy', sent: round.sent, nextTryInMs: busyPauseMs };
      if (end.kind === 'nothing-sent') continue;
      const trouble = this.#afterBatch(round, end);
      if (trouble) return this.#stop(round, trouble);
      if (this.#isParted(end)) {
        for (const key of keys) round.parted.add(key);
        left = [...batch, ...left];
      }
    }
    return null;
  }

  #isParted({ classified, commandCount }: Met): boolean {
    return classified.kind === 'whole' && commandCount > 1 && isCuredByParting(classified.kept.reason);
  }

  /** @returns the trouble that ends the round, or `null` to go on */
  #afterBatch(round: Round, met: Met): Kept | null {
    const { classified, commandCount, tookMs } = met;
    const { requestTimeoutMs } = this.#ports;
    if (classified.kind === 'whole') {
      const { reason } = classified.kept;
      this.#size = sizeAfter(this.#size, { kind: 'trouble', commandCount, reason });
      round.failuresInRow += 1;
      const isEnd = afterFailure[reason] === 'stop' || round.failuresInRow >= failuresThatEndARound;
      return isEnd ? classified.kept : null;
    }
    const isQuick = tookMs < requestTimeoutMs * quickShare;
    this.#size = sizeAfter(this.#size, { kind: 'answered', commandCount, isQuick });
    round.sent += classified.outcomes.filter(({ kind }) => kind === 'verdict').length;
    round.failuresInRow = 0;
    this.#stoppedRounds = 0;
    this.#quiet = null;
    return stopperOf(met);
  }

  #stop(round: Round, trouble: Kept): RoundEnd {
    this.#isLookUpDue = true;
    const { sent } = round;
    if (trouble.reason === 'sign-in') return { kind: 'sign-in-needed', sent, nextTryInMs: null };
    // We stopped it ourselves: whoever did that also knows when to go on.
    if (trouble.reason === 'interrupted') return { kind: 'stopped', sent, nextTryInMs: null };
    this.#stoppedRounds += 1;
    const { chance, pauses, clock } = this.#ports;
    const nextTryInMs = pauseAfter(this.#stoppedRounds, chance(), trouble.retryAfterMs, pauses);
    const nowMs = clock.nowMs();
    const isServersWish = trouble.retryAfterMs !== null;
    this.#quiet = { sinceMs: nowMs, untilMs: nowMs + nextTryInMs, isServersWish };
    return { kind: 'stopped', sent, nextTryInMs };
  }
}
