import { createCanceller } from '../../src/ports.ts';
import { Intents } from '../../src/queue/intents.ts';
import { decideRetellNeeded, decideSignedIn, decideSignedOut } from '../../src/queue/session-decision.ts';
import type { Entry } from '../../src/queue/stored-rows.ts';
import { historyOf } from '../../src/queue/entry-history.ts';
import { refundWire } from '../../src/send/refund-wire.ts';
import { Sender } from '../../src/send/sender.ts';
import type { Urgency } from '../../src/send/send-plan.ts';
import { MemoryCacheStore } from '../memory-cache-store.ts';
import { PretendHoldfast } from '../pretend-holdfast.ts';
import { networkOutcomes } from '../pretend-network.ts';
import type { NetworkOutcome } from '../pretend-network.ts';
import { createMint, sampleOrderSeen, sampleProposal } from '../samples.ts';
import { Evidence, Untrue } from './evidence.ts';
import { FlakyWire } from './flaky-wire.ts';
import { ActorQueue, SharedRows, StorageFailed } from './shared-queue.ts';
import { Turns, createActor, createChance, pickOf } from './turns.ts';
import type { Actor } from './turns.ts';

type Seat = {
  readonly actor: Actor;
  readonly queue: ActorQueue;
  readonly sender: Sender;
  readonly intents: Intents;
  isBusy: boolean;
};

const people = ['ann', 'ben'] as const;
const dayMs = 86_400_000;
const seatNames = ['tab one', 'tab two', 'worker'] as const;
const troubles = networkOutcomes.filter((outcome) => !outcome.startsWith('killed') && outcome !== 'arrives');
const urgencies: readonly Urgency[] = ['pauses-hold', 'connection-may-be-back', 'person-asked'];

/** One browser with two tabs and a worker that know nothing of each other, in a bad place, by one seed. */
export class FlakyWorld {
  readonly server = new PretendHoldfast();
  readonly rows = new SharedRows();
  readonly evidence: Evidence;
  readonly wire: FlakyWire;
  readonly #chance: () => number;
  readonly #turns: Turns;
  readonly #cache = new MemoryCacheStore();
  readonly #mint = createMint();
  readonly #sharesLease: boolean;
  readonly #arrivesShare: number;
  #seats: Seat[];
  #nowMs = 1_764_000_000_000;
  #orderCount = 0;
  #trouble: unknown = null;

  constructor(seed: number) {
    this.#chance = createChance(seed);
    this.#turns = new Turns(this.#chance);
    this.wire = new FlakyWire(this.server, this.#turns);
    this.evidence = new Evidence(this.rows, this.server, this.wire);
    this.#sharesLease = this.#chance() < 0.4;
    this.#arrivesShare = 0.2 + 0.6 * this.#chance();
    this.wire.next = () => this.#outcome();
    this.wire.leaving = (text) => this.evidence.checkLeaving(text);
    this.#seats = seatNames.map((name) => this.#seat(name));
    this.rows.write(decideSignedIn('ann')(this.rows.all()).writes);
  }

  /** A seeded life, and then everything heals and must come to its end. */
  async live(): Promise<void> {
    const stepCount = 3 + Math.floor(this.#chance() * 4);
    for (let step = 0; step < stepCount; step += 1) {
      this.#startSome();
      await this.#turns.run(() => this.#between());
      this.#check();
      this.#nowMs += Math.floor(this.#chance() * 90_000);
    }
    await this.#heal();
    this.#checkEnd();
  }

  #outcome(): NetworkOutcome {
    if (this.#chance() < this.#arrivesShare) return 'arrives';
    return pickOf(this.#chance, troubles) ?? 'arrives';
  }

  #seat(name: string): Seat {
    const actor = createActor(name);
    const queue = new ActorQueue(this.rows, this.#turns, actor, this.#sharesLease);
    const clock = { nowMs: () => this.#nowMs };
    const cache = this.#cache;
    const sender = new Sender({
      store: queue,
      wire: refundWire,
      transport: this.wire.of(actor),
      told: {
        epoch: async () => (await cache.state()).epoch,
        applyOperations: (operations, epoch) => cache.applyOperations(operations, epoch),
      },
      lock: { during: (task) => task('unavailable'), isGone: () => Promise.resolve(false) },
      clock,
      chance: this.#chance,
      mintId: this.#mint,
      holder: this.#mint(),
      appVersion: null,
      requestTimeoutMs: 20_000,
      pauses: { firstMs: 1_000, longestMs: 60_000 },
      heard: () => undefined,
      settleSignOut: () => Promise.resolve('nothing-owed'),
    });
    const intents = new Intents({ store: queue, cache, clock, mintId: this.#mint });
    return { actor, queue, sender, intents, isBusy: false };
  }

  /** What a person does and what the tabs do by themselves, all at once. */
  #startSome(): void {
    const taskCount = 1 + Math.floor(this.#chance() * 3);
    for (let task = 0; task < taskCount; task += 1) this.#start(this.#act());
    for (const seat of this.#seats) if (this.#chance() < 0.7) this.#start(this.#round(seat));
  }

  #start(task: Promise<unknown>): void {
    task.catch((error: unknown) => {
      if (!(error instanceof StorageFailed)) this.#trouble ??= error;
    });
  }

  async #round(seat: Seat): Promise<void> {
    // As the schedule has it: one round at a time in a tab.
    if (seat.isBusy) return;
    seat.isBusy = true;
    const urgency = pickOf(this.#chance, urgencies) ?? 'person-asked';
    try {
      await seat.sender.runRound({ urgency, cancellation: createCanceller() });
    } finally {
      seat.isBusy = false;
    }
  }

  async #act(): Promise<void> {
    const seat = pickOf(this.#chance, this.#seats.slice(0, 2));
    const what = this.#chance();
    const operationId = pickOf(this.#chance, [...this.rows.byOperation.keys()]);
    if (what < 0.5 || operationId === undefined) {
      const orderId = `order-${String((this.#orderCount += 1))}`;
      // Now and then in both tabs at once.
      const seats = what < 0.15 ? this.#seats.slice(0, 2) : [seat];
      await Promise.all(seats.flatMap((one) => (one ? [this.#queue(one, orderId)] : [])));
    } else if (seat && what < 0.57) await this.#revise(seat, operationId);
    else if (seat && what < 0.72) await this.#handle(seat, operationId, what);
    else if (seat) await this.#decide(seat, operationId, what);
  }

  async #queue({ intents }: Seat, orderId: string): Promise<void> {
    const begun = await intents.begin(sampleOrderSeen(orderId));
    if (begun.kind !== 'draft') return;
    const queued = await intents.queue(begun.draft.operationId, sampleProposal(orderId));
    if (queued.saved) this.evidence.told.add(queued.itemKey);
  }

  async #revise({ intents }: Seat, operationId: string): Promise<void> {
    const orderId = this.rows.byOperation.get(operationId)?.[0]?.orderId ?? null;
    if (orderId === null) return;
    const begun = await intents.revise(operationId, sampleOrderSeen(orderId));
    if (begun.kind !== 'draft') return;
    const queued = await intents.queue(begun.draft.operationId, sampleProposal(orderId));
    if (queued.saved) this.evidence.told.add(queued.itemKey);
  }

  async #decide({ intents }: Seat, operationId: string, what: number): Promise<void> {
    const because = { operationId, reason: 'because' };
    const intent =
      what < 0.8
        ? ({ type: 'cancel', ...because } as const)
        : what < 0.85
          ? ({ type: 'approve', operationId, fingerprint: 'a'.repeat(64) } as const)
          : what < 0.93
            ? ({ type: 'deny', ...because } as const)
            : ({ type: 'withdraw', operationId } as const);
    const decided = await intents.decide(intent);
    if (decided.saved) this.evidence.told.add(decided.itemKey);
  }

  /** What a person does with an item: drops it, takes that back, goes on after a refusal, or reads it. */
  async #handle({ intents }: Seat, operationId: string, what: number): Promise<void> {
    const item = pickOf(this.#chance, this.rows.byOperation.get(operationId) ?? []);
    if (item === undefined) return;
    if (what < 0.62) await intents.drop(item.key);
    else if (what < 0.66) await intents.undoDrop(item.key);
    else if (what < 0.69) await intents.dismiss(item.key);
    else {
      const gone = await intents.goOn(operationId, [this.#mint()]);
      if (gone.saved) this.evidence.told.add(gone.itemKey);
    }
  }

  #signIn(subject: string): void {
    this.rows.write(decideSignedIn(subject)(this.rows.all()).writes);
    for (const { sender } of this.#seats) sender.lookUpFirst();
  }

  /** What may happen at any moment. */
  #between(): void {
    if (this.#trouble !== null) throw this.#trouble;
    if (this.#chance() > 0.12) return;
    this.#check();
    const what = this.#chance();
    const operation = pickOf(this.#chance, [...this.rows.byOperation.keys()]);
    const index = Math.floor(this.#chance() * this.#seats.length);
    const seat = this.#seats[index];
    if (!seat) return;
    if (what < 0.3) {
      seat.actor.isKilled = true;
      this.#seats[index] = this.#seat(seat.actor.name);
    } else if (what < 0.4) seat.actor.isFrozen = true;
    else if (what < 0.5) for (const { actor } of this.#seats) actor.isFrozen = false;
    else if (what < 0.6) this.#nowMs += (this.#chance() < 0.5 ? -1 : 1) * dayMs;
    else if (what < 0.7) this.#nowMs += 120_000;
    else if (what < 0.78) seat.queue.failures = 1 + Math.floor(this.#chance() * 3);
    else if (what < 0.86) this.wire.deliverLate();
    else if (what < 0.92) this.#restore();
    else if (what < 0.94) this.rows.write(decideSignedOut(this.rows.all()).writes);
    else if (what < 0.96 && operation !== undefined) this.server.refused.add(operation);
    else this.#signIn(pickOf(this.#chance, people) ?? 'ann');
  }

  #restore(): void {
    this.server.forgetEverything();
    this.rows.write(decideRetellNeeded(this.rows.all()).writes);
    for (const { sender } of this.#seats) sender.lookUpFirst();
  }

  #check(): void {
    if (this.#trouble !== null) throw this.#trouble;
    this.evidence.check(this.#nowMs);
  }

  #open() {
    return [...this.rows.all().records].filter((record) => historyOf(record).ending === null);
  }

  /** For a proposal whose earlier one could not be cancelled, or a word about a proposal that was refused: for a person. */
  #mayWait({ supersedes, type, operationId }: Entry): boolean {
    return supersedes !== null || (type !== 'propose' && !this.server.operations.has(operationId));
  }

  /** The network works again, and one tab is left. */
  async #heal(): Promise<void> {
    for (const { actor } of this.#seats) actor.isFrozen = false;
    await this.#turns.run(() => undefined);
    for (const { actor } of this.#seats) actor.isKilled = true;
    const healed = this.#seat('healed');
    this.#seats = [healed];
    this.wire.next = () => 'arrives';
    while (this.wire.late.length > 0) this.wire.deliverLate();
    for (let turn = 0; turn < 24; turn += 1) {
      this.#nowMs += 3_700_000;
      this.#signIn(people[turn % people.length] ?? 'ann');
      this.#start(this.#round(healed));
      await this.#turns.run(() => undefined);
      this.#check();
      if (turn > 0 && this.#open().every(({ entry }) => this.#mayWait(entry))) return;
    }
    const keys = this.#open().map(({ entry }) => entry.key);
    throw new Untrue(`never came to an end: ${keys.join(', ')}`);
  }

  /** What ended an operation ended it, and who took their approval back last has none there. */
  #checkDecisions(): void {
    const last = new Map<string, string>();
    for (const record of this.rows.all().records) {
      const { entry } = record;
      const { ending } = historyOf(record);
      if (ending?.how !== 'verdict' || ending.status === 'rejected') continue;
      const { operationId, subject, type } = entry;
      const state = this.server.operations.get(operationId)?.state ?? '';
      if (['cancel', 'deny'].includes(type) && !['cancelled', 'denied'].includes(state)) {
        throw new Untrue(`${entry.key} was taken, and the operation is ${state}`);
      }
      if (['approve', 'withdraw'].includes(type)) last.set(`${operationId} ${subject}`, type);
    }
    for (const [whose, type] of last) {
      const [operationId = '', subject = ''] = whose.split(' ');
      if (type === 'withdraw' && this.server.hasApproved(operationId, subject)) {
        throw new Untrue(`the approval of ${operationId} was taken back, and stands`);
      }
    }
  }

  /** One operation at the server for each intent, and nothing but what a person asked for. */
  #checkEnd(): void {
    const { operations, arrived } = this.server;
    for (const record of this.rows.all().records) {
      const { entry } = record;
      if (entry.type !== 'propose') continue;
      const { ending } = historyOf(record);
      const isThere = operations.has(entry.operationId);
      if (ending?.how === 'verdict' && ending.status !== 'rejected' && !isThere)
        throw new Untrue(`${entry.key} is acknowledged and not there`);
    }
    this.#checkDecisions();
    const live = new Map<string, number>();
    for (const { id, orderId, state, proposedBy } of operations.values()) {
      if (!this.rows.byOperation.has(id)) throw new Untrue(`${id} was never asked for`);
      if (state === 'cancelled' || state === 'denied' || orderId === null) continue;
      // Each person's intent is one of its own.
      const whose = `${orderId} by ${proposedBy?.id ?? ''}`;
      live.set(whose, (live.get(whose) ?? 0) + 1);
    }
    for (const [orderId, count] of live) {
      if (count > 1) throw new Untrue(`${String(count)} refunds of ${orderId} for one intent`);
    }
    const stored = new Set([...this.rows.entries.values()].map(({ body }) => body));
    const foreign = arrived.find(({ text }) => !stored.has(text));
    if (foreign) throw new Untrue(`${foreign.commandId} arrived in other bytes than are stored`);
  }
}
