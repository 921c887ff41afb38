import { Command, Help } from 'commander';
import { addOrganisationCommands, addUserCommands } from './access-commands.ts';
import { addAuditCommands } from './audit-commands.ts';
import { addBackupCommands } from './backup-commands.ts';
import { addSweepCommand } from './sweep-command.ts';
import { addExportCommand } from './export-commands.ts';
import { addImportCommands } from './import-commands.ts';
import { addKeyCommands } from './key-commands.ts';
import { addOperationCommands } from './operation-commands.ts';
import { failureLine } from './output.ts';
import { addErasingCommands } from './erasing-commands.ts';
import { addPolicyCommands } from './policy-commands.ts';
import { addRecordCommands } from './record-commands.ts';
import { addProviderCommands } from './provider-commands.ts';
import { addSystemCommands } from './system-commands.ts';
import { addWebhookCommands } from './webhook-commands.ts';

/** The operator's command line. Exit code 0 only on success; standard error says what went wrong and what to do. */
const program = new Command('holdfast').description(
  'Looks after a Holdfast: its people, keys, orders and operations.',
);
// Before the commands are added: each takes these on from its parent.
program
  .configureOutput({
    outputError: (text, write) => {
      write(text.replace(/^error: /, 'holdfast: '));
    },
  })
  .showHelpAfterError('`holdfast --help` lists the commands; a command followed by --help lists its options.')
  .configureHelp({
    optionDescription: (option) =>
      `${new Help().optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
  });
addSystemCommands(program);
addOrganisationCommands(program);
addUserCommands(program);
addKeyCommands(program);
addErasingCommands(program);
addPolicyCommands(program);
addProviderCommands(program);
addWebhookCommands(program);
addImportCommands(program);
addRecordCommands(program);
addOperationCommands(program);
addSweepCommand(program);
addExportCommand(program);
addAuditCommands(program);
addBackupCommands(program);

/** Wrong use of a command points at the help of that command. */
const pointAtOwnHelp = (command: Command, words: string): void => {
  for (const part of command.commands) {
    const own = `${words} ${part.name()}`;
    const lists = part.commands.length > 0 ? 'commands' : 'options';
    part.showHelpAfterError(`\`${own} --help\` lists its ${lists}.`);
    pointAtOwnHelp(part, own);
  }
};
pointAtOwnHelp(program, 'holdfast');

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`holdfast: ${failureLine(error)}\n`);
  process.exitCode = 1;
}
