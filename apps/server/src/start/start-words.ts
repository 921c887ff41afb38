import { Command } from 'commander';

/** What was asked for on the line that starts Holdfast: nothing but this; all settings come by environment. */
export type StartWords = { readonly watch: boolean };

const afterHelp = `
Settings are environment variables: docs/running-it.md lists them, and
"pnpm --silent holdfast doctor" says whether those that are set can be used.
Some that are asked for often:
  PORT                 where it listens on loopback (4780)
  HOLDFAST_DATA_DIR    where the embedded database and its files are (.holdfast)
  HOLDFAST_DEMO        "off": no demo shop, no demo sign-ins
  DATABASE_URL         a PostgreSQL of yours instead of the embedded one
  STRIPE_SECRET_KEY    your Stripe account instead of the bundled fake`;

/** Reads them; prints the help, or what it does not know, and ends the program where nothing is to be started. */
export const readStartWords = (words: readonly string[]): StartWords => {
  // pnpm keeps `--help` for itself; behind `--`, which it hands on as well, the word is ours.
  const ofOurs = words[0] === '--' ? words.slice(1) : words;
  const command = new Command('start')
    .description('Starts Holdfast on this machine: database, server, worker and app. Ctrl-C stops all of it.')
    .option('--watch', 'for development: starts anew when a source changes')
    .addHelpText('after', afterHelp)
    .showHelpAfterError('"pnpm start -- --help" says what there is. Nothing was started.')
    .parse(ofOurs, { from: 'user' });
  return { watch: command.opts<{ watch?: boolean }>().watch === true };
};
