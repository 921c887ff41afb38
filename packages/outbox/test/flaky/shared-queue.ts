import { isOpenOperation } from '../../src/queue/open-operations.ts';
import type { Decision, QueueScope, QueueWrites, ReadBack } from '../../src/queue/queue-store.ts';
import { draftOf, draftRowSchema, refundRows } from '../../src/queue/refund-rows.ts';
import type { DraftRow, RefundRecord, RefundSnapshot, RefundStore } from '../../src/queue/refund-rows.ts';
import { noSession, readEntryRow, readLogRow } from '../../src/queue/stored-rows.ts';
import type { LeaseRow, SessionRow } from '../../src/queue/stored-rows.ts';
import type { Actor, Turns } from './turns.ts';

/** The rows of one browser: read once when they are written, never changed after. */
export class SharedRows {
  readonly drafts = new Map<string, DraftRow>();
  readonly entries = new Map<string, RefundRecord['entry']>();
  readonly logs = new Map<string, RefundRecord['log']>();
  readonly byOperation = new Map<string, readonly RefundRecord['entry'][]>();
  session: SessionRow = noSession;
  lease: LeaseRow | null = null;

  snapshot(isWanted: (operationId: string) => boolean, drafts: readonly DraftRow[]): RefundSnapshot {
    const entries = [...this.byOperation].flatMap(([id, own]) => (isWanted(id) ? own : []));
    return {
      drafts: drafts.map(draftOf),
      records: entries.map((entry) => {
        const log = this.logs.get(entry.key) ?? [];
        return { entry, log, logCount: log.length };
      }),
      unreadable: [],
      session: this.session,
      lease: this.lease,
    };
  }

  all(): RefundSnapshot {
    return this.snapshot(() => true, [...this.drafts.values()]);
  }

  write(writes: QueueWrites): void {
    const rows = [...(writes.addLog ?? [])];
    const taken = rows.some(({ id, entryKey }) => this.logs.get(entryKey)?.some((row) => row.id === id));
    if (taken || (writes.addEntries ?? []).some(({ key }) => this.entries.has(key))) {
      throw new Error('ConstraintError: that place is taken');
    }
    for (const id of writes.deleteDrafts ?? []) this.drafts.delete(id);
    for (const row of writes.putDrafts ?? []) this.drafts.set(row.operationId, draftRowSchema.parse(row));
    for (const row of writes.addEntries ?? []) {
      const read = readEntryRow(refundRows, row);
      if (read.kind !== 'read') throw new Error(`stored what cannot be read: ${read.record.because}`);
      const entry = Object.freeze(read.row);
      this.entries.set(entry.key, entry);
      const own = [...(this.byOperation.get(entry.operationId) ?? []), entry];
      this.byOperation.set(entry.operationId, own);
    }
    for (const raw of rows) {
      const read = readLogRow(refundRows, raw);
      if (read.kind !== 'read') throw new Error(`stored what cannot be read: ${read.record.because}`);
      const { row } = read;
      this.logs.set(row.entryKey, [...(this.logs.get(row.entryKey) ?? []), row]);
    }
    if (writes.session) this.session = writes.session;
    if (writes.lease !== undefined) this.lease = writes.lease;
  }
}

/**
 * The queue as one actor uses it: it waits for its turn before each step and again before it hears of it, so that a
 * kill meets it in either place. Without a shared lease each actor sees its own alone, and all of them send.
 */
export class ActorQueue implements RefundStore {
  readonly #rows: SharedRows;
  readonly #turns: Turns;
  readonly #actor: Actor;
  readonly #sharesLease: boolean;
  #ownLease: LeaseRow | null = null;
  /** How many of the next steps that record what came of an attempt fail, as on a full disk. */
  failures = 0;

  constructor(rows: SharedRows, turns: Turns, actor: Actor, sharesLease: boolean) {
    this.#rows = rows;
    this.#turns = turns;
    this.#actor = actor;
    this.#sharesLease = sharesLease;
  }

  change<Answer>(scope: QueueScope, decide: (snapshot: RefundSnapshot) => Decision<Answer>): Promise<Answer> {
    return this.#inTurn(() => {
      const { writes, answer } = decide(this.#of(this.#scoped(scope)));
      if (this.failures > 0 && (writes.addLog ?? []).some(({ event }) => event.kind === 'attempt-ended')) {
        this.failures -= 1;
        throw new StorageFailed('QuotaExceededError');
      }
      if (this.#sharesLease || writes.lease === undefined) this.#rows.write(writes);
      else {
        const { lease, ...others } = writes;
        this.#rows.write(others);
        this.#ownLease = lease;
      }
      return answer;
    });
  }

  async changeAndReadBack<Answer>(
    scope: QueueScope,
    decide: (snapshot: RefundSnapshot) => Decision<Answer>,
    entryKeysOf: (answer: Answer) => readonly string[],
  ): Promise<ReadBack<Answer>> {
    const answer = await this.change(scope, decide);
    const bodies = await Promise.all(entryKeysOf(answer).map((key) => this.readBack(key)));
    return { answer, isThere: bodies.every((body) => body !== null) };
  }

  read(scope: QueueScope): Promise<RefundSnapshot> {
    return this.#inTurn(() => this.#of(this.#scoped(scope)));
  }

  readOpen(): Promise<RefundSnapshot> {
    return this.#inTurn(() => {
      const all = this.#rows.all();
      const wanted = new Set<string>();
      for (const id of this.#rows.byOperation.keys()) {
        const own = all.records.filter(({ entry }) => entry.operationId === id);
        if (!isOpenOperation(own)) continue;
        wanted.add(id);
        for (const { entry } of own) if (entry.supersedes !== null) wanted.add(entry.supersedes);
      }
      return this.#of({ ...all, records: all.records.filter(({ entry }) => wanted.has(entry.operationId)) });
    });
  }

  readSubject(subject: string): Promise<RefundSnapshot> {
    return this.#inTurn(() => {
      const all = this.#rows.all();
      return this.#of({ ...all, records: all.records.filter(({ entry }) => entry.subject === subject) });
    });
  }

  readAll(): Promise<RefundSnapshot> {
    return this.#inTurn(() => this.#of(this.#rows.all()));
  }

  readBack(entryKey: string): Promise<string | null> {
    return this.#inTurn(() => this.#rows.entries.get(entryKey)?.body ?? null);
  }

  forget(): Promise<number> {
    return Promise.reject(new Error('nothing is forgotten here'));
  }

  readEverything(): Promise<Record<string, readonly unknown[]>> {
    return Promise.reject(new Error('nothing is exported here'));
  }

  async #inTurn<Answer>(task: () => Answer): Promise<Answer> {
    await this.#turns.wait(this.#actor);
    const answer = task();
    await this.#turns.wait(this.#actor);
    return answer;
  }

  #of(snapshot: RefundSnapshot): RefundSnapshot {
    return this.#sharesLease ? snapshot : { ...snapshot, lease: this.#ownLease };
  }

  #scoped({ operationIds, order, withSuperseded }: QueueScope): RefundSnapshot {
    const ids = new Set(operationIds);
    for (const id of withSuperseded ? operationIds : []) {
      const supersedes = this.#rows.drafts.get(id)?.supersedes ?? null;
      if (supersedes !== null) ids.add(supersedes);
    }
    const isOfOrder = ({ subject, orderId }: { subject: string; orderId: string | null }): boolean =>
      order !== undefined && subject === order.subject && orderId === order.orderId;
    for (const entry of this.#rows.entries.values()) if (isOfOrder(entry)) ids.add(entry.operationId);
    const drafts = [...this.#rows.drafts.values()].filter(
      (row) => ids.has(row.operationId) || isOfOrder(row),
    );
    return this.#rows.snapshot((id) => ids.has(id), drafts);
  }
}

export class StorageFailed extends Error {}
