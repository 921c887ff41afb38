import type { UnreadableRecord } from '../outbox-interface.ts';
import type { QueueSnapshot } from './queue-store.ts';
import {
  leaseRowSchema,
  noSession,
  readEntryRow,
  readLogRow,
  sessionRowSchema,
  unreadableRow,
} from './stored-rows.ts';
import type { Entry, EntryRecord, LeaseRow, LogRow, SessionRow } from './stored-rows.ts';
import type { ReadRow, StoredLanguage, Words } from './words.ts';

/** Rows as a store holds them, before anyone has looked whether this version can read them. */
export type RawRows = {
  readonly drafts: readonly unknown[];
  readonly entries: readonly unknown[];
  readonly log: readonly unknown[];
  readonly session: unknown;
  readonly lease: unknown;
};

const sorted = <Row>(reads: readonly ReadRow<Row>[], aside: UnreadableRecord[]): Row[] =>
  reads.flatMap((read) => {
    if (read.kind === 'read') return [read.row];
    aside.push(read.record);
    return [];
  });

/** Also of a row that has lost that field: its place names the entry as well. */
const entryKeyOfRaw = (raw: unknown): string => {
  const { entryKey, id } = (raw ?? {}) as { entryKey?: unknown; id?: unknown };
  if (typeof entryKey === 'string') return entryKey;
  return typeof id === 'string' ? id.slice(0, id.lastIndexOf('#')) : '';
};

const inPlace = (one: Entry, other: Entry): number => {
  if (one.operationId !== other.operationId) return one.operationId < other.operationId ? -1 : 1;
  return one.position - other.position;
};

const readDraftRow = <W extends Words>(language: StoredLanguage<W>, raw: unknown): ReadRow<W['draft']> => {
  const read = language.readDraft(raw);
  return read.ok
    ? { kind: 'read', row: read.value }
    : unreadableRow('drafts', 'operationId', raw, read.because);
};

/** How single rows are read. */
export type RowReaders<W extends Words> = {
  readonly draft: (raw: unknown) => ReadRow<W['draft']>;
  readonly entry: (raw: unknown) => ReadRow<Entry<W>>;
  readonly log: (raw: unknown) => ReadRow<LogRow<W>>;
  readonly session: (raw: unknown) => SessionRow;
  readonly lease: (raw: unknown) => LeaseRow | null;
};

const readSessionRow = (raw: unknown): SessionRow => {
  const session = sessionRowSchema.safeParse(raw);
  return session.success ? session.data : noSession;
};

const readLeaseRow = (raw: unknown): LeaseRow | null => {
  const lease = leaseRowSchema.safeParse(raw);
  return lease.success ? lease.data : null;
};

export const rowReaders = <W extends Words>(language: StoredLanguage<W>): RowReaders<W> => ({
  draft: (raw) => readDraftRow(language, raw),
  entry: (raw) => readEntryRow(language, raw),
  log: (raw) => readLogRow(language, raw),
  session: readSessionRow,
  lease: readLeaseRow,
});

/**
 * Reads raw rows; what cannot be read is set aside and shown, never skipped in silence.
 * @param read for who keeps what it has read of a row
 */
export const snapshotOf = <W extends Words>(
  language: StoredLanguage<W>,
  raw: RawRows,
  read: RowReaders<W> = rowReaders(language),
): QueueSnapshot<W> => {
  const unreadable: UnreadableRecord[] = [];
  const drafts = sorted(raw.drafts.map(read.draft), unreadable);
  const entries = sorted(raw.entries.map(read.entry), unreadable);
  const counts = new Map<string, number>();
  for (const row of raw.log) counts.set(entryKeyOfRaw(row), (counts.get(entryKeyOfRaw(row)) ?? 0) + 1);
  const logs = new Map<string, LogRow<W>[]>();
  const log = sorted(raw.log.map(read.log), unreadable).sort((one, other) => (one.id < other.id ? -1 : 1));
  for (const row of log) logs.set(row.entryKey, [...(logs.get(row.entryKey) ?? []), row]);
  const records: EntryRecord<W>[] = [...entries]
    .sort(inPlace)
    .map((entry) => ({ entry, log: logs.get(entry.key) ?? [], logCount: counts.get(entry.key) ?? 0 }));
  return {
    drafts,
    records,
    unreadable,
    session: read.session(raw.session),
    lease: read.lease(raw.lease),
  };
};
