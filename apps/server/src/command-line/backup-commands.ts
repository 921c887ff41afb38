import { createReadStream } from 'node:fs';
import { link, open, rm, stat } from 'node:fs/promises';
import { BackupRefusal, restoreBackup, writeBackup } from '@holdfast/engine/postgres';
import type { Command } from 'commander';
import { readSettings } from '../settings/settings.ts';
import { openDatabase } from '../start/open-database.ts';
import { runningServer } from '../start/server-record.ts';
import { commandFailed, counted, outputFor } from './output.ts';
import { inWorkplace } from './workplace.ts';

type Common = { json?: boolean };

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'unknown';

/** A refusal says what to do by itself. */
const told = (error: unknown): unknown => {
  if (!(error instanceof BackupRefusal)) return error;
  const [problem = '', ...remedy] = error.message.split(/(?<=\.) /);
  return commandFailed(problem, remedy.join(' '));
};

/** Under another name until it is whole: a file of that name is a backup, and never half of one. */
const backup = async (file: string, { json }: Common): Promise<void> => {
  const output = outputFor(json === true);
  const refuse = (error: unknown): never => {
    throw commandFailed(
      `${file} cannot be written: ${codeOf(error)}.`,
      'Name a file that does not exist yet, in a folder that does; an `.unfinished` one beside it is of a backup that was interrupted.',
    );
  };
  await inWorkplace(output, async ({ database }) => {
    const unfinished = `${file}.unfinished`;
    if (
      await stat(file).then(
        () => true,
        () => false,
      )
    )
      refuse({ code: 'EEXIST' });
    const handle = await open(unfinished, 'wx', 0o600).catch(refuse);
    try {
      const summary = await writeBackup({ url: database.url }, handle.createWriteStream({ flush: true }));
      // Unlike a new name for it, a link is refused where there is a file.
      await link(unfinished, file).catch(refuse);
      output.result({ file, ...summary }, [
        `${file}: everything as it was at ${summary.takenAt}, ${counted(summary.rows, 'row')} of ${counted(summary.tables, 'table')}.`,
      ]);
    } catch (error) {
      throw told(error);
    } finally {
      await rm(unfinished, { force: true });
    }
    output.note(
      'It holds names, addresses, notes and hashed passwords, no session, and no secret that opens the provider: keep HOLDFAST_SECRETS_KEY, or the data folder’s key, in another place.',
    );
  });
};

const restore = async (file: string, { json }: Common): Promise<void> => {
  const output = outputFor(json === true);
  const settings = readSettings(process.env);
  if ((await runningServer(settings.dataFolder)) !== undefined)
    throw commandFailed('A server runs on this data folder.', 'Stop it, and start it again afterwards.');
  const source = await open(file, 'r').catch((error: unknown) => {
    throw commandFailed(
      `${file} cannot be read: ${codeOf(error)}.`,
      'Name a file that `holdfast backup` wrote.',
    );
  });
  await source.close();
  const database = await openDatabase(settings);
  try {
    output.note(`Using the database ${database.place}.`);
    const summary = await restoreBackup({ url: database.url }, createReadStream(file));
    const waiting = Object.entries(summary.unfinished).map(([state, count]) => `${String(count)} ${state}`);
    output.result({ file, ...summary }, [
      `Put back as it was at ${summary.takenAt}: ${counted(summary.rows, 'row')} of ${counted(summary.tables, 'table')}.`,
      `Nothing is submitted: every organisation is on hold. Not ended at that time: ${waiting.join(', ') || 'none'}.`,
      `Everybody signs in again. Whatever was revoked since works again: keys, people, passkeys, a stricter policy. Revoke it again.`,
      'Now: start the server, so that devices tell again what they had sent since. `holdfast sweep --since 24h` (or as far back as the backup is old) finds what the provider did that this database does not know; `holdfast unresolved` lists what a person has to look at. Then `holdfast hold off`.',
    ]);
  } catch (error) {
    throw told(error);
  } finally {
    await database.close();
  }
};

export const addBackupCommands = (program: Command): void => {
  program
    .command('backup')
    .description(
      'write everything the database holds at one moment into a file, beside a running server or not',
    )
    .argument('<file>', 'a file that does not exist yet')
    .option('--json', 'print {file, takenAt, schemaVersion, tables, rows}')
    .action(backup);
  program
    .command('restore')
    .description('put a backup into an empty database; history begins anew, on hold')
    .argument('<file>', 'what `holdfast backup` wrote')
    .option('--json', 'print {file, takenAt, schemaVersion, tables, rows, unfinished}')
    .action(restore);
};
