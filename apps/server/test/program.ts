import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { eventually } from './eventually.ts';

const source = path.resolve(import.meta.dirname, '../src');
export const startScript = path.join(source, 'start', 'start.ts');

/** What the test command has built of it, which starts in a third of the time (e2e/setup/build-programs.ts), or its source. */
const built = process.env['BUILT_PROGRAMS'];
export const commandLineScript =
  built === undefined
    ? path.join(source, 'command-line', 'holdfast.ts')
    : path.join(source, '..', 'dist', `command-line-${built}`, 'program.mjs');

/** The caller's own settings must not leak into the program under test. */
export const environment = (variables: Record<string, string>): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(HOLDFAST_|STRIPE_|FAKE_STRIPE_|DATABASE_URL$|PORT$|HOST$|PUBLIC_ORIGIN$|NODE_OPTIONS$|VITEST)/.test(
          name,
        ),
    ),
  ),
  HOLDFAST_WEB_BUILD: 'off',
  ...variables,
});

export type Ended = { readonly code: number | null; readonly out: string; readonly error: string };

/** Runs one of our programs to its end. */
export const runProgram = (
  script: string,
  programArguments: readonly string[],
  variables: Record<string, string>,
  input = '',
): Promise<Ended> => runNode([script, ...programArguments], environment(variables), input);

/** Runs Node with these arguments, its own before the script's, to its end. */
export const runNode = async (
  nodeArguments: readonly string[],
  env: NodeJS.ProcessEnv,
  input = '',
): Promise<Ended> => {
  const child = spawn(process.execPath, nodeArguments, { env });
  let out = '';
  let error = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out: out.trim(), error: error.trim() };
};

export const holdfast = (variables: Record<string, string>, ...programArguments: string[]): Promise<Ended> =>
  runProgram(commandLineScript, programArguments, variables);

/** The same with something on standard input. */
export const holdfastGiven = (
  input: string,
  variables: Record<string, string>,
  ...programArguments: string[]
): Promise<Ended> => runProgram(commandLineScript, programArguments, variables, input);

export type Running = {
  readonly output: () => string;
  /** Sends the signal and answers the exit code. */
  readonly end: (signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT') => Promise<number | null>;
};

/**
 * Starts the server as people do, and waits until it is ready.
 * @param runner a program that starts it in our place, as `npx` does
 */
export const startServer = async (variables: Record<string, string>, runner?: string): Promise<Running> => {
  const child = spawn(runner ?? process.execPath, runner === undefined ? [startScript] : [], {
    env: environment(variables),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = once(child, 'exit') as Promise<[number | null]>;
    child.kill(signal);
    return (await ended)[0];
  };
  await eventually('the server to be ready', async () => {
    if (child.exitCode !== null) throw new Error(`the server ended: ${output}`);
    try {
      return (await fetch(`http://127.0.0.1:${variables['PORT'] ?? ''}/readyz`)).ok;
    } catch {
      return false;
    }
  });
  return { output: () => output, end };
};
