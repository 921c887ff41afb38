import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { identify, isStillRunning, type ProcessIdentity } from '../embedded-postgres/process-identity.ts';

/** A process above us, as the system names it. */
export type Ancestor = { readonly pid: number; readonly parent: number; readonly name: string };

const fromProc = (pid: number): Ancestor | undefined => {
  const text = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  const end = text.lastIndexOf(')');
  const parent = Number(text.slice(end + 2).split(' ')[1]);
  return { pid, parent, name: text.slice(text.indexOf('(') + 1, end) };
};

const fromPs = (pid: number): Ancestor | undefined => {
  const shown = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' });
  const match = /^\s*(\d+)\s+(\S.*)$/m.exec(shown.stdout);
  const name = match?.[2]?.split('/').at(-1);
  return match === null || name === undefined ? undefined : { pid, parent: Number(match[1]), name };
};

const readAncestor = (pid: number): Ancestor | undefined => {
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  } catch {
    return undefined;
  }
};

const isRunner = (name: string): boolean => /^(npm|npx|pnpm|yarn)\b/.test(name);

/** The package runners directly above a process, with the shells between them; nothing above the topmost runner. */
export const runnersAbove = (firstParent: number, read: (pid: number) => Ancestor | undefined): number[] => {
  const passed: number[] = [];
  let runners = 0;
  for (let pid = firstParent; pid > 1 && passed.length < 12;) {
    const ancestor = read(pid);
    if (ancestor === undefined || !(isRunner(ancestor.name) || /^(sh|bash|dash|zsh|cmd)/.test(ancestor.name)))
      break;
    passed.push(pid);
    if (isRunner(ancestor.name)) runners = passed.length;
    pid = ancestor.parent;
  }
  return passed.slice(0, runners);
};

/**
 * What started us, where that was a package runner. `npx` and `pnpm` end on SIGTERM and leave their children running,
 * so a stop that reaches only them is seen here.
 */
export const launchers = (): readonly ProcessIdentity[] =>
  runnersAbove(process.ppid, readAncestor).map(identify);

export const anyHasEnded = (identities: readonly ProcessIdentity[]): boolean =>
  identities.some((identity) => !isStillRunning(identity));

/** Calls `onEnd` once, when one of them has ended. */
export const watchLaunchers = (identities: readonly ProcessIdentity[], onEnd: () => void): void => {
  if (identities.length === 0) return;
  const timer = setInterval(() => {
    if (!anyHasEnded(identities)) return;
    clearInterval(timer);
    onEnd();
  }, 300);
  timer.unref();
};
