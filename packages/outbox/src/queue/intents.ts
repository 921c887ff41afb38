import { proposalSchema } from '@holdfast/operation';
import type { Proposal } from '@holdfast/operation';
import type { CacheStore } from '../feed/cache-store.ts';
import { endedWithoutRefund } from '../live-query.ts';
import type {
  Begun,
  Decided,
  DecisionIntent,
  DraftContent,
  Dropped,
  NotSaved,
  OrderSeen,
  Queued,
  Saved,
} from '../outbox-interface.ts';
import type { Clock, MintId } from '../ports.ts';
import { decideDismiss, decideIntent } from './decide-intent.ts';
import {
  decideBegin,
  decideBeginAnother,
  decideDiscardDraft,
  decideRevise,
  decideSaveDraft,
} from './draft-decision.ts';
import type { DraftWorld } from './draft-decision.ts';
import { decideDrop, decideUndoDrop } from './drop-decision.ts';
import { decideGoOn, decideQueue } from './queue-decision.ts';
import type { CommandWorld, SentBefore } from './queue-decision.ts';
import { NewerElsewhere } from './queue-store.ts';
import type { Decision, QueueScope, QueueWrites } from './queue-store.ts';
import type { RefundSnapshot, RefundStore } from './refund-rows.ts';

export type IntentPorts = {
  readonly store: RefundStore;
  readonly cache: Pick<CacheStore, 'operationStates'>;
  readonly clock: Clock;
  readonly mintId: MintId;
  /** Called when something that waits to be sent was written, and not for an intent that met what is there. */
  readonly added?: () => void;
};

type Refusable = { readonly saved: boolean };
type NotSavedAnswer = { readonly saved: false; readonly because: NotSaved };

const operationIdOf = (itemKey: string): string => itemKey.split('/')[0] ?? '';

const notStored = (error: unknown): NotSaved =>
  error instanceof NewerElsewhere
    ? { reason: 'newer-elsewhere' }
    : {
        reason: 'storage-failed',
        detail: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
      };

const notThere: NotSaved = { reason: 'storage-failed', detail: 'it was written and is not there' };

const itemOf = (queued: Queued): readonly string[] => (queued.saved ? [queued.itemKey] : []);

const notBegun = (because: NotSaved, unsavedOperationId: string | null = null): Begun => ({
  kind: 'not-saved',
  because,
  unsavedOperationId,
});

/**
 * What a person asks of this device: drafts, proposals, decisions. Each is one transaction on the queue, and "saved"
 * is said only when it was read back. Uses no network, so nothing here can wait for one.
 */
export class Intents {
  readonly #ports: IntentPorts;

  constructor(ports: IntentPorts) {
    this.#ports = ports;
  }

  async begin(order: OrderSeen): Promise<Begun> {
    const ended = await this.#endedOperations(order.id);
    return this.#beginWith(order, (world) => decideBegin(world, order, ended));
  }

  beginAnother(order: OrderSeen, otherThan: string): Promise<Begun> {
    return this.#beginWith(order, (world) => decideBeginAnother(world, order, otherThan));
  }

  revise(operationId: string, order: OrderSeen): Promise<Begun> {
    return this.#beginWith(order, (world) => decideRevise(world, operationId, order));
  }

  saveDraft(operationId: string, content: DraftContent): Promise<Saved> {
    return this.#change({ operationIds: [operationId] }, (world) =>
      decideSaveDraft(world, operationId, content),
    );
  }

  discardDraft(operationId: string): Promise<Saved> {
    return this.#change({ operationIds: [operationId] }, (world) => decideDiscardDraft(world, operationId));
  }

  /** @param sent what of this ID this screen has sent before it could be stored */
  async queue(operationId: string, proposal: Proposal, sent: SentBefore | null = null): Promise<Queued> {
    const read = proposalSchema.safeParse(proposal);
    if (!read.success) {
      const issues = read.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
      return { saved: false, because: { reason: 'invalid', issues } };
    }
    const scope = { operationIds: [operationId], withSuperseded: true } as const;
    return this.#change<Queued>(scope, (world) => decideQueue(world, operationId, read.data, sent), itemOf);
  }

  goOn(operationId: string, differentFrom: readonly string[]): Promise<Queued> {
    return this.#change<Queued>(
      { operationIds: [operationId] },
      (world) => decideGoOn(world, operationId, differentFrom),
      itemOf,
    );
  }

  decide(intent: DecisionIntent): Promise<Decided> {
    return this.#change<Decided>(
      { operationIds: [intent.operationId] },
      (world) => decideIntent(world, intent),
      (decided) => (decided.saved && decided.how === 'queued' ? [decided.itemKey] : []),
    );
  }

  dismiss(itemKey: string): Promise<Saved> {
    const operationId = operationIdOf(itemKey);
    return this.#change({ operationIds: [operationId] }, (world) => decideDismiss(world, itemKey));
  }

  async drop(itemKey: string): Promise<Dropped> {
    const operationId = operationIdOf(itemKey);
    return this.#change<Dropped>({ operationIds: [operationId] }, (world) => decideDrop(world, itemKey));
  }

  async undoDrop(itemKey: string): Promise<Saved> {
    const operationId = operationIdOf(itemKey);
    try {
      const { records } = await this.#ports.store.read({ operationIds: [operationId] });
      const entry = records.find(({ entry: { key } }) => key === itemKey)?.entry;
      const orderId = entry?.orderId ?? null;
      const order =
        entry === undefined || orderId === null ? {} : { order: { subject: entry.subject, orderId } };
      return await this.#change<Saved>({ operationIds: [operationId], ...order }, (world) =>
        decideUndoDrop(world, itemKey),
      );
    } catch (error) {
      return { saved: false, because: notStored(error) };
    }
  }

  /** `null` where the browser has no source of chance that an ID may be made from. */
  #mint(): string | null {
    try {
      return this.#ports.mintId();
    } catch {
      return null;
    }
  }

  /** Cache trouble only makes `begin` more careful: nothing counts as ended. */
  async #endedOperations(orderId: string): Promise<ReadonlySet<string>> {
    const states = await this.#ports.cache.operationStates(orderId).catch(() => []);
    return new Set(states.filter(({ state }) => endedWithoutRefund.includes(state)).map(({ id }) => id));
  }

  async #beginWith(
    order: OrderSeen,
    decide: (world: DraftWorld) => (snapshot: RefundSnapshot) => Decision<Begun>,
  ): Promise<Begun> {
    const { store, clock } = this.#ports;
    const operationId = this.#mint();
    if (operationId === null) return notBegun({ reason: 'no-safe-id' });
    try {
      const { session } = await store.read({ operationIds: [] });
      if (session.subject === null) return notBegun({ reason: 'signed-out' });
      const world = { subject: session.subject, operationId, nowMs: clock.nowMs() };
      const scope = { operationIds: [], order: { subject: session.subject, orderId: order.id } };
      return await store.change(scope, decide(world));
    } catch (error) {
      const because = notStored(error);
      // A tab that only shows sends nothing; elsewhere the form stays usable, for as long as its screen is open.
      return notBegun(because, because.reason === 'storage-failed' ? operationId : null);
    }
  }

  /**
   * "Saved" is said when the write resolved, and what it added is there in another read.
   * @param storedBy the entries by which it is true although they were there before
   */
  async #change<Answer extends Refusable>(
    scope: QueueScope,
    decide: (world: CommandWorld) => (snapshot: RefundSnapshot) => Decision<Answer | NotSavedAnswer>,
    storedBy: (answer: Answer | NotSavedAnswer) => readonly string[] = () => [],
  ): Promise<Answer | NotSavedAnswer> {
    const { store, clock } = this.#ports;
    const [commandId, nowMs] = [this.#mint(), clock.nowMs()];
    if (commandId === null) return { saved: false, because: { reason: 'no-safe-id' } };
    let writes: QueueWrites = {};
    const decideHere = (snapshot: RefundSnapshot): Decision<Answer | NotSavedAnswer> => {
      const { subject } = snapshot.session;
      if (subject === null)
        return { writes: {}, answer: { saved: false, because: { reason: 'signed-out' } } };
      const decision = decide({ subject, commandId, nowMs })(snapshot);
      ({ writes } = decision);
      return decision;
    };
    const keysOf = (answer: Answer | NotSavedAnswer): readonly string[] => {
      const added = (writes.addEntries ?? []).map(({ key }) => key);
      const isReopened = (writes.addLog ?? []).some(({ event }) => event.kind === 'reopened');
      if (added.length > 0 || isReopened) this.#ports.added?.();
      return [...new Set([...storedBy(answer), ...added])];
    };
    try {
      const { answer, isThere } = await store.changeAndReadBack(scope, decideHere, keysOf);
      return isThere ? answer : { saved: false, because: notThere };
    } catch (error) {
      return { saved: false, because: notStored(error) };
    }
  }
}
