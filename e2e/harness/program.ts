import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

export const repositoryRoot = path.resolve(import.meta.dirname, '../..');

/** A program of ours, run as its own process and ended as the world would end it. */
export type Program = {
  readonly output: () => string;
  readonly running: () => boolean;
  readonly end: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>;
  /** Stops it where it is, as a machine that is put to sleep does, and lets it go on. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Resolves with the signal that ended it; `null` when it ended by itself. */
  readonly ended: Promise<NodeJS.Signals | null>;
};

export const startProgram = (
  script: string,
  scriptArguments: readonly string[],
  environment: Record<string, string>,
): Program => {
  const child: ChildProcess = spawn(
    process.execPath,
    [path.resolve(repositoryRoot, script), ...scriptArguments],
    {
      cwd: repositoryRoot,
      env: { ...cleanEnvironment(), ...environment },
      // Whoever ends with its standard input ends with this process, however that ends.
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  let output = '';
  const keep = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('exit', (_code, signal) => resolve(signal));
  });
  return {
    output: () => output,
    running,
    ended,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    end: async (signal) => {
      if (!running()) return;
      child.kill(signal);
      await ended;
    },
  };
};

/** Runs a program to its end and gives back what it printed. */
export const runProgram = async (
  script: string,
  scriptArguments: readonly string[],
  environment: Record<string, string>,
  input = '',
): Promise<{ code: number | null; out: string; error: string }> => {
  const child = spawn(process.execPath, [path.resolve(repositoryRoot, script), ...scriptArguments], {
    cwd: repositoryRoot,
    env: { ...cleanEnvironment(), ...environment },
  });
  let out = '';
  let error = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out: out.trim(), error: error.trim() };
};

/** The caller's own settings must not leak into the house under test. */
const cleanEnvironment = (): Record<string, string> => {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (
      value === undefined ||
      /^(HOLDFAST_|STRIPE_|FAKE_STRIPE_|DATABASE_URL$|PORT$|HOST$|PUBLIC_ORIGIN$)/.test(name)
    )
      continue;
    kept[name] = value;
  }
  return kept;
};

/** Asks again until the answer is there; fails with what was last seen, so a red test says where it stood. */
export const until = async <Value>(
  what: string,
  ask: () => Promise<Value | undefined>,
  timeoutMs = 30_000,
): Promise<Value> => {
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  while (performance.now() < deadline) {
    try {
      const value = await ask();
      if (value !== undefined) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(
    `waited ${timeoutMs} ms for: ${what}${lastError instanceof Error ? ` (${lastError.message})` : ''}`,
  );
};
