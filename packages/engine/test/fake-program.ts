import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type FakeProgram = {
  readonly base: string;
  /** Asks its control door, and gives back what it answered; anything but a success throws. */
  readonly control: (
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<Readonly<Record<string, unknown>>>;
  readonly stop: () => Promise<void>;
};

/**
 * A provider's double as a process of its own, on a free port. By path: a package knows no app. It ends with its standard
 * input, so that not even a killed test run leaves one behind.
 */
export const startFakeProgram = async (
  app: 'fake-stripe' | 'fake-providers',
  environment: Readonly<Record<string, string>>,
): Promise<FakeProgram> => {
  const program = fileURLToPath(new URL(`../../../apps/${app}/src/${app}.ts`, import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      resolve((JSON.parse(line) as { port: number }).port);
    });
    child.once('exit', (code) => {
      reject(new Error(`${app} ended with ${String(code)}`));
    });
  });
  const base = `http://127.0.0.1:${String(port)}`;
  return {
    base,
    control: async (method, path, body) => {
      const response = await fetch(
        `${base}${path}`,
        body === undefined ? { method } : { method, body: JSON.stringify(body) },
      );
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${text}`);
      return JSON.parse(text) as Readonly<Record<string, unknown>>;
    },
    stop: async () => {
      child.stdin.end();
      child.kill('SIGTERM');
      await exited;
    },
  };
};
