import { readFile, stat } from 'node:fs/promises';
import { deviceRecordMaximumBytes, readDeviceRecord, type RecordFault } from '@holdfast/operation';
import type { Command } from 'commander';
import {
  importRecord,
  type ImportedItem,
  type NotImported,
  type RecordImport,
} from '../import/import-record.ts';
import { commandFailed, counted, outputFor } from './output.ts';
import { commandLine, inWorkplace, type Workplace } from './workplace.ts';

const nothing = 'Nothing was imported.';

const readText = async (file: string): Promise<string> => {
  try {
    const { size } = await stat(file);
    if (size > deviceRecordMaximumBytes) {
      const most = String(deviceRecordMaximumBytes / (1024 * 1024));
      throw commandFailed(`${file} is larger than ${most} MB, so no device wrote it.`, nothing);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (error instanceof TypeError) throw commandFailed(`${file} is not UTF-8 text.`, nothing);
    if (code !== undefined) throw commandFailed(`${file} cannot be read (${code}).`, nothing);
    throw error;
  }
};

const faultWords = (fault: RecordFault): string => {
  switch (fault.fault) {
    case 'not-json':
      return 'The file is not JSON: it may have been cut off on the way.';
    case 'not-a-record':
      return 'The file is not a device\'s record: `format` is not "holdfast-device-record".';
    case 'other-version':
      return `The record is of version ${fault.version}; this program reads version 1.`;
    case 'bad-field':
      return `\`${fault.field}\` of the record is missing or is not what it must be.`;
  }
};

const notImportedWords: Readonly<Record<NotImported, string>> = {
  decision: 'a decision is never imported: its author decides anew on what is so now',
  'refused-before': 'Holdfast refused it and the device heard that',
  'dropped-there': 'it was dropped on the device',
  'cancelled-there': 'it was cancelled on the device',
  'earlier-not-cancelled': 'it replaces another refund whose cancellation was not heard',
  'older-wording': 'the record holds a later wording of it',
  'another-person': 'it stands under another name than the person whose record this is',
  'not-a-member': 'its author is not a member of this organisation (any more)',
};

const asideWords = {
  'hash-differs': 'its bytes are not those that the device wrote (the hash differs)',
  'not-a-command': 'its text is no command that this version knows',
  'other-than-labelled': 'its bytes are another command than its labels say',
  'bad-field': 'a field is missing or is not what it must be',
} as const;

const line = (item: ImportedItem): string => {
  const name = `${item.operationId ?? 'no usable ID'}  ${item.type ?? '-'}`;
  switch (item.found) {
    case 'known':
      return `${name}  known, ${item.state}`;
    case 'operation-mismatch': {
      const fields = Object.keys(item.recorded).map(
        (field) =>
          `${field}: here ${JSON.stringify(item.recorded[field])}, in the record ${JSON.stringify(item.received[field])}`,
      );
      return `${name}  operation-mismatch, ${item.state}; ${fields.join('; ')}`;
    }
    case 'unknown':
      return item.because === null
        ? `${name}  unknown, can be imported`
        : `${name}  unknown, not imported: ${notImportedWords[item.because]}`;
    case 'imported':
      return `${name}  imported, now ${item.state ?? 'known'}`;
    case 'refused':
      return `${name}  refused: ${item.problem.detail}`;
    case 'set-aside':
      return `${name}  set aside: ${asideWords[item.because]}${item.field === null ? '' : ` (${item.field})`}`;
  }
};

const summary = ({ items, applied }: RecordImport): string => {
  const count = (found: ImportedItem['found']): number => items.filter((item) => item.found === found).length;
  const going = items.filter((item) => item.found === 'unknown' && item.wouldGo).length;
  const first = applied
    ? `${String(count('imported'))} imported, ${String(count('refused'))} refused`
    : `${String(going)} can be imported`;
  return (
    `${counted(items.length, 'item')}: ${first}, ${String(count('known'))} known, ` +
    `${String(count('unknown') - going)} unknown and left, ${String(count('operation-mismatch'))} with other contents here, ` +
    `${String(count('set-aside'))} set aside.`
  );
};

/** What a person has to look at; the exit code says that there is some. */
const isTrouble = ({ found }: ImportedItem): boolean =>
  found === 'operation-mismatch' || found === 'refused' || found === 'set-aside';

type Options = { readonly apply?: boolean; readonly json?: boolean; readonly org?: string };

const run = async (file: string, { apply, json, org }: Options): Promise<void> => {
  const output = outputFor(json === true);
  const record = readDeviceRecord(await readText(file));
  if (!record.ok) throw commandFailed(faultWords(record.fault), `${nothing} Export it again on the device.`);
  await inWorkplace(output, async ({ engine, store, organisation }: Workplace) => {
    const asker = commandLine(await organisation(org));
    const report = await importRecord({ engine, store, asker }, record, apply === true);
    output.result(report, [...report.items.map(line), summary(report)]);
    if (!report.applied && report.items.some((item) => item.found === 'unknown' && item.wouldGo)) {
      output.note('Nothing was changed. Add --apply to send in what can be imported, under its own author.');
    }
    if (report.items.some(isTrouble)) {
      output.note(
        'Look at what was refused, set aside or is known with other contents; all else is as it says.',
      );
      process.exitCode = 1;
    }
  });
};

export const addRecordCommands = (program: Command): void => {
  program
    .command('record')
    .description("records that people saved on their device's screen")
    .command('import')
    .description('ask about every item of a record; with --apply, send in the proposals nobody has')
    .argument('<file>', 'holdfast-record-….json, as the device saved it')
    .option('--apply', 'send in unknown proposals, each under its own author')
    .option('--org <id>', 'organisation; without it the default one')
    .option('--json', 'print the report as JSON')
    .action(run);
};
