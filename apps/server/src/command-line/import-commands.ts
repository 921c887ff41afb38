import type { Command } from 'commander';
import { UnusableFile } from '../import/csv-file.ts';
import type { ImportReport } from '../import/grouped-import.ts';
import { importOrders } from '../import/import-orders.ts';
import { importTickets } from '../import/import-tickets.ts';
import { commandFailed, counted, outputFor } from './output.ts';
import { commandLine, inWorkplace, type Workplace } from './workplace.ts';

const kinds = { orders: importOrders, tickets: importTickets } as const;

const summary = (kind: string, report: ImportReport): string =>
  `${counted(report.rows, 'row')} read; ${kind}: ${String(report.created)} new, ${String(report.changed)} changed, ` +
  `${String(report.unchanged)} as they were; ${counted(report.badRows.length, 'bad row')}.`;

/** Runs one import. Bad rows make the exit code 1, although every good row was taken. */
const run = async (
  kind: keyof typeof kinds,
  file: string,
  options: { json?: boolean; org?: string },
): Promise<void> => {
  const output = outputFor(options.json === true);
  const take = async ({ engine, organisation }: Workplace): Promise<void> => {
    const who = commandLine(await organisation(options.org));
    const report = await kinds[kind](engine, who, file).catch((error: unknown) => {
      if (error instanceof UnusableFile) throw commandFailed(error.message, 'Nothing was imported.');
      throw error;
    });
    output.result(report, [summary(kind, report)]);
    for (const { row, reason } of report.warnings) output.note(`Row ${String(row)}, a warning: ${reason}.`);
    for (const { row, reason } of report.badRows) output.note(`Row ${String(row)}: ${reason}.`);
    if (report.badRows.length > 0) {
      output.note(
        'The good rows were taken. Mend the bad ones and import the file again: what is there stays as it is.',
      );
      process.exitCode = 1;
    }
  };
  await inWorkplace(output, take, 'is-made');
};

export const addImportCommands = (program: Command): void => {
  const group = program.command('import').description("take in a shop's or help desk's export");
  for (const kind of ['orders', 'tickets'] as const) {
    group
      .command(kind)
      .description(`import ${kind} from a CSV file (UTF-8, header row, commas)`)
      .argument('<file>', 'the CSV file')
      .option('--org <id>', 'organisation; without it the default one')
      .option('--json', 'print the report as JSON')
      .action((file: string, options: { json?: boolean; org?: string }) => run(kind, file, options));
  }
};
