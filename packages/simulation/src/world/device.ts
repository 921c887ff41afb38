import type { DecisionIntent } from '@holdfast/outbox';
import {
  createCanceller,
  decideRetellNeeded,
  decideSignedIn,
  deviceItems,
  Intents,
  refundWire,
  Sender,
  type FeedBatch,
  type Transport,
} from '@holdfast/outbox/decisions';
import { MemoryCacheStore, MemoryQueueStore } from '@holdfast/outbox/pretend-stores';
import { mintOperationId, type Operation, type Order } from '@holdfast/operation';
import type { Chance } from './chance.ts';
import type { Person } from './database.ts';
import { createMortal, type Mortal, type Scheduler } from './scheduler.ts';
import { createTransport } from './device-transport.ts';
import { signInNeeded, type WireAnswer } from './server-door.ts';

/** What goes wrong between devices and servers, as shares of requests. */
export type NetworkTroubles = {
  offline: number;
  lost: number;
  answerLost: number;
  /** Of answers: how many take long, so that newer ones overtake them. */
  answerLate: number;
  doubled: number;
  late: number;
  /** Of requests: how many are answered by somebody in between who is not the server. */
  stranger: number;
};

export const noNetworkTroubles = (): NetworkTroubles => ({
  ...{ offline: 0, lost: 0, answerLost: 0, answerLate: 0, doubled: 0, late: 0, stranger: 0 },
});

/** What a device lives in. */
export type DeviceGrounds = {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly network: NetworkTroubles;
  /** Hands a request to whichever server is there; never resolves where none answers. */
  readonly ask: (person: Person, path: string, body: string) => Promise<WireAnswer>;
  /** Reads the feed over the stream that is given, or over a new one where there is none or its server has gone. */
  readonly poll: (
    person: Person,
    cursor: string | null,
    stream: object | null,
  ) => Promise<{ readonly batches: readonly FeedBatch[]; readonly stream: object }>;
  /** Somebody saw this on a screen. */
  readonly shown: (device: string, operations: readonly Operation[]) => void;
  readonly trace: (line: string) => void;
  readonly onTrouble: (error: unknown) => void;
};

const requestTimeoutMs = 4_000;

/** Of the looks at a feed whose stream is open: how many are over a new one, as after a reload. */
const begunAnew = 0.2;

type Seat = { readonly mortal: Mortal; readonly sender: Sender; readonly intents: Intents; isBusy: boolean };

/** One browser: the shipped queue, sender and caches, over storage in memory and a network that fails. */
export class Device {
  readonly name: string;
  readonly person: Person;
  readonly store = new MemoryQueueStore();
  readonly cache = new MemoryCacheStore();
  /** Operations that its person ended here, so that what was proposed of them may go. */
  readonly endedHere = new Set<string>();
  /** Items of which a person was told that they are saved. */
  readonly promised = new Map<string, { readonly operationId: string; readonly type: string }>();
  skewMs = 0;
  /** The server does not know it any more, until its person signs in again. */
  isSessionOver = false;
  /** How much of the feed it has read to its end. */
  readThrough = -1;
  readonly #grounds: DeviceGrounds;
  readonly #number: number;
  #seats: Seat[];
  #minted = 0;
  #polling = false;
  /** Until then nothing is to be sent, as far as this device knows. */
  #nothingBeforeMs = 0;
  /** What the feed is read over, for as long as nothing breaks it. */
  #stream: object | null = null;

  constructor(name: string, person: Person, tabs: number, grounds: DeviceGrounds) {
    this.name = name;
    this.#number = Number(name.replace(/\D/g, ''));
    this.person = person;
    this.#grounds = grounds;
    this.#seats = Array.from({ length: tabs }, (_, index) => this.#seat(index));
  }

  async signIn(): Promise<void> {
    this.isSessionOver = false;
    await this.store.change({ operationIds: [] }, decideSignedIn(this.person.id));
  }

  get #clock() {
    return { nowMs: (): number => this.#grounds.scheduler.nowMs() + this.skewMs };
  }

  #mint(): string {
    this.#minted += 1;
    const random = new Uint8Array(10);
    const view = new DataView(random.buffer);
    view.setUint32(2, this.#grounds.chance.below(2 ** 31));
    // The end of an ID is what the trace shows of it: the device's number, and its count there.
    view.setUint32(6, this.#number * 0x100 + this.#minted);
    return mintOperationId(this.#clock.nowMs(), random);
  }

  #seat(index: number): Seat {
    const mortal = createMortal(`${this.name} tab ${String(index)}`);
    const { chance } = this.#grounds;
    const mintId = (): string => this.#mint();
    const sender = new Sender({
      store: this.store,
      wire: refundWire,
      transport: this.#transport(mortal),
      told: {
        epoch: async () => (await this.cache.state()).epoch,
        applyOperations: async (operations, epoch) => {
          await this.cache.applyOperations(operations, epoch);
          this.#show();
        },
      },
      lock: { during: (task) => task('unavailable'), isGone: () => Promise.resolve(false) },
      clock: this.#clock,
      chance: () => chance.next(),
      ...{ mintId, holder: mintId(), appVersion: null, requestTimeoutMs },
      pauses: { firstMs: 500, longestMs: 5_000 },
      heard: () => undefined,
      settleSignOut: () => Promise.resolve('nothing-owed'),
    });
    const intents = new Intents({ store: this.store, cache: this.cache, clock: this.#clock, mintId });
    return { mortal, sender, intents, isBusy: false };
  }

  #transport(mortal: Mortal): Transport {
    const { scheduler, chance, network } = this.#grounds;
    const asked = (path: string, body: string): Promise<WireAnswer> =>
      this.isSessionOver ? Promise.resolve(signInNeeded) : this.#grounds.ask(this.person, path, body);
    return createTransport({ scheduler, chance, network, asked }, mortal);
  }

  /** Something may wait to be sent, as far as this device knows. */
  mayHaveWork(): boolean {
    return this.#grounds.scheduler.nowMs() >= this.#nothingBeforeMs;
  }

  /** One of its tabs sends what waits; beside the others, which know nothing of it. */
  async round(): Promise<void> {
    const seat = this.#grounds.chance.pick(this.#seats);
    if (seat === undefined || seat.isBusy) return;
    seat.isBusy = true;
    try {
      const end = await seat.sender.runRound({ urgency: 'person-asked', cancellation: createCanceller() });
      const isAtRest = end.kind === 'rested' && end.sent === 0;
      this.#nothingBeforeMs = isAtRest ? this.#grounds.scheduler.nowMs() + (end.nextTryInMs ?? Infinity) : 0;
    } finally {
      seat.isBusy = false;
    }
  }

  /** A tab is closed in the middle of whatever it does, and opened again. */
  reopenTab(): void {
    const index = this.#grounds.chance.below(this.#seats.length);
    const seat = this.#seats[index];
    if (seat === undefined) return;
    seat.mortal.alive = false;
    this.#grounds.trace(`${seat.mortal.name} is closed and opened again`);
    this.#seats[index] = this.#seat(index);
  }

  lookUpFirst(): void {
    this.#nothingBeforeMs = 0;
    for (const { sender } of this.#seats) sender.lookUpFirst();
  }

  /** Whether its stream is open there: a browser whose stream has ended begins another. */
  isReadingFrom(server: object): boolean {
    return this.#stream === server;
  }

  #show(): void {
    this.#grounds.shown(this.name, [...this.cache.operations.values()]);
  }

  /** Reads the feed once, as the server's route tells it, and applies what came through. */
  async pollFeed(written = 0): Promise<void> {
    const { chance, network, scheduler } = this.#grounds;
    if (this.#polling) return;
    const open = this.#stream;
    this.#stream = null;
    if (this.isSessionOver || chance.happens(network.offline)) return;
    this.#polling = true;
    const { cursor, epoch } = await this.cache.state();
    const silence = scheduler.pause(requestTimeoutMs, null).then(() => null);
    try {
      const asked = this.#grounds.poll(this.person, cursor, chance.happens(begunAnew) ? null : open);
      const { batches: told, stream } = (await Promise.race([asked, silence])) ?? {
        batches: [],
        stream: null,
      };
      // A connection that breaks in the middle leaves what came before it.
      const most = chance.happens(network.lost) ? chance.below(told.length + 1) : Infinity;
      for (const [index, batch] of told.slice(0, most).entries()) {
        if (!(await this.#applyBatch(batch, epoch))) break;
        if (index !== told.length - 1) continue;
        this.readThrough = written;
        this.#stream = stream;
      }
    } catch {
      // The server's trouble ends the poll; the next one goes on from the cursor.
    } finally {
      this.#polling = false;
    }
  }

  async #applyBatch(batch: FeedBatch, epoch: number): Promise<boolean> {
    if (batch.reset === null) {
      const { kind } = await this.cache.applyBatch(batch, epoch);
      this.#show();
      if (kind === 'applied') return true;
      if (kind === 'dropped-meanwhile') return false;
    }
    this.#grounds.trace(`${this.name} starts over: ${batch.reset?.reason ?? 'another history'}`);
    await this.store.change({ operationIds: [] }, decideRetellNeeded);
    await this.cache.reset();
    this.lookUpFirst();
    return false;
  }

  order(id: string): Order | undefined {
    return this.cache.orders.get(id);
  }

  operations(): readonly Operation[] {
    return [...this.cache.operations.values()];
  }

  #intents(): Intents {
    const seat = this.#grounds.chance.pick(this.#seats);
    if (seat === undefined) throw new Error('a device without a tab');
    return seat.intents;
  }

  /** @returns the operation's ID, once the person was told that it is saved */
  async propose(orderId: string, minor: number, reason: 'returned' | 'goodwill'): Promise<string | null> {
    const order = this.order(orderId);
    if (order === undefined) return null;
    const seen = { id: order.id, version: order.version, lines: order.lines, refundable: order.refundable };
    const first = await this.#intents().begin(seen);
    // A second refund of the order, as a person asks for one who sees that the first is there.
    const begun =
      first.kind === 'already-queued' ? await this.#intents().beginAnother(seen, first.operationId) : first;
    if (begun.kind !== 'draft') return null;
    const queued = await this.#intents().queue(begun.draft.operationId, {
      kind: 'refund',
      orderId,
      amount: { minor, currency: 'EUR' },
      reason,
      note: 'as agreed',
    });
    if (!queued.saved) return null;
    this.promised.set(queued.itemKey, { operationId: queued.operationId, type: 'propose' });
    this.#nothingBeforeMs = 0;
    return queued.operationId;
  }

  async decide(intent: DecisionIntent): Promise<boolean> {
    if (intent.type === 'cancel') this.endedHere.add(intent.operationId);
    const decided = await this.#intents().decide(intent);
    if (!decided.saved) return false;
    this.#nothingBeforeMs = 0;
    if (decided.how === 'queued') {
      this.promised.set(decided.itemKey, { operationId: intent.operationId, type: intent.type });
    }
    return true;
  }

  /**
   * After a possible duplicate was refused: the person looked, and says that it is another one.
   * @returns the item that says so; `null` where it is not saved
   */
  async goOn(operationId: string, differentFrom: readonly string[]): Promise<string | null> {
    const gone = await this.#intents().goOn(operationId, differentFrom);
    if (gone.saved) this.promised.set(gone.itemKey, { operationId, type: 'propose' });
    this.#nothingBeforeMs = 0;
    return gone.saved ? gone.itemKey : null;
  }

  async items() {
    return deviceItems(await this.store.readAll(), this.#clock.nowMs());
  }
}
