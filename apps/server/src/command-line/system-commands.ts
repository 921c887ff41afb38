import type { HoldState } from '@holdfast/engine';
import type { Command } from 'commander';
import type { Check } from './doctor.ts';
import { commandFailed, outputFor } from './output.ts';
import { inWorkplace, type Workplace } from './workplace.ts';

type Common = { json?: boolean; org?: string };

const holdLine = (state: HoldState): string =>
  state.on
    ? `On hold since ${state.since ?? '?'}, by ${state.by ?? '?'}${state.reason === null ? '' : `: ${state.reason}`}. Nothing is submitted; look-ups go on.`
    : 'Not on hold.';

const addHold = (program: Command): void => {
  const group = program.command('hold').description('stop and resume submitting');
  const withOptions = (name: string, about: string): Command =>
    group
      .command(name)
      .description(about)
      .option('--org <id>', 'organisation; without it the default one')
      .option('--json', 'print {on, since, by, reason}');
  const change = (on: boolean) => async (options: Common & { reason?: string }) => {
    const output = outputFor(options.json === true);
    await inWorkplace(output, async ({ engine, organisation }) => {
      const id = await organisation(options.org);
      const state = await engine.hold.set(id, on, 'command-line', options.reason ?? null);
      output.result(state, [holdLine(state)]);
    });
  };
  withOptions('on', 'submit nothing')
    .option('--reason <text>', 'why, for others to read')
    .action(change(true));
  withOptions('off', 'submit again').action(change(false));
  withOptions('status', 'say whether it is on').action(async (options: Common) => {
    const output = outputFor(options.json === true);
    await inWorkplace(output, async ({ engine, organisation }) => {
      const state = await engine.hold.get(await organisation(options.org));
      output.result(state, [holdLine(state)]);
    });
  });
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
