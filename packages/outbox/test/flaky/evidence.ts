import type { DeviceItem } from '../../src/outbox-interface.ts';
import { deviceItems, statusSummary } from '../../src/read/device-item.ts';
import type { PretendHoldfast } from '../pretend-holdfast.ts';
import type { FlakyWire } from './flaky-wire.ts';
import type { SharedRows } from './shared-queue.ts';

/** A claim that is stronger than its evidence, or a thing that is not there any more. */
export class Untrue extends Error {}

const claim = (isTrue: boolean, says: () => string): void => {
  if (!isTrue) throw new Untrue(says());
};

const unsentDrops: readonly string[] = ['cancelled-unsent', 'withdrawn-unsent'];
const notAnswers: readonly (string | null)[] = [
  null,
  'not-tried-yet',
  'interrupted',
  'behind-another',
  'earlier-not-cancelled',
  'other-subject',
  'unreadable',
];

/** Everything that a screen would say, held against what the server and the wire really saw. */
export class Evidence {
  readonly #rows: SharedRows;
  readonly #server: PretendHoldfast;
  readonly #wire: FlakyWire;
  readonly #bodies = new Map<string, string>();
  /** Keys of items of which a person was told that they are saved. */
  readonly told = new Set<string>();

  constructor(rows: SharedRows, server: PretendHoldfast, wire: FlakyWire) {
    this.#rows = rows;
    this.#server = server;
    this.#wire = wire;
  }

  check(nowMs: number): void {
    this.#checkRows();
    const snapshot = this.#rows.all();
    const items = deviceItems(snapshot, nowMs);
    for (const item of items) this.#checkItem(item, this.#rows.entries.get(item.key)?.body ?? '');
    const { subject } = snapshot.session;
    const open = items.filter(({ ending, ...item }) => ending === null && item.subject === subject);
    const status = statusSummary(snapshot, { unknown: 0, needsPerson: 0 }, nowMs);
    claim(status.waiting === open.length, () => `${String(status.waiting)} wait, it says`);
    claim(!status.allReceived || open.length === 0, () => 'all are received, it says');
  }

  /** A changed proposal leaves only when the cancellation of what it replaces was heard, or none was needed. */
  checkLeaving(text: string): void {
    const entry = [...this.#rows.entries.values()].find(({ body }) => body === text);
    claim(entry !== undefined, () => 'what leaves is not what is stored');
    const replaced = this.#rows.byOperation.get(entry?.supersedes ?? '') ?? [];
    const cancels = replaced.filter(({ type }) => type === 'cancel');
    const isHeard = ({ key }: { key: string }): boolean =>
      (this.#rows.logs.get(key) ?? []).some(
        ({ event }) => event.kind === 'verdict' || event.kind === 'dropped',
      );
    const isNeeded = replaced.some(({ body }) => this.#wire.handedOver.has(body));
    claim(!isNeeded || cancels.some(isHeard), () => `${String(entry?.key)} left before its time`);
  }

  #checkRows(): void {
    for (const { key, body } of this.#rows.entries.values()) {
      const before = this.#bodies.get(key);
      claim(before === undefined || before === body, () => `the bytes of ${key} changed`);
      if (before === undefined) this.#bodies.set(key, body);
    }
    for (const key of [...this.#bodies.keys(), ...this.told]) {
      claim(this.#rows.entries.has(key), () => `${key} vanished`);
    }
  }

  #checkItem(item: DeviceItem, body: string): void {
    const { key, ending } = item;
    const said = this.#wire.handedOver.get(body);
    claim(item.mayHaveBeenSent || said === undefined, () => `${key} was sent, and it says it was not`);
    const isUnsent = ending?.how === 'dropped' && unsentDrops.includes(ending.because);
    claim(!isUnsent || said === undefined, () => `${key} was dropped as unsent, and was sent`);
    if (item.safety === 'received' || ending?.how === 'verdict') {
      const given = this.#server.judged.get(item.commandId);
      const isGiven =
        ending?.how === 'verdict' && ending.status === 'rejected'
          ? given?.has('rejected')
          : given?.has('applied') || given?.has('replayed');
      claim(isGiven === true, () => `${key} is received, it says, and the server never said so`);
    }
    claim(
      item.safety !== 'sent' || item.attemptCount > 0,
      () => `${key} is sent, it says, without an attempt`,
    );
    claim(item.safety !== 'sent' || said !== undefined, () => `${key} is sent, it says, and nothing left`);
    const reason = item.notSentBecause;
    if (reason === 'not-tried-yet')
      claim(said === undefined || item.attemptCount > 0, () => `${key} was tried`);
    if (notAnswers.includes(reason)) return;
    claim(said?.has(reason ?? '') === true, () => `${key} waits for ${String(reason)}, which nobody said`);
  }
}
