import type { Role } from '@holdfast/operation';
import type { Command } from 'commander';
import { emailIn, oneOf, textIn } from './arguments.ts';
import { commandFailed, outputFor } from './output.ts';
import { inWorkplace, type Workplace } from './workplace.ts';

type Common = { json?: boolean; org?: string };

export const addOrganisationCommands = (program: Command): void => {
  const group = program.command('org').description('organisations');
  group
    .command('list')
    .description('all organisations: ID and name')
    .option('--json', 'print {items}')
    .action(async ({ json }: Common) => {
      const output = outputFor(json === true);
      await inWorkplace(output, async ({ store }) => {
        const items = await store.organisations();
        output.result(
          { items },
          items.map(({ id, name }) => `${id}  ${name}`),
        );
      });
    });
  group
    .command('create')
    .description('make an organisation; prints its ID')
    .requiredOption('--name <name>', 'its name', textIn)
    .option('--json', 'print {id}')
    .action(async ({ name, json }: Common & { name: string }) => {
      const output = outputFor(json === true);
      const make = async ({ engine, store }: Workplace): Promise<void> => {
        const sameName = (await store.organisations()).filter((one) => one.name === name);
        const made = await engine.createOrganisation(name);
        output.result(made, [made.id]);
        for (const { id } of sameName)
          output.note(`There is another organisation named "${name}": ${id}. \`--org\` takes the ID.`);
      };
      await inWorkplace(output, make, 'is-made');
    });
};

type UserOptions = Common & { email: string; name: string; role: Role };

export const addUserCommands = (program: Command): void => {
  program
    .command('user')
    .description('people')
    .command('add')
    .description('add a person; prints a link to set the password')
    .requiredOption('--email <email>', 'e-mail address to sign in with', emailIn)
    .requiredOption('--name <name>', 'name as others see it', textIn)
    .requiredOption(
      '--role <role>',
      'agent, approver, operator or admin',
      oneOf(['agent', 'approver', 'operator', 'admin']),
    )
    .option('--org <id>', 'organisation; without it the default one')
    .option('--json', 'print {userId, link}')
    .action(async ({ email, name, role, org, json }: UserOptions) => {
      const output = outputFor(json === true);
      const add = async ({ store, database, publicOrigin, organisation }: Workplace): Promise<void> => {
        const organisationId = await organisation(org);
        if ((await store.memberByEmail(organisationId, email)) !== undefined) {
          throw commandFailed(`${email} belongs to this organisation already.`, 'Nothing was changed.');
        }
        // Loaded here: the sign-in library is large, and no other command needs it.
        const { openPeople } = await import('../sign-in/people.ts');
        const people = openPeople({
          url: database.url,
          publicOrigin,
          sharedKey: await store.sharedKey(),
          maximum: 1,
        });
        try {
          const { userId, token } = await people.invite(email, name);
          await store.addMember(organisationId, { userId, role, name, email });
          const link =
            token === undefined ? null : `${publicOrigin}/set-password?token=${encodeURIComponent(token)}`;
          output.result({ userId, link }, [link ?? `${email} signs in with the password they have.`]);
          if (link !== null) output.note('The link works once, within 7 days.');
        } finally {
          await people.close();
        }
      };
      await inWorkplace(output, add, 'is-made');
    });
};
