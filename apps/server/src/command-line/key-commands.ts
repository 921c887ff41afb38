import { randomUUID } from 'node:crypto';
import { roles, type Role } from '@holdfast/operation';
import type { Command } from 'commander';
import { hashApiKey, mintApiKey } from '../sign-in/api-key.ts';
import { keyScopes, type KeyScope } from '../sign-in/key-rules.ts';
import { keyStore, type ListedKey } from '../sign-in/key-store.ts';
import { emailIn, momentIn, oneOf, textIn, wholeNumberIn } from './arguments.ts';
import { commandFailed, outputFor } from './output.ts';
import { inWorkplace, type Workplace } from './workplace.ts';

type Common = { json?: boolean; org?: string };
type KeyOptions = Common & {
  role: Role;
  name: string;
  owner?: string;
  assistant?: boolean;
  scope?: KeyScope;
  expires?: Date;
};

const by = 'command-line';
const inThisOrganisation = '--org <id>';
const orDefault = 'organisation; without it the default one';

const create = async ({ role, name, org, owner, assistant, scope, expires, json }: KeyOptions) => {
  const output = outputFor(json === true);
  const make = async ({ settings, store, organisation }: Workplace): Promise<void> => {
    const organisationId = await organisation(org);
    const person = owner === undefined ? undefined : await store.memberByEmail(organisationId, owner);
    if (owner !== undefined && person === undefined) {
      throw commandFailed(
        `${owner} does not belong to this organisation.`,
        'Add them first with `holdfast user add`.',
      );
    }
    if (expires !== undefined && expires.getTime() <= Date.now()) {
      throw commandFailed('--expires is in the past.', 'Nothing was made. Name a day that is to come.');
    }
    const id = randomUUID();
    const key = mintApiKey();
    await store.addKey(organisationId, {
      id,
      hash: hashApiKey(key),
      role,
      name,
      ownerUserId: person?.userId ?? null,
      assistant: assistant === true,
      ...(scope === undefined ? {} : { scope }),
      ...(expires === undefined ? {} : { expiresAt: expires }),
    });
    output.result({ id, key }, [key]);
    const decides = (role === 'approver' || role === 'operator') && (scope ?? 'role') === 'role';
    if (decides && assistant !== true && !settings.keyApprovals) {
      output.note('A key approves nothing unless the server runs with HOLDFAST_KEY_APPROVALS=on.');
    }
  };
  await inWorkplace(output, make, 'is-made');
};

/** Its secret is nowhere; what stands here is what the screen shows, too. */
const lineOf = ({ id, name, role, scope, owner, expiresAt, stands }: ListedKey): string =>
  [
    id,
    stands,
    scope === 'role' ? role : `${role} (${scope})`,
    name,
    ...(owner === null ? [] : [`of ${owner.name}`]),
    ...(expiresAt === null ? [] : [`until ${expiresAt.toISOString()}`]),
  ].join('  ');

const list = async ({ org, json }: Common): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async ({ store, organisation }) => {
    const items = await keyStore(store.inOrganisation).keys(await organisation(org));
    output.result({ items }, items.map(lineOf));
  });
};

const noKey = () =>
  commandFailed('There is no such key that still works.', '`holdfast api-key list` names them.');

const rotate = async (id: string, { org, grace, json }: Common & { grace: number }): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async ({ store, organisation }) => {
    const organisationId = await organisation(org);
    const key = mintApiKey();
    const change = { id, hash: hashApiKey(key), graceSeconds: grace * 3_600, by };
    const rotated = await keyStore(store.inOrganisation).rotateKey(organisationId, change);
    if (rotated === undefined) throw noKey();
    const until = rotated.oldWorksUntil?.toISOString() ?? null;
    output.result({ id, key, oldWorksUntil: until }, [key]);
    output.note(until === null ? 'The old one works no more.' : `The old one works until ${until}.`);
  });
};

const revoke = async (id: string, { org, json }: Common): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async ({ store, organisation }) => {
    const outcome = await keyStore(store.inOrganisation).revokeKey(await organisation(org), { id, by });
    if (outcome === 'not-found') throw noKey();
    output.result({ id, revoked: true }, ['It works no more.']);
  });
};

export const addKeyCommands = (program: Command): void => {
  const group = program.command('api-key').description('API keys');
  group
    .command('create')
    .description('make an API key; prints the key alone, once')
    .requiredOption(
      '--role <role>',
      roles.filter((role) => role !== 'admin').join(', '),
      oneOf(['agent', 'approver', 'operator', 'integrator']),
    )
    .requiredOption('--name <name>', 'what it is for', textIn)
    .option(inThisOrganisation, orDefault)
    .option('--owner <email>', 'the person it acts for', emailIn)
    .option('--assistant', 'a program driven by a model: it may propose, never decide')
    .option('--scope <scope>', `how much of its role: ${keyScopes.join(', ')}`, oneOf(keyScopes))
    .option('--expires <when>', 'the last day it works (UTC), or a moment', momentIn)
    .option('--json', 'print {id, key}')
    .action(create);
  group
    .command('list')
    .description('all keys: ID, whether it works, role, name. Secrets are nowhere')
    .option(inThisOrganisation, orDefault)
    .option('--json', 'print {items}')
    .action(list);
  group
    .command('rotate <id>')
    .description('give a key a new secret; prints it alone, once')
    .option('--grace <hours>', 'how long the old one still works', wholeNumberIn(168, 'hours'), 24)
    .option(inThisOrganisation, orDefault)
    .option('--json', 'print {id, key, oldWorksUntil}')
    .action(rotate);
  group
    .command('revoke <id>')
    .description('a key works no more, at once')
    .option(inThisOrganisation, orDefault)
    .option('--json', 'print {id, revoked}')
    .action(revoke);
};
