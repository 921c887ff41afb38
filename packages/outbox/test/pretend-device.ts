import type { DecisionIntent, Decided, Queued } from '../src/outbox-interface.ts';
import { createCanceller } from '../src/ports.ts';
import { Intents } from '../src/queue/intents.ts';
import { decideSignedIn } from '../src/queue/session-decision.ts';
import { deviceItems } from '../src/read/device-item.ts';
import { settleOwedSignOut } from '../src/send/owed-sign-out.ts';
import type { OwedSignOutPorts } from '../src/send/owed-sign-out.ts';
import type { Urgency } from '../src/send/send-plan.ts';
import { refundWire } from '../src/send/refund-wire.ts';
import { Sender } from '../src/send/sender.ts';
import type { RoundEnd } from '../src/send/sender.ts';
import type { LockOutcome } from '../src/send/lease.ts';
import type { Transport } from '../src/send/transport.ts';
import { MemoryCacheStore } from './memory-cache-store.ts';
import { MemoryQueueStore } from './memory-queue-store.ts';
import { createMint, sampleOrderSeen, sampleProposal } from './samples.ts';

/** One browser without a browser: the real decisions and sender over stores in memory and a clock that is told. */
export class PretendDevice {
  readonly store = new MemoryQueueStore();
  readonly cache = new MemoryCacheStore();
  readonly mint = createMint();
  readonly intents: Intents;
  nowMs = 1_764_000_000_000;
  chance = 0.5;
  lock: LockOutcome = 'unavailable';
  readonly #transport: Transport;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(transport: Transport) {
    this.#transport = transport;
    const clock = { nowMs: () => this.nowMs };
    this.intents = new Intents({ store: this.store, cache: this.cache, clock, mintId: this.mint });
  }

  get #signOutPorts(): OwedSignOutPorts {
    return {
      store: this.store,
      transport: this.#transport,
      timeoutMs: 20_000,
      protocol: 1,
      alone: (task) => {
        const turn = this.#turn.then(task);
        this.#turn = turn.catch(() => undefined);
        return turn;
      },
    };
  }

  signIn(subject = 'ann'): Promise<unknown> {
    return this.store.change({ operationIds: [] }, decideSignedIn(subject));
  }

  /** A sender of its own for each tab; `startedMsAgo` shifts the tab's idea of the time. */
  tab(skewMs = 0): Sender {
    return new Sender({
      store: this.store,
      wire: refundWire,
      transport: this.#transport,
      told: {
        epoch: async () => (await this.cache.state()).epoch,
        applyOperations: (operations, epoch) => this.cache.applyOperations(operations, epoch),
      },
      lock: { during: (task) => task(this.lock), isGone: () => Promise.resolve(false) },
      clock: { nowMs: () => this.nowMs + skewMs },
      chance: () => this.chance,
      mintId: this.mint,
      holder: this.mint(),
      appVersion: '1.0.0-test',
      requestTimeoutMs: 20_000,
      pauses: { firstMs: 1_000, longestMs: 60_000 },
      heard: () => undefined,
      settleSignOut: (cancellation) => settleOwedSignOut(this.#signOutPorts, cancellation),
    });
  }

  round(sender: Sender, urgency: Urgency = 'pauses-hold'): Promise<RoundEnd> {
    return sender.runRound({ urgency, cancellation: createCanceller() });
  }

  async queue(orderId: string): Promise<string> {
    const begun = await this.intents.begin(sampleOrderSeen(orderId));
    if (begun.kind !== 'draft') throw new Error(`no draft: ${begun.kind}`);
    const queued = await this.intents.queue(begun.draft.operationId, sampleProposal(orderId));
    if (!queued.saved) throw new Error(`not queued: ${queued.because.reason}`);
    return queued.operationId;
  }

  queueAgain(operationId: string, orderId: string): Promise<Queued> {
    return this.intents.queue(operationId, sampleProposal(orderId));
  }

  decide(intent: DecisionIntent): Promise<Decided> {
    return this.intents.decide(intent);
  }

  async items() {
    return deviceItems(await this.store.readAll(), this.nowMs);
  }
}
