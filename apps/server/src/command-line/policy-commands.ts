import { readFile } from 'node:fs/promises';
import type { Principal } from '@holdfast/engine';
import { policyChangeRequestSchema, policyInWords, type PolicyDesk } from '@holdfast/operation';
import type { Command } from 'commander';
import { textIn } from './arguments.ts';
import { commandFailed, outputFor } from './output.ts';
import { commandLine, inWorkplace } from './workplace.ts';

type Common = { json?: boolean; org?: string };

/** Whoever may enter the machine may tighten by themselves. What loosens still waits for an admin's word. */
const atTheDesk = (organisationId: string): Principal => {
  const { actor, ...who } = commandLine(organisationId);
  return { ...who, actor: { ...actor, role: 'admin' } };
};

const speechOf = ({ members }: PolicyDesk) => ({
  nameOf: (id: string) => members.find((member) => member.id === id)?.name ?? id,
  decimalMark: '.' as const,
});

const show = async ({ org, json }: Common): Promise<void> => {
  const output = outputFor(json === true);
  await inWorkplace(output, async ({ engine, organisation }) => {
    const desk = await engine.policy.show(atTheDesk(await organisation(org)));
    const { policy, waiting } = desk;
    output.result({ policy, waiting }, [
      `Version ${String(policy.version)}`,
      ...policyInWords(policy, speechOf(desk)),
      ...(waiting === null ? [] : [`A change by ${waiting.by.name} waits for a second admin.`]),
    ]);
  });
};

const readPolicyFile = async (file: string): Promise<unknown> => {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw commandFailed(`${file} cannot be read.`, 'Name a file that is there.');
  try {
    const read = JSON.parse(text) as unknown;
    // What `policy show --json` printed is taken as it is.
    return read !== null && typeof read === 'object' && 'policy' in read ? read.policy : read;
  } catch {
    throw commandFailed(`${file} is not JSON.`, 'Begin with what `holdfast policy show --json` prints.');
  }
};

const versionIn = (policy: unknown): unknown =>
  policy !== null && typeof policy === 'object' && 'version' in policy ? policy.version : undefined;

const said = {
  'in-force': 'It is in force.',
  unchanged: 'Nothing is new in it, so nothing was changed.',
  waiting: 'It loosens something, so it waits for an admin. Until then nothing is changed.',
  refused: 'It is refused. Nothing was changed.',
  withdrawn: 'It is taken back. Nothing was changed.',
} as const;

const set = async (file: string, { org, note, json }: Common & { note: string }): Promise<void> => {
  const output = outputFor(json === true);
  const policy = await readPolicyFile(file);
  const asked = policyChangeRequestSchema.safeParse({ basedOn: versionIn(policy), policy, note });
  if (!asked.success) {
    const issues = asked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw commandFailed(
      `${file} cannot be used: ${issues.join('; ')}.`,
      'Begin with what `holdfast policy show --json` prints; its version says which one you changed.',
    );
  }
  await inWorkplace(output, async ({ engine, organisation }) => {
    const answer = await engine.policy.change(atTheDesk(await organisation(org)), asked.data);
    if (!answer.ok) throw commandFailed(answer.problem.detail, 'Nothing was changed.');
    const { outcome, desk } = answer;
    output.result({ outcome, version: desk.policy.version, waiting: desk.waiting?.id ?? null }, [
      said[outcome],
    ]);
  });
};

export const addPolicyCommands = (program: Command): void => {
  const group = program.command('policy').description('the rules of an organisation');
  group
    .command('show')
    .description('the policy in force, and what waits')
    .option('--org <id>', 'organisation; without it the default one')
    .option('--json', 'print {policy, waiting}')
    .action(show);
  group
    .command('set <file>')
    .description('change the policy: a tightening is in force at once, a loosening waits for an admin')
    .requiredOption('--note <text>', 'why; people read it in the history', textIn)
    .option('--org <id>', 'organisation; without it the default one')
    .option('--json', 'print {outcome, version, waiting}')
    .action(set);
};
