import { createServer } from 'node:net';
import { StartProblem } from '../settings/start-problem.ts';

/** One line for a port that can't be listened on. */
export const portProblem = (name: string, host: string, port: number, error: unknown): StartProblem => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'EADDRINUSE':
      return new StartProblem(
        `${name}: something listens on ${host}:${String(port)} already.`,
        `Stop it (another Holdfast, perhaps), or set ${name} to a free port.`,
      );
    case 'EACCES':
      return new StartProblem(
        `${name}: port ${String(port)} may not be opened by this user.`,
        `Set ${name} above 1023.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartProblem(
        `HOST cannot be used: ${host} is no address of this machine.`,
        'Set HOST to 127.0.0.1.',
      );
    default:
      return new StartProblem(
        `${name}: ${host}:${String(port)} cannot be listened on (${code}).`,
        `Set ${name} to another.`,
      );
  }
};

/** Finds a taken port out before anything is started for it. */
export const checkedPort = (name: string, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      reject(portProblem(name, host, port, error));
    });
    server.listen(port, host, () => {
      server.close(() => {
        resolve();
      });
    });
  });
