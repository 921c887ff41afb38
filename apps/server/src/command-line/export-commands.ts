import { once } from 'node:events';
import { boundsOfDate, isTimeZone, operationStates } from '@holdfast/operation';
import type { OperationFilter } from '@holdfast/engine';
import { findAudit, isAuditCursor, isPageCursor, type AuditFilter } from '@holdfast/engine/postgres';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { exportedAudit } from '../export/exported-audit.ts';
import { exportedOperations } from '../export/exported-operations.ts';
import { exportLines, type ExportWish } from '../export/export-lines.ts';
import { brokenOffFile, newFile, type KeptFile } from '../export/kept-file.ts';
import { zonedTime } from '../export/zoned-time.ts';
import { commandFailed, outputFor } from './output.ts';
import { commandLine, inWorkplace, type Workplace } from './workplace.ts';

const kinds = ['operations', 'audit'] as const;
type Kind = (typeof kinds)[number];

type Options = {
  readonly format: 'csv' | 'ndjson';
  readonly out?: string;
  readonly resume?: boolean;
  readonly after?: string;
  readonly timeZone: string;
  readonly from?: string;
  readonly to?: string;
  readonly state?: string;
  readonly order?: string;
  readonly org?: string;
};

const kindIn = (text: string): Kind => {
  const kind = kinds.find((known) => known === text);
  if (kind === undefined) throw new InvalidArgumentError('It must be operations or audit.');
  return kind;
};

const zoneIn = (text: string): string => {
  if (isTimeZone(text)) return text;
  throw new InvalidArgumentError('It must be a time zone like Europe/Berlin or UTC.');
};

const stateIn = (text: string): string => {
  if (text.split(',').every((one) => operationStates.some((known) => known === one))) return text;
  throw new InvalidArgumentError(`They must be of ${operationStates.join(', ')}, separated by commas.`);
};

/** Days of the zone: the last one counts whole, also one of 23 or 25 hours. */
const timesOf = ({ from, to, timeZone }: Options): { readonly from?: string; readonly to?: string } => {
  const boundsOf = (name: string, date: string) => {
    const bounds = boundsOfDate(date, timeZone);
    if (bounds !== undefined) return bounds;
    throw commandFailed(`${name} ${date} is no day in ${timeZone}.`, 'Write it like 2026-01-31.');
  };
  return {
    ...(from === undefined ? {} : { from: new Date(boundsOf('--from', from).startMs).toISOString() }),
    ...(to === undefined ? {} : { to: new Date(boundsOf('--to', to).endMs).toISOString() }),
  };
};

const openFile = async (file: string, { resume, format }: Options): Promise<KeptFile> => {
  try {
    if (resume !== true) return await newFile(file);
    const kept = await brokenOffFile(file, format);
    if (kept !== undefined) return kept;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === 'EEXIST') {
      throw commandFailed(
        `${file} exists, and nothing is written over.`,
        'Name another file, or add --resume to go on with it.',
      );
    }
    if (code !== undefined) throw commandFailed(`${file} cannot be opened (${code}).`, 'Name another file.');
    throw error;
  }
  throw commandFailed(
    `${file} holds no whole line of such an export, so there is none to go on after.`,
    'Leave --resume out and name a new file.',
  );
};

/** What is not taken is not read, so memory does not grow with the export. */
const toStandardOutput = async (lines: AsyncGenerator<string>): Promise<void> => {
  for await (const text of lines) {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  }
};

const toFile = async (lines: AsyncGenerator<string>, { handle }: KeptFile): Promise<void> => {
  const { size } = await handle.stat();
  let position = size;
  for await (const text of lines) {
    const { bytesWritten } = await handle.write(text, position);
    position += bytesWritten;
  }
  await handle.sync();
};

const linesOf = (
  kind: Kind,
  workplace: Workplace,
  organisationId: string,
  wish: ExportWish,
  { order, state, ...options }: Options,
): AsyncGenerator<string> => {
  const pageLength = 500;
  const times = timesOf(options);
  const ofOrder = order === undefined ? {} : { orderId: order };
  const from = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor });
  if (kind === 'audit') {
    const filter: AuditFilter = { ...times, ...ofOrder };
    return exportLines(
      exportedAudit,
      (cursor) =>
        workplace.inOrganisation(organisationId, (tx) =>
          findAudit(tx, { ...filter, ...from(cursor), limit: pageLength }),
        ),
      wish,
      zonedTime,
    );
  }
  const states = state?.split(',') as OperationFilter['states'];
  const filter: OperationFilter = { ...times, ...ofOrder, ...(states === undefined ? {} : { states }) };
  return exportLines(
    exportedOperations,
    (cursor) =>
      workplace.engine.listOperations(commandLine(organisationId), {
        ...filter,
        ...from(cursor),
        limit: pageLength,
      }),
    wish,
    zonedTime,
  );
};

const run = async (kind: Kind, options: Options): Promise<void> => {
  const output = outputFor(false);
  const { format, timeZone, out, after } = options;
  const isCursor = kind === 'audit' ? isAuditCursor : (text: string) => isPageCursor(text, 'operations');
  if (after !== undefined && !isCursor(after)) {
    throw commandFailed(
      '--after is no cursor of this export.',
      'Copy it from the last column of the last line.',
    );
  }
  if (options.resume === true && (out === undefined || after !== undefined)) {
    throw commandFailed('--resume goes on with a file.', 'Name it with --out, and leave --after out.');
  }
  // Before the database is opened: what cannot be meant is said at once.
  timesOf(options);
  await inWorkplace(output, async (workplace) => {
    const organisationId = await workplace.organisation(options.org);
    const file = out === undefined ? undefined : await openFile(out, options);
    try {
      const goesOnAfter = file?.after ?? after;
      await workplace.store.recordAct(organisationId, {
        type: kind === 'audit' ? 'audit-exported' : 'operations-exported',
        by: 'command-line',
        subject: kind === 'audit' ? 'audit' : 'organisation',
        data: { format, ...(goesOnAfter === undefined ? {} : { goesOn: true }) },
      });
      const wish: ExportWish = { format, timeZone, after: goesOnAfter };
      const lines = linesOf(kind, workplace, organisationId, wish, options);
      await (file === undefined ? toStandardOutput(lines) : toFile(lines, file));
      if (file?.after !== undefined) output.note(`Went on after the last whole line of ${String(out)}.`);
    } finally {
      await file?.handle.close();
    }
  });
};

export const addExportCommand = (program: Command): void => {
  program
    .command('export')
    .description('operations, or the audit, as CSV or as one JSON document a line, newest first')
    .argument('<kind>', 'operations or audit', kindIn)
    .addOption(new Option('--format <format>', 'csv or ndjson').choices(['csv', 'ndjson']).default('csv'))
    .option('--out <file>', 'write it to this new file; without it to standard output')
    .option('--resume', 'go on with the file that an export broke off in')
    .option('--after <cursor>', 'go on after the line with this cursor')
    .option('--time-zone <zone>', 'whose clock times are written by, and whose days are meant', zoneIn, 'UTC')
    .option('--from <day>', 'from this day on, like 2026-01-31')
    .option('--to <day>', 'up to and with this day')
    .option('--state <states>', 'only operations in these states, separated by commas', stateIn)
    .option('--order <id>', 'only what is about this order')
    .option('--org <id>', 'organisation; without it the default one')
    .action(run);
};
