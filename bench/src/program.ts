import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';

export const repositoryRoot = path.resolve(import.meta.dirname, '../..');

export type Environment = Readonly<Record<string, string>>;

/** A program run as its own process. */
export type Program = {
  readonly pid: number;
  readonly output: () => string;
  readonly running: () => boolean;
  /** Resolves once it has ended. */
  readonly end: (signal?: NodeJS.Signals) => Promise<void>;
};

/** The caller's own settings must not leak into what is measured. */
const cleanEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(HOLDFAST_|STRIPE_|FAKE_STRIPE_|PG|NODE_OPTIONS$|DATABASE_URL$|PORT$|HOST$|PUBLIC_ORIGIN$)/.test(
          name,
        ),
    ),
  );

const keptOutput = 20_000;

export const startProgram = (
  command: string,
  programArguments: readonly string[],
  environment: Environment = {},
  detached = false,
): Program => {
  const child = spawn(command, programArguments, {
    cwd: repositoryRoot,
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
  });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-keptOutput);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('error', (error) => {
    output += String(error);
  });
  const running = (): boolean =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? 0,
    output: () => output,
    running,
    end: async (signal = 'SIGTERM') => {
      if (!running()) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
  };
};

/** One of our own TypeScript programs, by its path from the repository's root. */
export const startScript = (
  script: string,
  scriptArguments: readonly string[],
  environment: Environment = {},
  nodeArguments: readonly string[] = [],
): Program =>
  startProgram(
    process.execPath,
    [...nodeArguments, path.join(repositoryRoot, script), ...scriptArguments],
    environment,
  );

/** Runs a script to its end. @returns what it printed. @throws when it does not exit with 0 */
export const runScript = async (
  script: string,
  scriptArguments: readonly string[],
  environment: Environment,
): Promise<string> => {
  const child = spawn(process.execPath, [path.join(repositoryRoot, script), ...scriptArguments], {
    cwd: repositoryRoot,
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let error = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return out.trim();
  throw new Error(`${script} ${scriptArguments.join(' ')} exited with ${String(code)}: ${error}`);
};

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Thrown by what is asked again and again: it will never be so. */
export class NeverSo extends Error {}

/** Asks again until `ask` answers with something. @throws when that takes longer than `timeoutMs`, or on `NeverSo` */
export const until = async <Value>(
  what: string,
  ask: () => Promise<Value | undefined>,
  timeoutMs = 120_000,
): Promise<Value> => {
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  while (performance.now() < deadline) {
    try {
      const value = await ask();
      if (value !== undefined) return value;
    } catch (error) {
      if (error instanceof NeverSo) throw error;
      lastError = error;
    }
    await pause(50);
  }
  throw new Error(`waited ${String(timeoutMs)} ms for ${what}`, { cause: lastError });
};

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
};
