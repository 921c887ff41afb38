import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { commandSchema, type Command } from './wire/command-message.ts';

/**
 * A device's record as a file: what a browser saves and what the app or the command line takes up again. It is read
 * with suspicion, since anybody may have edited it: an item counts only while its bytes still have their hash.
 */
export const deviceRecordFormat = 'holdfast-device-record';
export const deviceRecordVersion = 1;
/** More than 10,000 items with their attempts; a larger file is none that a device wrote. */
export const deviceRecordMaximumBytes = 64 * 1024 * 1024;

/** One line of an item's history, by the device's clock. `kind` is the outbox's own word. */
export type RecordedEvent = { readonly at: string; readonly kind: string } & Readonly<
  Record<string, unknown>
>;

/** One item as it stands in the file. `command` is the very text of every attempt, `sha256` of its UTF-8 bytes. */
export type RecordedItem = {
  readonly key: string;
  readonly operationId: string;
  readonly commandId: string;
  readonly type: Command['type'];
  readonly subject: string;
  readonly supersedes: string | null;
  readonly protocol: number;
  readonly queuedAt: string;
  readonly command: string;
  readonly sha256: string;
  readonly events: readonly RecordedEvent[];
};

export type DeviceRecordFile = {
  readonly format: typeof deviceRecordFormat;
  readonly version: typeof deviceRecordVersion;
  readonly exportedAt: string;
  /** The subject whose items these are. */
  readonly exportedBy: string;
  readonly appVersion: string | null;
  /** When this device's list began; ended items older than 90 days are not kept. */
  readonly listSince: string | null;
  readonly items: readonly RecordedItem[];
  readonly drafts: readonly unknown[];
  /** Rows of this person's that the app could not read, as they lie there. */
  readonly setAside: readonly { readonly table: string; readonly key: string; readonly raw: string }[];
  /** How many items of other people the device also holds. They can be exported under those people only. */
  readonly itemsOfOthers: number;
};

/** SHA-256 of the text's UTF-8 bytes, 64 lower-case hexadecimal digits. */
export const hashOfCommandText = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/** Why the file as a whole cannot be used; nothing of it is taken. */
export type RecordFault =
  | { readonly fault: 'not-json' }
  | { readonly fault: 'not-a-record' }
  | { readonly fault: 'other-version'; readonly version: string }
  | { readonly fault: 'bad-field'; readonly field: string };

/** Why one item of a good file is set aside; the others are read. */
export type SetAsideReason = 'hash-differs' | 'not-a-command' | 'other-than-labelled' | 'bad-field';

/** What the device knew of an item when the file was written. */
export type RecordedEnd = 'open' | 'accepted' | 'refused' | 'dropped';

export type ReadItem =
  | {
      readonly kind: 'read';
      readonly item: RecordedItem;
      readonly command: Command;
      readonly end: RecordedEnd;
    }
  | {
      readonly kind: 'set-aside';
      /** Its place in the file, from 0. */
      readonly index: number;
      readonly operationId: string | null;
      readonly because: SetAsideReason;
      readonly field: string | null;
    };

export type ReadRecord =
  | { readonly ok: false; readonly fault: RecordFault }
  | {
      readonly ok: true;
      readonly exportedAt: string;
      readonly exportedBy: string;
      readonly items: readonly ReadItem[];
    };

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

const textFields = ['key', 'operationId', 'commandId', 'type', 'subject', 'queuedAt', 'command', 'sha256'];

/** The first field of an item that is not what it must be. */
const badFieldOf = (raw: Fields): string | undefined => {
  const text = textFields.find((field) => typeof raw[field] !== 'string');
  if (text !== undefined) return text;
  if (raw['supersedes'] !== null && typeof raw['supersedes'] !== 'string') return 'supersedes';
  // A row of a protocol that nobody speaks could be stored, and neither sent nor read again.
  if (!Number.isInteger(raw['protocol']) || Number(raw['protocol']) < 1) return 'protocol';
  const { events } = raw;
  const isEvents =
    Array.isArray(events) && events.every((one) => isFields(one) && typeof one['kind'] === 'string');
  return isEvents ? undefined : 'events';
};

/** How the log ends: the last word counts, and what was taken up again is open again. */
const endOf = (events: readonly RecordedEvent[]): RecordedEnd => {
  let end: RecordedEnd = 'open';
  for (const event of events) {
    if (event.kind === 'dropped') end = 'dropped';
    else if (event.kind === 'reopened') end = 'open';
    else if (event.kind === 'verdict') end = event['status'] === 'rejected' ? 'refused' : 'accepted';
  }
  return end;
};

const readItem = (raw: unknown, index: number): ReadItem => {
  const aside = (because: SetAsideReason, field: string | null = null): ReadItem => {
    const id = isFields(raw) ? raw['operationId'] : null;
    return { kind: 'set-aside', index, operationId: typeof id === 'string' ? id : null, because, field };
  };
  if (!isFields(raw)) return aside('bad-field', `items.${String(index)}`);
  const field = badFieldOf(raw);
  if (field !== undefined) return aside('bad-field', field);
  const item = raw as RecordedItem;
  if (hashOfCommandText(item.command) !== item.sha256) return aside('hash-differs');
  const command = commandSchema.safeParse(parsedJson(item.command));
  if (!command.success) return aside('not-a-command', command.error.issues[0]?.path.join('.') ?? null);
  const { commandId, operationId, type, subject } = command.data;
  const labels = { commandId, operationId, type, subject };
  const other = Object.entries(labels).find(([name, value]) => raw[name] !== value);
  if (other !== undefined) return aside('other-than-labelled', other[0]);
  if (type === 'propose' && commandId !== operationId) return aside('other-than-labelled', 'commandId');
  return { kind: 'read', item, command: command.data, end: endOf(item.events) };
};

/** Reads a record's text. Decides nothing about what is taken up. */
export const readDeviceRecord = (text: string): ReadRecord => {
  const raw = parsedJson(text.replace(/^\uFEFF/, ''));
  if (raw === undefined) return { ok: false, fault: { fault: 'not-json' } };
  if (!isFields(raw) || raw['format'] !== deviceRecordFormat) {
    return { ok: false, fault: { fault: 'not-a-record' } };
  }
  if (raw['version'] !== deviceRecordVersion) {
    const version = typeof raw['version'] === 'number' ? String(raw['version']) : 'none';
    return { ok: false, fault: { fault: 'other-version', version } };
  }
  const { exportedAt, exportedBy, items } = raw;
  if (typeof exportedAt !== 'string' || Number.isNaN(Date.parse(exportedAt))) {
    return { ok: false, fault: { fault: 'bad-field', field: 'exportedAt' } };
  }
  if (typeof exportedBy !== 'string')
    return { ok: false, fault: { fault: 'bad-field', field: 'exportedBy' } };
  if (!Array.isArray(items)) return { ok: false, fault: { fault: 'bad-field', field: 'items' } };
  return { ok: true, exportedAt, exportedBy, items: items.map(readItem) };
};

/**
 * What may be done with an item that Holdfast does not know. Only a proposal that nobody ended goes in again, under
 * its ID and with its bytes. A decision never does: it was about what its author saw then, and is made anew on what
 * is so now.
 */
export type TakeUpJudgement =
  | 'may-go'
  | 'decision'
  | 'refused-before'
  | 'dropped-there'
  | 'cancelled-there'
  | 'earlier-not-cancelled'
  | 'older-wording';

type GoodItem = Extract<ReadItem, { kind: 'read' }>;

const isGood = (one: ReadItem): one is GoodItem => one.kind === 'read';

/** Whether the changed proposal's predecessor can do nothing more: dropped unsent, or its cancellation was heard. */
const isOutOfTheWay = (items: readonly GoodItem[], operationId: string): boolean => {
  const own = items.filter(({ item }) => item.operationId === operationId);
  if (own.some(({ item, end }) => item.type === 'cancel' && end === 'accepted')) return true;
  const proposals = own.filter(({ item }) => item.type === 'propose');
  return proposals.length > 0 && proposals.every(({ end }) => end === 'dropped');
};

export const judgeTakeUp = (read: GoodItem, record: Extract<ReadRecord, { ok: true }>): TakeUpJudgement => {
  const { item, end } = read;
  if (item.type !== 'propose') return 'decision';
  if (end === 'dropped') return 'dropped-there';
  const items = record.items.filter(isGood);
  const own = items.filter((one) => one.item.operationId === item.operationId);
  if (own.findLast((one) => one.item.type === 'propose') !== read) return 'older-wording';
  if (own.some((one) => one.item.type === 'cancel' && one.end !== 'dropped')) return 'cancelled-there';
  if (end === 'refused') return 'refused-before';
  const { supersedes } = item;
  return supersedes === null || isOutOfTheWay(items, supersedes) ? 'may-go' : 'earlier-not-cancelled';
};
