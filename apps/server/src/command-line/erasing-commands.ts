import { eraseCustomer, erasePerson, ErasureRefusal } from '@holdfast/engine/postgres';
import type { Command } from 'commander';
import { textIn } from './arguments.ts';
import { commandFailed, counted, outputFor, type Output } from './output.ts';
import { inWorkplace } from './workplace.ts';

type Options = { json?: boolean; org?: string; also?: readonly string[]; yes?: boolean };

const alsoIn = (text: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  textIn(text),
];

const told = (error: unknown): unknown =>
  error instanceof ErasureRefusal ? commandFailed(error.message, error.remedy) : error;

const textLines = (texts: Readonly<Record<string, number>>): readonly string[] =>
  Object.entries(texts).map(([table, count]) => `  taken out of ${counted(count, 'text')} in ${table}`);

const say = (output: Output, yes: boolean | undefined): void => {
  output.note(
    yes === true
      ? 'Backups, the mailbox and the logs of before still hold what they held. See "Erasing a person" in docs/operations.md.'
      : 'Nothing was changed: this is what would be. The same with --yes carries it out, and nothing brings it back.',
  );
};

const person = async (who: string, { json, also, yes }: Options): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async ({ database }) => {
    const erased = await erasePerson(database.url, {
      person: who,
      also: also ?? [],
      carryOut: yes === true,
    }).catch((error: unknown) => {
      throw told(error);
    });
    output.result({ carriedOut: yes === true, ...erased }, [
      `${erased.id} is "${erased.pseudonym}".`,
      `  ${counted(erased.sessions, 'session')}, ${counted(erased.passkeys, 'passkey')} and ${counted(erased.browsers, 'browser')} for notices removed`,
      ...erased.organisations.flatMap(({ texts }) => textLines(texts)),
    ]);
    say(output, yes);
  });
};

const customer = async (customerId: string, { json, org, also, yes }: Options): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async ({ database, organisation }) => {
    const erased = await eraseCustomer(database.url, {
      organisationId: await organisation(org),
      customerId,
      also: also ?? [],
      carryOut: yes === true,
    }).catch((error: unknown) => {
      throw told(error);
    });
    output.result({ carriedOut: yes === true, ...erased }, [
      `Customer ${customerId} is "${erased.pseudonym}": ${counted(erased.orders, 'order')}, ${counted(erased.tickets, 'ticket')}.`,
      ...textLines(erased.texts),
    ]);
    say(output, yes);
  });
};

export const addErasingCommands = (program: Command): void => {
  program
    .command('person')
    .description('people who have left')
    .command('erase')
    .description('replace a name and an address everywhere, and remove what signs the person in')
    .argument('<who>', 'their e-mail address, or their ID')
    .option('--also <text>', 'another spelling to take out of texts; may be given again', alsoIn)
    .option('--yes', 'carry it out; without it only what would be done is said')
    .option('--json', 'print what was erased')
    .action(person);
  program
    .command('customer')
    .description("the shop's customers")
    .command('erase')
    .description('replace a customer’s name everywhere, and empty their tickets')
    .argument('<customerId>', 'the ID that the shop gives')
    .option('--org <id>', 'organisation; without it the default one')
    .option(
      '--also <text>',
      'an address or another spelling to take out of texts; may be given again',
      alsoIn,
    )
    .option('--yes', 'carry it out; without it only what would be done is said')
    .option('--json', 'print what was erased')
    .action(customer);
};
