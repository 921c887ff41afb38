import type { TakenUpProposal } from '@holdfast/outbox';
import {
  deviceRecordMaximumBytes,
  judgeTakeUp,
  readDeviceRecord,
  type Operation,
  type ReadItem,
  type ReadRecord,
  type RecordFault,
} from '@holdfast/operation';
import { words } from '../../messages/messages.ts';
import { record as text } from '../../messages/en-record.ts';
import { nameOfItem } from './record-text.ts';

export type GoodRecord = Extract<ReadRecord, { ok: true }>;

/** One line of the table: what it is, what Holdfast says of it, and whether it goes in again. */
export type TakeUpLine = {
  readonly operationId: string | null;
  readonly name: string;
  readonly says: string;
  readonly proposal: TakenUpProposal | null;
};

export const faultText = (fault: RecordFault): string => {
  switch (fault.fault) {
    case 'not-json':
    case 'not-a-record':
      return text.takeUp.faults[fault.fault];
    case 'other-version':
      return text.takeUp.otherVersion(fault.version);
    case 'bad-field':
      return text.takeUp.badField(fault.field);
  }
};

export const readFile = async (
  file: File,
): Promise<
  { readonly ok: true; readonly record: GoodRecord } | { readonly ok: false; readonly why: string }
> => {
  if (file.size > deviceRecordMaximumBytes) return { ok: false, why: text.takeUp.tooLarge };
  let content: string;
  try {
    content = await file.text();
  } catch {
    return { ok: false, why: text.takeUp.unreadable };
  }
  const record = readDeviceRecord(content);
  return record.ok ? { ok: true, record } : { ok: false, why: faultText(record.fault) };
};

export const idsOf = (record: GoodRecord): readonly string[] => [
  ...new Set(record.items.flatMap((one) => (one.kind === 'read' ? [one.item.operationId] : []))),
];

const stateWord = (state: string): string =>
  (words.states as Record<string, string | undefined>)[state] ?? state;

const lineOf = (
  one: ReadItem,
  record: GoodRecord,
  known: ReadonlyMap<string, Operation | null>,
  subject: string,
): TakeUpLine => {
  if (one.kind === 'set-aside') {
    const field = one.field === null ? '' : ` ${text.takeUp.field(one.field)}`;
    return {
      operationId: one.operationId,
      name: text.takeUp.place(one.index),
      says: `${text.takeUp.aside[one.because]}${field}`,
      proposal: null,
    };
  }
  const { operationId, command, protocol } = one.item;
  const about = { operationId, name: nameOfItem({ command: one.command }) };
  const operation = known.get(operationId) ?? null;
  if (operation !== null) {
    return { ...about, says: text.takeUp.has(stateWord(operation.state)), proposal: null };
  }
  if (one.item.subject !== subject) return { ...about, says: text.takeUp.someoneElse, proposal: null };
  const judgement = judgeTakeUp(one, record);
  return {
    ...about,
    says: text.takeUp.judgement[judgement],
    proposal: judgement === 'may-go' ? { operationId, body: command, protocol } : null,
  };
};

export const linesOf = (
  record: GoodRecord,
  known: ReadonlyMap<string, Operation | null>,
  subject: string,
): readonly TakeUpLine[] => record.items.map((one) => lineOf(one, record, known, subject));
