import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NotSentReason } from '../src/outbox-interface.ts';
import type { RoundEnd, Sender } from '../src/send/sender.ts';
import type { EntryRow } from '../src/queue/stored-rows.ts';
import { decideRetellNeeded } from '../src/queue/session-decision.ts';
import { PretendDevice } from './pretend-device.ts';
import { PretendHoldfast } from './pretend-holdfast.ts';
import { PretendNetwork, TabKilled, networkOutcomes } from './pretend-network.ts';
import type { NetworkOutcome } from './pretend-network.ts';

type Step =
  | { do: 'queue' }
  | { do: 'approve' | 'withdraw' | 'deny' | 'cancel' | 'revise'; which: number }
  | { do: 'round' | 'two-rounds' | 'hasty-round'; network: NetworkOutcome[]; chance: number }
  | { do: 'wait'; ms: number }
  | { do: 'reload' | 'sign-in' | 'clock-back' | 'server-restored' | 'late-arrival' };

const network = fc.array(fc.constantFrom(...networkOutcomes), { maxLength: 6 });
const which = fc.nat({ max: 20 });

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>({ do: 'queue' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'approve' as const,
        'withdraw' as const,
        'deny' as const,
        'cancel' as const,
        'revise' as const,
      ),
      which,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('round' as const, 'two-rounds' as const, 'hasty-round' as const),
      network,
      chance: fc.constantFrom(0, 0.5, 0.99),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat({ max: 90_000 }) }) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        'reload' as const,
        'sign-in' as const,
        'clock-back' as const,
        'server-restored' as const,
        'late-arrival' as const,
      )
      .map((word): Step => ({ do: word })),
  },
);

class World {
  readonly server = new PretendHoldfast();
  readonly outcomes: NetworkOutcome[] = [];
  readonly network = new PretendNetwork(this.server, () => this.outcomes.shift() ?? 'refused-connection');
  readonly device = new PretendDevice(this.network);
  readonly operations: string[] = [];
  readonly orders = new Map<string, string>();
  /** Every entry ever seen in the store, with the text that it had then. */
  readonly bodies = new Map<string, string>();
  sender: Sender = this.device.tab();

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'queue':
        return this.#queue();
      case 'approve':
      case 'withdraw':
      case 'deny':
      case 'cancel':
      case 'revise':
        return this.#decide(step.do, this.operations[step.which % (this.operations.length || 1)]);
      case 'round':
      case 'hasty-round':
      case 'two-rounds':
        this.device.chance = step.chance;
        return this.#rounds(step.do, step.network);
      case 'wait':
        this.device.nowMs += step.ms;
        return;
      case 'clock-back':
        this.device.nowMs -= 3_600_000;
        return;
      case 'reload':
        this.sender = this.device.tab();
        return;
      case 'late-arrival':
        this.network.deliverLate();
        return;
      case 'sign-in':
        await this.device.signIn();
        return;
      case 'server-restored':
        this.server.forgetEverything();
        await this.device.store.change({ operationIds: [] }, decideRetellNeeded);
        this.sender.lookUpFirst();
        return;
    }
  }

  async #queue(): Promise<void> {
    const order = `order-${this.operations.length}`;
    const operationId = await this.device.queue(order);
    this.operations.push(operationId);
    this.orders.set(operationId, order);
  }

  async #decide(
    type: 'approve' | 'withdraw' | 'deny' | 'cancel' | 'revise',
    id: string | undefined,
  ): Promise<void> {
    if (id === undefined) return;
    if (type === 'approve') {
      await this.device.decide({ type, operationId: id, fingerprint: 'a'.repeat(64) });
    } else if (type === 'withdraw') await this.device.decide({ type, operationId: id });
    else if (type === 'revise') await this.#revise(id);
    else await this.device.decide({ type, operationId: id, reason: 'because' });
  }

  async #revise(id: string): Promise<void> {
    const order = this.orders.get(id) ?? '';
    const begun = await this.device.intents.revise(id, {
      id: order,
      version: 1,
      lines: [],
      refundable: { minor: 1, currency: 'EUR' },
    });
    if (begun.kind !== 'draft') return;
    const queued = await this.device.queueAgain(begun.draft.operationId, order);
    if (!queued.saved || queued.again) return;
    this.operations.push(queued.operationId);
    this.orders.set(queued.operationId, order);
  }

  async #rounds(how: 'round' | 'hasty-round' | 'two-rounds', outcomes: NetworkOutcome[]): Promise<void> {
    this.outcomes.splice(0, this.outcomes.length, ...outcomes);
    // The second tab's clock is minutes ahead, so that the lease of the first means nothing to it.
    const tabs = how === 'two-rounds' ? [this.sender, this.device.tab(300_000)] : [this.sender];
    const urgency = how === 'hasty-round' ? 'person-asked' : 'connection-may-be-back';
    const rounds = tabs.map((tab) =>
      this.device
        .round(tab, urgency)
        .then((end) => this.#checkRest(end))
        .catch((error: unknown) => {
          if (!(error instanceof TabKilled)) throw error;
          this.sender = this.device.tab();
        }),
    );
    await Promise.all(rounds);
  }

  /** Whoever comes to rest knows when to go on, as long as anything could go. */
  async #checkRest(end: RoundEnd): Promise<void> {
    if (end.kind !== 'rested' || end.nextTryInMs !== null) return;
    const waits: (NotSentReason | null)[] = ['behind-another', 'earlier-not-cancelled', 'other-subject'];
    const parked: (NotSentReason | null)[] = ['sign-in', 'wrong-subject', 'not-allowed'];
    const open = (await this.device.items()).filter(({ ending, sending }) => ending === null && !sending);
    const forgotten = open.filter(({ notSentBecause }) => ![...waits, ...parked].includes(notSentBecause));
    expect(
      forgotten.map(({ key }) => key),
      'the sender rests for ever with something to send',
    ).toEqual([]);
  }

  /** What must hold after every step. */
  check(): void {
    const entries = this.device.store.rows.entries as Map<string, EntryRow>;
    for (const [key, { body }] of entries) {
      const before = this.bodies.get(key) ?? body;
      expect(body, `the bytes of ${key} changed`).toBe(before);
      this.bodies.set(key, before);
    }
    for (const key of this.bodies.keys()) expect(entries.has(key), `${key} vanished`).toBe(true);
    for (const { commandId, type, text } of this.server.arrived) {
      const stored = [...entries.values()].filter((row) => row.commandId === commandId && row.type === type);
      expect(
        stored.map(({ body }) => body),
        `what arrived as ${commandId} was never stored`,
      ).toContain(text);
    }
  }

  async checkEndings(): Promise<void> {
    for (const item of await this.device.items()) {
      const arrived = this.server.textsOf(item.commandId).length;
      if (item.ending?.how === 'verdict') {
        expect(arrived, `${item.key} has a verdict, and the server never saw it`).toBeGreaterThan(0);
      }
      const isUnsentDrop =
        item.ending?.how === 'dropped' &&
        ['cancelled-unsent', 'withdrawn-unsent'].includes(item.ending.because);
      if (isUnsentDrop) expect(arrived, `${item.key} was dropped as unsent, and arrived`).toBe(0);
    }
  }

  /** The network works again: everything must reach its end. */
  async heal(): Promise<void> {
    this.sender = this.device.tab();
    for (let turn = 0; turn < 40; turn += 1) {
      this.device.nowMs += 3_700_000;
      await this.device.signIn();
      this.outcomes.splice(0, this.outcomes.length, ...Array.from({ length: 200 }, () => 'arrives' as const));
      await this.device.round(this.sender, 'person-asked');
      const open = (await this.device.items()).filter(({ ending }) => ending === null);
      if (open.every(({ notSentBecause }) => notSentBecause === 'earlier-not-cancelled')) return;
    }
    const stuck = (await this.device.items()).filter(({ ending }) => ending === null);
    expect(
      stuck.map(({ key, notSentBecause, lastAttempt }) => ({ key, notSentBecause, lastAttempt })),
    ).toEqual([]);
  }

  /** A changed proposal goes out only when what it replaces can do nothing any more. */
  async checkReplaced(): Promise<void> {
    while (this.network.late.length > 0) this.network.deliverLate();
    const proposals = (await this.device.store.readAll()).records.filter(
      ({ entry }) => entry.type === 'propose',
    );
    for (const { entry } of proposals) {
      const isSent = this.server.textsOf(entry.operationId).some((text) => text.includes('"type":"propose"'));
      if (entry.supersedes === null || !isSent) continue;
      const state = this.server.operations.get(entry.supersedes)?.state ?? 'unknown here';
      expect(['unknown here', 'cancelled', 'denied'], `${entry.supersedes} lives on`).toContain(state);
    }
  }

  checkAtMostOneEach(): void {
    for (const id of this.operations) {
      const texts = this.server.textsOf(id).filter((text) => text.includes('"type":"propose"'));
      expect(new Set(texts).size, 'two different proposals went out under one ID').toBeLessThanOrEqual(1);
    }
  }
}

describe('whatever the network does', () => {
  // Red when: `decideEndAttempt` ends an entry on anything but a verdict; when an attempt's body is built anew; when
  // a cancellation of an entry that may have been sent drops it; when `retell` is not followed.
  it('no item vanishes, IDs and bytes never change, and once it heals everything reaches its end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 30 }), async (steps) => {
        const world = new World();
        await world.device.signIn();
        for (const step of steps) {
          await world.take(step);
          world.check();
          await world.checkEndings();
        }
        await world.heal();
        world.check();
        await world.checkEndings();
        await world.checkReplaced();
        world.checkAtMostOneEach();
      }),
      { numRuns: 300 },
    );
  }, 120_000);
});
