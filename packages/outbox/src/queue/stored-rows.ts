import * as z from 'zod/mini';
import { keptReasons } from '../outbox-interface.ts';
import type { ReadRow, StoredLanguage, Words } from './words.ts';

/**
 * What lies in the queue's database. Rows of `entries` and `log` are added and never changed: what happened to an
 * entry is read from its log. Every row carries `v`; a row that does not fit is shown as unreadable and stays.
 */
export const rowVersion = 1;

export const rowVersionSchema = z.literal(rowVersion);
const time = z.number();

export const entryRowSchema = z.object({
  v: rowVersionSchema,
  key: z.string(),
  operationId: z.string(),
  commandId: z.string(),
  /** What the text itself says that it is. */
  type: z.string(),
  subject: z.string(),
  orderId: z.nullable(z.string()),
  /** Its place among the entries of its operation, from 1. */
  position: z.int().check(z.positive()),
  /** For the proposal of a revision: the operation whose cancellation must have been heard first. */
  supersedes: z.nullable(z.string()),
  /** Wire version that the bytes were written in; it goes out as the protocol header, also after an app update. */
  protocol: z.int().check(z.positive()),
  /** The command's JSON text: the very bytes of every attempt. */
  body: z.string(),
  queuedAtMs: time,
  /** It came here from another device's record. Absent in all others. */
  takenUp: z.optional(z.literal(true)),
});
export type EntryRow = z.infer<typeof entryRowSchema>;

const eventSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('attempt-started'),
    /** Names the request: the rows of all entries that went in one request carry the same. */
    attemptId: z.string(),
    /** How many commands went in that request. Absent in rows from before there were batches: one. */
    commandCount: z.optional(z.int().check(z.positive())),
    /** The app's version at that time, where the app told it. */
    appVersion: z.optional(z.string()),
  }),
  z.object({
    kind: z.literal('attempt-ended'),
    attemptId: z.string(),
    result: z.enum(['verdict', ...keptReasons]),
    status: z.nullable(z.int()),
    detail: z.nullable(z.string()),
    /** How long to leave the entry alone, from this row's time on. */
    retryInMs: z.nullable(z.number()),
    /** The session during which it was refused: a later sign-in makes a parked entry due again. */
    sessionEpoch: z.int(),
    /** The request as a whole was met so, with this many commands in it. Absent: it was this entry's own lot. */
    sharedBy: z.optional(z.int().check(z.positive())),
    /** For how long the server asked to be left alone, where it did. */
    retryAfterMs: z.optional(z.number()),
  }),
  z.object({
    kind: z.literal('verdict'),
    status: z.enum(['applied', 'replayed', 'rejected']),
    /** Read by the language that the row is of. */
    problem: z.nullable(z.unknown()),
    operationState: z.nullable(z.string()),
    operationVersion: z.nullable(z.int()),
  }),
  z.object({
    kind: z.literal('dropped'),
    because: z.enum([
      'cancelled-unsent',
      'withdrawn-unsent',
      'dropped-unsent',
      'cancelled',
      'superseded',
      'given-up',
    ]),
  }),
  /** Without a cause: the server lost it. `known-to-server`: its log cannot be read, and the server has it. */
  z.object({
    kind: z.literal('reopened'),
    because: z.optional(z.enum(['drop-undone', 'known-to-server'])),
  }),
  z.object({ kind: z.literal('dismissed') }),
]);
type StoredEvent = z.infer<typeof eventSchema>;
type StoredVerdict = Extract<StoredEvent, { kind: 'verdict' }>;

export type LogEvent<W extends Words = Words> =
  Exclude<StoredEvent, StoredVerdict> | (Omit<StoredVerdict, 'problem'> & { problem: W['problem'] | null });

export const logRowSchema = z.object({
  v: rowVersionSchema,
  /** `<entry key>#<six digits>`: a second writer of the same place fails instead of overwriting. */
  id: z.string(),
  entryKey: z.string(),
  atMs: time,
  event: eventSchema,
});
export type LogRow<W extends Words = Words> = Omit<z.infer<typeof logRowSchema>, 'event'> & {
  event: LogEvent<W>;
};

export const sessionRowSchema = z.object({
  subject: z.nullable(z.string()),
  epoch: z.int(),
  signInNeeded: z.boolean(),
  /** History was restored at the server: what it acknowledged must be looked up, and told again where it is gone. */
  retell: z.boolean(),
  /** How often that was so. A verdict of an earlier history is none any more. */
  retellCount: z.optional(z.int()),
  /** Whose acknowledgements of that restore were looked up already: each person signs in at a time of their own. */
  retoldSubjects: z.optional(z.array(z.string())),
  /** Somebody signed out here, and the server has not been heard to end their session. */
  signOutOwed: z._default(z.boolean(), false),
});
export type SessionRow = z.infer<typeof sessionRowSchema>;

export const noSession: SessionRow = {
  subject: null,
  epoch: 0,
  signInNeeded: false,
  retell: false,
  signOutOwed: false,
};

/**
 * `withLock`: its holder also holds the browser's lock, so whoever gets that lock knows that it is gone.
 * `isWatched`: while it sends, its holder holds a lock of its own name, so anybody can see when it is gone.
 */
export const leaseRowSchema = z.object({
  holder: z.string(),
  untilMs: time,
  withLock: z.boolean(),
  isWatched: z.optional(z.boolean()),
  /** How long it may last at most, so that a clock that was set back does not make it longer. */
  lengthMs: z.optional(z.number()),
});
export type LeaseRow = z.infer<typeof leaseRowSchema>;

export type Entry<W extends Words = Words> = EntryRow & { readonly command: W['command'] };
/** `logCount` counts unreadable log rows too, so that the next row gets a place of its own. */
export type EntryRecord<W extends Words = Words> = {
  readonly entry: Entry<W>;
  readonly log: readonly LogRow<W>[];
  readonly logCount: number;
};

const textOf = (raw: unknown): string => {
  try {
    return JSON.stringify(raw) ?? String(raw);
  } catch {
    return String(raw);
  }
};

const fieldOf = (raw: unknown, field: string): string | null => {
  if (typeof raw !== 'object' || raw === null) return null;
  const value = (raw as Record<string, unknown>)[field];
  return typeof value === 'string' ? value : null;
};

const operationOfLogRow = (raw: unknown): string | null =>
  (fieldOf(raw, 'entryKey') ?? fieldOf(raw, 'id'))?.split('/')[0] ?? null;

export const unreadableRow = (
  table: string,
  keyField: string,
  raw: unknown,
  because: string,
): ReadRow<never> => ({
  kind: 'unreadable',
  record: {
    table,
    key: fieldOf(raw, keyField) ?? '',
    operationId: fieldOf(raw, 'operationId') ?? (table === 'log' ? operationOfLogRow(raw) : null),
    raw: textOf(raw),
    because,
  },
});

export const readLogRow = <W extends Words>(
  language: StoredLanguage<W>,
  raw: unknown,
): ReadRow<LogRow<W>> => {
  const read = logRowSchema.safeParse(raw);
  if (!read.success) return unreadableRow('log', 'id', raw, z.prettifyError(read.error));
  const { event, ...row } = read.data;
  if (event.kind !== 'verdict') return { kind: 'read', row: { ...row, event } };
  if (event.problem === null) return { kind: 'read', row: { ...row, event: { ...event, problem: null } } };
  const problem = language.readProblem(event.problem);
  if (!problem.ok) return unreadableRow('log', 'id', raw, problem.because);
  return { kind: 'read', row: { ...row, event: { ...event, problem: problem.value } } };
};

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** An entry is read only if its bytes still are the command that it says it is. */
export const readEntryRow = <W extends Words>(
  language: StoredLanguage<W>,
  raw: unknown,
): ReadRow<Entry<W>> => {
  const read = entryRowSchema.safeParse(raw);
  if (!read.success) return unreadableRow('entries', 'key', raw, z.prettifyError(read.error));
  const row = read.data;
  const text = language.readCommand(parsedJson(row.body));
  if (!text.ok) return unreadableRow('entries', 'key', raw, text.because);
  const { commandId, operationId, type, subject } = text.value.envelope;
  const same =
    commandId === row.commandId &&
    operationId === row.operationId &&
    type === row.type &&
    subject === row.subject;
  if (!same) return unreadableRow('entries', 'key', raw, 'its bytes are another command than the row says');
  return { kind: 'read', row: { ...row, command: text.value.command } };
};
