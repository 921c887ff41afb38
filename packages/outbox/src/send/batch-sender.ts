import type { KeptReason } from '../outbox-interface.ts';
import type { Cancellation } from '../ports.ts';
import type { Entry } from '../queue/stored-rows.ts';
import type { Words } from '../queue/words.ts';
import { classifyBatch } from './batch-verdict.ts';
import type { BatchClassified } from './batch-verdict.ts';
import { decideBeginBatch, scopeOfEntries } from './begin-decision.ts';
import type { InHand } from './in-hand.ts';
import type { LockOutcome } from './lease.ts';
import { cacheEpoch, leaseRequestOf } from './sender-ports.ts';
import type { SenderPorts } from './sender-ports.ts';
import type { Classified } from './verdict.ts';

export type BatchOptions = { readonly lock: LockOutcome; readonly cancellation: Cancellation };

export type BatchEnd<W extends Words = Words> =
  | { readonly kind: 'lease-lost' }
  | { readonly kind: 'nothing-sent' }
  | {
      readonly kind: 'met';
      readonly classified: BatchClassified<W>;
      readonly commandCount: number;
      /** By this device's clock; may be wrong when that was set meanwhile. */
      readonly tookMs: number;
    };

const outcomesOf = <W extends Words>(
  classified: BatchClassified<W>,
  entries: readonly Entry[],
): readonly Classified<W>[] =>
  classified.kind === 'each' ? classified.outcomes : entries.map(() => classified.kept);

/** `null` when anything was learnt of any command. */
const troubleOf = (classified: BatchClassified): KeptReason | null => {
  if (classified.kind === 'whole') return classified.kept.reason;
  const [first] = classified.outcomes;
  const isAnyVerdict = classified.outcomes.some(({ kind }) => kind === 'verdict');
  return !isAnyVerdict && first?.kind === 'kept' ? first.reason : null;
};

/**
 * One request: a transaction that begins the attempts, the bytes as they lie there, a transaction that keeps what
 * came of each.
 */
export class BatchSender<W extends Words> {
  readonly #ports: SenderPorts<W>;
  readonly #inHand: InHand;

  constructor(ports: SenderPorts<W>, inHand: InHand) {
    this.#ports = ports;
    this.#inHand = inHand;
  }

  /** Rejects when our storage failed. What was heard by then stays in hand. */
  async send(chosen: readonly Entry[], options: BatchOptions): Promise<BatchEnd<W>> {
    const { store, mintId, clock, chance, pauses, appVersion, heard } = this.#ports;
    const attemptId = mintId();
    const entryKeys = chosen.map(({ key }) => key);
    const lease = leaseRequestOf(this.#ports, options.lock);
    const asked = { entryKeys, attemptId, appVersion, lease };
    const begun = await store.change(scopeOfEntries(chosen), decideBeginBatch(asked));
    if (begun.kind === 'lease-lost') return begun;
    if (begun.kind === 'plan-again') return { kind: 'nothing-sent' };
    const { entries, sessionEpoch, retellCount } = begun;
    const epoch = await cacheEpoch(this.#ports);
    const startedAtMs = clock.nowMs();
    const classified = await this.#request(entries, options.cancellation);
    const nowMs = clock.nowMs();
    heard(troubleOf(classified));
    const outcomes = outcomesOf(classified, entries);
    this.#inHand.take({
      attemptId,
      sessionEpoch,
      retellCount,
      outcomes: entries.map((entry, index) => ({ entry, outcome: outcomes[index] as Classified })),
      isWhole: classified.kind === 'whole',
      nowMs,
      chance: chance(),
      pauses,
    });
    await this.#tell(outcomes, epoch);
    await this.#inHand.storeAll();
    return { kind: 'met', classified, commandCount: entries.length, tookMs: nowMs - startedAtMs };
  }

  async #request(entries: readonly Entry[], cancellation: Cancellation): Promise<BatchClassified<W>> {
    const { wire, transport, clock, requestTimeoutMs } = this.#ports;
    const request = {
      path: wire.path,
      body: `{"commands":[${entries.map(({ body }) => body).join(',')}]}`,
      // Those of one batch are of one version.
      protocol: entries[0]?.protocol ?? 0,
      timeoutMs: requestTimeoutMs,
    };
    const delivery = await transport.send(request, cancellation);
    return classifyBatch(wire, delivery, entries, clock.nowMs());
  }

  /** The cache is a convenience: its trouble must not keep a verdict from being recorded. */
  async #tell(outcomes: readonly Classified<W>[], epoch: number): Promise<void> {
    const operations = outcomes.flatMap((outcome) =>
      outcome.kind === 'verdict' && outcome.result.operation ? [outcome.result.operation] : [],
    );
    if (operations.length === 0) return;
    await this.#ports.told.applyOperations(operations, epoch).catch(() => undefined);
  }
}
