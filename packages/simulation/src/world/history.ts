import type { WorkerSettings } from '@holdfast/engine';
import { mintOperationId, type Operation } from '@holdfast/operation';
import { Witness } from '../check/witness.ts';
import { createPretendProvider, type PretendProvider } from '../provider/pretend-provider.ts';
import { createChance, type Chance } from './chance.ts';
import { people, type Person } from './database.ts';
import type { HistoryDatabase } from './history-database.ts';
import { Device, noNetworkTroubles, type NetworkTroubles } from './device.ts';
import type { Plan, Trouble } from './plan.ts';
import {
  kill,
  noDatabaseTroubles,
  startServer,
  startWorker,
  type Grounds,
  type ServerProcess,
  type WorkerProcess,
} from './processes.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { answerRequest, followFeed, pollFeed, principalOf, type WireAnswer } from './server-door.ts';
import { Violation } from './violation.ts';
import { createWebhooks } from './webhooks.ts';

export const settingsOfHistories: WorkerSettings = {
  providerTimeoutMs: 2_000,
  leaseMs: 8_000,
  checkBackoffMs: [400, 1_000, 2_000, 4_000],
  needsPersonAfterMs: 40_000,
  undoMs: 1_500,
};

const never = <Answer>(): Promise<Answer> => new Promise<Answer>(() => undefined);

/** Everything that one history is made of. Whoever acts in it gets this. */
export class History {
  readonly plan: Plan;
  readonly chance: Chance;
  readonly scheduler: Scheduler;
  readonly provider: PretendProvider;
  readonly witness: Witness;
  readonly database: HistoryDatabase;
  readonly databaseTroubles = noDatabaseTroubles();
  readonly network: NetworkTroubles = noNetworkTroubles();
  readonly devices: Device[] = [];
  readonly orderIds: string[] = [];
  readonly log: string[] = [];
  server: ServerProcess;
  workers: WorkerProcess[] = [];
  healed = false;
  healedAtMs = 0;
  /** When the database was put back to an earlier time. */
  putBackAtMs: number | null = null;
  /** Events of the provider that nobody has acknowledged yet. */
  untold = 0;
  /**
   * The database was put back and neither its own identity nor anybody's cursor told: a device that comes back late may
   * then take old news for new, as `docs/simulation.md` says.
   */
  unnoticed = false;
  /** Commits that wrote into the feed. */
  written = 0;
  /** The first thing that went wrong: it ends the history. */
  trouble: unknown = null;
  readonly #grounds: Grounds;
  readonly #tell: ReturnType<typeof createWebhooks>;
  readonly #traces: boolean;
  #started = 0;

  constructor(plan: Plan, database: HistoryDatabase, traces: boolean) {
    this.plan = plan;
    this.database = database;
    this.#traces = traces;
    this.chance = createChance(plan.seed);
    this.scheduler = createScheduler(database.beginMs, database.quiet);
    database.world.nowMs = this.scheduler.nowMs;
    database.world.randomUuid = this.#uuids('database');
    this.#tell = createWebhooks(this);
    this.witness = new Witness(() => this.provider.ledger, this.scheduler.nowMs);
    const terms = { keyWindowMs: plan.keyWindowMs, trustsAbsence: this.has('trusted-absence') };
    this.provider = createPretendProvider(this.scheduler, this.chance.fork('provider'), terms, {
      beforeRefund: (expected, request) => this.#guard(() => this.witness.beforeRefund(expected, request)),
      changed: (event) => this.#tell(event),
      left: (expected, request, untilMs) =>
        this.#guard(() => this.witness.requestLeft(expected, request, untilMs)),
      answered: (expected) => this.witness.sending.answered(expected),
      trace: (line) => this.trace(line),
    });
    this.#grounds = {
      scheduler: this.scheduler,
      chance: this.chance.fork('processes'),
      database,
      provider: this.provider,
      troubles: this.databaseTroubles,
      settings: settingsOfHistories,
      trace: (line) => this.trace(line),
      onTrouble: (error) => this.fail(error),
      feedWritten: () => {
        this.written += 1;
        for (const worker of this.workers) worker.wake();
      },
    };
    this.server = this.#newServer();
  }

  has(trouble: Trouble): boolean {
    return this.plan.troubles.includes(trouble);
  }

  trace(line: string): void {
    if (!this.#traces) return;
    const seconds = ((this.scheduler.nowMs() - this.database.beginMs) / 1_000).toFixed(3);
    this.log.push(`${seconds.padStart(8)}  ${line}`);
  }

  fail(error: unknown): void {
    this.trouble ??= error;
    this.trace(`the history ends: ${String(error)}`);
  }

  #guard(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.fail(error);
    }
  }

  #uuids(name: string): () => string {
    const chance = this.chance.fork(`uuids of ${name}`);
    return () => {
      const part = (): string =>
        chance
          .below(2 ** 32)
          .toString(16)
          .padStart(8, '0');
      const hex = part() + part() + part() + part();
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    };
  }

  /** What the shipped code calls for an ID of its own. */
  readonly randomUuid = (() => {
    let own: (() => string) | undefined;
    return (): string => (own ??= this.#uuids('processes'))();
  })();

  #skew(): number {
    return this.has('clocks') ? this.chance.between(-3_000, 3_000) : 0;
  }

  #newServer(): ServerProcess {
    this.#started += 1;
    return startServer(this.#grounds, `server ${String(this.#started)}`, this.#skew());
  }

  #newWorker(): WorkerProcess {
    this.#started += 1;
    return startWorker(this.#grounds, `worker ${String(this.#started)}`, this.#skew());
  }

  /** Starts anew whatever has died. */
  revive(): void {
    if (!this.server.mortal.alive) {
      this.server = this.#newServer();
      this.trace(`${this.server.mortal.name} starts`);
    }
    while (this.workers.length < this.plan.workers) this.workers.push(this.#newWorker());
    this.workers = this.workers.map((worker) => {
      if (worker.mortal.alive) return worker;
      const next = this.#newWorker();
      this.trace(`${next.mortal.name} starts`);
      return next;
    });
  }

  killAll(): void {
    for (const { mortal } of [this.server, ...this.workers]) kill(this.#grounds, mortal, 'with everything');
  }

  /** A request to whichever server is there. Where it has died nobody ever answers. */
  async #ask(person: Person, path: string, body: string): Promise<WireAnswer> {
    const { engine, mortal } = this.server;
    if (!mortal.alive) return never();
    const answer = await answerRequest(engine, person, path, body);
    return mortal.alive ? answer : never();
  }

  addDevice(name: string, person: Person, tabs: number): void {
    this.devices.push(
      new Device(name, person, tabs, {
        scheduler: this.scheduler,
        chance: this.chance.fork(name),
        network: this.network,
        ask: (who, path, body) => this.#ask(who, path, body),
        poll: async (who, cursor, stream) => {
          const { server } = this;
          if (!server.mortal.alive) return never();
          const goesOn = stream === server && cursor !== null;
          const told = goesOn ? followFeed(server.engine, who, cursor) : pollFeed(server.engine, who, cursor);
          return { batches: await told, stream: server };
        },
        shown: (device, operations) => this.#guard(() => this.witness.shown(device, operations)),
        trace: (line) => this.trace(line),
        onTrouble: (error) => this.fail(error),
      }),
    );
  }

  /** Runs something beside everything else; what it throws ends the history. */
  start(task: () => Promise<unknown>): void {
    task().catch((error: unknown) => this.fail(error));
  }

  /** Again and again, after pauses by chance, until `isOver`. */
  every(
    name: string,
    leastMs: number,
    mostMs: number,
    act: (chance: Chance) => Promise<unknown> | void,
  ): void {
    const chance = this.chance.fork(name);
    const turn = (): void => {
      this.scheduler.later(chance.between(leastMs, mostMs), null, () => {
        if (this.trouble !== null) return;
        this.start(async () => act(chance));
        turn();
      });
    };
    turn();
  }

  async putOrder(index: number, capturedMinor: number): Promise<void> {
    const id = `order-${String(index)}`;
    const reference = `pi_${String(index)}`;
    this.provider.ledger.captured.set(reference, capturedMinor);
    this.orderIds.push(id);
    const answer = await this.server.engine.putOrder({ ...principalOf({ id: 'eve', role: 'admin' }) }, id, {
      customer: { id: `customer-${String(index)}`, name: 'Mara Lind' },
      payment: { provider: 'stripe', reference, captured: { minor: capturedMinor, currency: 'EUR' } },
      lines: [],
      returns: [
        {
          id: 'return-1',
          status: 'received',
          receivedAt: new Date(this.database.beginMs - 86_400_000).toISOString(),
        },
      ],
      placedAt: new Date(this.database.beginMs - 5 * 86_400_000).toISOString(),
    });
    if (!answer.ok) throw new Violation('crash', 'an order is put', JSON.stringify(answer.problem));
  }

  person(role: Person['role']): readonly Person[] {
    return people.filter((one) => one.role === role);
  }

  /** The operation as the server tells it now, to whoever may see everything. */
  async toldNow(id: string): Promise<Operation | null> {
    return this.server.engine.getOperation(principalOf({ id: 'eve', role: 'admin' }), id);
  }

  mintId(chance: Chance): string {
    const random = new Uint8Array(10).map(() => chance.below(256));
    return mintOperationId(this.scheduler.nowMs(), random);
  }
}
