import type { HoldState } from '@holdfast/engine';
import { restoreGaps } from '@holdfast/operation';
import type { Command } from 'commander';
import type { Check } from './doctor.ts';
import { gapText, holdLine } from './hold-line.ts';
import { commandFailed, outputFor } from './output.ts';
import { inWorkplace, type Workplace } from './workplace.ts';

type Common = { json?: boolean; org?: string };

type HoldOptions = Common & { reason?: string; all?: boolean };

/** For one organisation as ever; with `--all` for each there is, one after another. */
const eachAsked = async (
  { json, org, all }: HoldOptions,
  ask: (workplace: Workplace, organisationId: string) => Promise<HoldState>,
): Promise<void> => {
  const output = outputFor(json === true);
  if (all === true && org !== undefined) {
    throw commandFailed('--org and --all exclude each other.', 'Give one of them.');
  }
  await inWorkplace(output, async (workplace) => {
    if (all !== true) {
      const state = await ask(workplace, await workplace.organisation(org));
      output.result(state, [holdLine(state)]);
      return;
    }
    const items: (HoldState & { id: string; name: string })[] = [];
    for (const { id, name } of await workplace.store.organisations()) {
      items.push({ id, name, ...(await ask(workplace, id)) });
    }
    output.result(
      { items },
      items.map((one) => `${one.id}  ${one.name}  ${holdLine(one)}`),
    );
  });
};

const addHold = (program: Command): void => {
  const group = program.command('hold').description('stop and resume submitting');
  const withOptions = (name: string, about: string): Command =>
    group
      .command(name)
      .description(about)
      .option('--org <id>', 'organisation; without it the default one')
      .option('--all', 'every organisation there is')
      .option('--json', 'print {on, since, by, reason}; of all: {items}');
  withOptions('on', 'submit nothing')
    .option('--reason <text>', 'why, for others to read')
    .action((options: HoldOptions) => {
      const output = outputFor(options.json === true);
      return eachAsked(options, async ({ engine }, id) => {
        const { on } = await engine.hold.get(id);
        if (on && options.reason !== undefined) {
          output.note(`${id} is on hold already, so what was said then stays; this reason is kept nowhere.`);
        }
        return engine.hold.set(id, true, 'command-line', options.reason ?? null);
      });
    });
  withOptions('off', 'submit again').action((options: HoldOptions) => {
    const output = outputFor(options.json === true);
    return eachAsked(options, async ({ engine }, id) => {
      const gaps = restoreGaps(await engine.hold.standing(id));
      if (gaps.length > 0) {
        output.note(
          `${id} was put back: ${gaps.map((gap) => gapText[gap]).join(', and ')}. Submitting goes on all the same; what was approved is looked up before it is sent.`,
        );
      }
      return engine.hold.set(id, false, 'command-line', null);
    });
  });
  withOptions('status', 'say whether it is on').action((options: HoldOptions) =>
    eachAsked(options, ({ engine }, id) => engine.hold.get(id)),
  );
};

const markOf = ({ ok, note }: Check): string => {
  if (!ok) return 'wrong ';
  return note === true ? 'note  ' : 'ok    ';
};

export const addSystemCommands = (program: Command): void => {
  program
    .command('doctor')
    .description('examine configuration, database, provider, webhook secret and clock')
    .option('--json', 'print {checks}')
    .action(async ({ json }: Common) => {
      const output = outputFor(json === true);
      // Loaded here: it asks the provider, whose client no other command needs.
      const { examine } = await import('./doctor.ts');
      const checks = await examine(output);
      output.result(
        { checks },
        checks.map((one) => `${markOf(one)} ${one.check}: ${one.finding}`),
      );
      const wrong = checks.filter(({ ok }) => !ok);
      if (wrong.length > 0) {
        throw commandFailed(
          `Wrong: ${wrong.map(({ check }) => check).join(', ')}.`,
          wrong.map(({ remedy }) => remedy ?? '').join(' '),
        );
      }
    });
  program
    .command('migrate')
    .description('apply what migrations are missing')
    .option('--json', 'print {schemaVersion}')
    .action(async ({ json }: Common) => {
      const output = outputFor(json === true);
      const tell = ({ database }: Workplace): Promise<void> => {
        const { schemaVersion } = database;
        output.result({ schemaVersion }, [`The schema is at version ${String(schemaVersion)}.`]);
        return Promise.resolve();
      };
      await inWorkplace(output, tell, 'is-made');
    });
  addHold(program);
};
