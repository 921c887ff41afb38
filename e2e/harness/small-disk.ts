import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

/** File systems with little room, which nobody sees but who is started inside; they are gone with this program. */
export type SmallDisks = {
  /** What to run so that a program sees them: as an ordinary user, for PostgreSQL refuses to run as root. */
  readonly inside: (program: string, programArguments: readonly string[]) => [string, string[]];
  /** Leaves no byte of room on one of them. */
  readonly fill: (folder: string) => void;
  readonly empty: (folder: string) => void;
  readonly close: () => Promise<void>;
};

/** Why small disks cannot be made here; `undefined`: they can. */
export const whyNoSmallDisks = (): string | undefined =>
  process.platform === 'linux' ? undefined : 'it needs a file system of its own, which only Linux gives';

const mountAll =
  'for folder; do mount -t tmpfs -o size=SIZE,mode=1777 none "$folder" || exit 1; done; echo mounted; exec cat';

const readyOrWhy = async (holder: ChildProcess): Promise<void> => {
  let said = '';
  holder.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const mounted = new Promise<'mounted'>((resolve) => holder.stdout?.once('data', () => resolve('mounted')));
  if ((await Promise.race([mounted, once(holder, 'exit')])) === 'mounted') return;
  throw new Error(`no file system of our own could be mounted: ${said}`);
};

const ballastIn = (folder: string): string => path.join(folder, 'ballast');

/** @param folders where they are to be seen from inside */
export const makeSmallDisks = async (folders: readonly string[], megabytes: number): Promise<SmallDisks> => {
  for (const folder of folders) await mkdir(folder, { recursive: true });
  const script = mountAll.replace('SIZE', `${megabytes}m`);
  // It lives as long as its input is open, which is as long as this program lives, however that ends.
  const holder = spawn('unshare', ['--map-root-user', '--mount', 'sh', '-c', script, 'sh', ...folders], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  await readyOrWhy(holder);
  const root = `/proc/${String(holder.pid)}/root`;
  const nsenter = ['--target', String(holder.pid), '--user', '--mount', '--preserve-credentials'];
  return {
    inside: (program, programArguments) => [
      'nsenter',
      [
        ...nsenter,
        ...['unshare', '--user', '--map-user=65534', '--map-group=65534', program],
        ...programArguments,
      ],
    ],
    fill: (folder) => {
      const file = openSync(path.join(root, ballastIn(folder)), 'w');
      try {
        for (let bytes = 1_048_576; bytes >= 4_096;) {
          try {
            writeSync(file, Buffer.alloc(bytes, 1));
          } catch (error) {
            if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
            bytes /= 16;
          }
        }
      } finally {
        closeSync(file);
      }
    },
    empty: (folder) => {
      rmSync(path.join(root, ballastIn(folder)), { force: true });
    },
    close: async () => {
      const ended = once(holder, 'exit');
      holder.stdin.end();
      await ended;
    },
  };
};
