import type { UnreadableRecord } from '../outbox-interface.ts';
import type { EntryRecord, EntryRow, LeaseRow, LogRow, SessionRow } from './stored-rows.ts';
import type { Words } from './words.ts';

/** What a decision sees: named operations, and where an order is named, all of its operations too. */
export type QueueScope = {
  readonly operationIds: readonly string[];
  readonly order?: { readonly subject: string; readonly orderId: string };
  /** And what the drafts of the named operations are to supersede. Not beside `order`. */
  readonly withSuperseded?: true;
};

export type QueueSnapshot<W extends Words = Words> = {
  readonly drafts: readonly W['draft'][];
  /** By operation, then by position. */
  readonly records: readonly EntryRecord<W>[];
  readonly unreadable: readonly UnreadableRecord[];
  readonly session: SessionRow;
  readonly lease: LeaseRow | null;
};

export type QueueWrites = {
  /** Whole rows, under the operation's ID. */
  readonly putDrafts?: readonly { readonly operationId: string }[];
  readonly deleteDrafts?: readonly string[];
  readonly addEntries?: readonly EntryRow[];
  readonly addLog?: readonly LogRow[];
  readonly session?: SessionRow;
  readonly lease?: LeaseRow | null;
};

export type Decision<Answer> = { readonly writes: QueueWrites; readonly answer: Answer };

/** A write was asked of a tab whose code is older than what is stored: nothing was written. */
export class NewerElsewhere extends Error {
  override readonly name = 'NewerElsewhere';
  constructor() {
    super('the queue on this device is of a newer version of the app');
  }
}

/** `isThere`: each entry that the answer names lies in the store and can be read. */
export type ReadBack<Answer> = { readonly answer: Answer; readonly isThere: boolean };

/**
 * The queue on this device. `change` is one serialised transaction, durable when it resolves: it reads the scope,
 * calls `decide` (pure, synchronous), writes all of its writes or none, and rejects when it could not. Adding an
 * entry or log row under a key that exists rejects.
 */
export type QueueStore<W extends Words = Words> = {
  change<Answer>(
    scope: QueueScope,
    decide: (snapshot: QueueSnapshot<W>) => Decision<Answer>,
  ): Promise<Answer>;
  /**
   * As `change`; then the entries that the answer names are read back, in a transaction of its own. The two are one
   * step: who has the store let go of waits for both, so that nothing is stored of which nobody can say so.
   */
  changeAndReadBack<Answer>(
    scope: QueueScope,
    decide: (snapshot: QueueSnapshot<W>) => Decision<Answer>,
    entryKeysOf: (answer: Answer) => readonly string[],
  ): Promise<ReadBack<Answer>>;
  read(scope: QueueScope): Promise<QueueSnapshot<W>>;
  /** Every operation with an entry that has not its end or whose refusal nobody has read, and what it supersedes. */
  readOpen(): Promise<QueueSnapshot<W>>;
  /** Every operation of the subject with an entry. */
  readSubject(subject: string): Promise<QueueSnapshot<W>>;
  /** Everything, unreadable rows included. */
  readAll(): Promise<QueueSnapshot<W>>;
  /** The stored text of an entry, from a read of its own after the write; `null` when it is not there. */
  readBack(entryKey: string): Promise<string | null>;
  /** Removes acknowledged operations whose last log row is older. Returns how many entries went. */
  forget(operationIds: readonly string[]): Promise<number>;
  /** Every row as it lies there, for the export. */
  readEverything(): Promise<Record<string, readonly unknown[]>>;
};
