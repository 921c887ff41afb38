import { readFileSync } from 'node:fs';

/**
 * A process that is still the one we mean. PIDs are reused (in containers almost at once), so where the system
 * tells it, the process's own start time is part of its name.
 */
export type ProcessIdentity = { readonly pid: number; readonly startedTicks: string | null };

type ProcessStatus = { readonly state: string; readonly startedTicks: string };

/** Linux only: the state letter and start time of a process, from the fields after its parenthesised name. */
const readStatus = (pid: number): ProcessStatus | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, startedTicks] = [fields[0], fields[19]];
    return state !== undefined && startedTicks !== undefined ? { state, startedTicks } : undefined;
  } catch {
    return undefined;
  }
};

const answersSignals = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** True while the process runs. A killed one that nobody has reaped yet counts as ended. */
export const isRunning = (pid: number): boolean => answersSignals(pid) && readStatus(pid)?.state !== 'Z';

export const identify = (pid: number): ProcessIdentity => ({
  pid,
  startedTicks: readStatus(pid)?.startedTicks ?? null,
});

export const isStillRunning = (identity: ProcessIdentity): boolean =>
  isRunning(identity.pid) &&
  (identity.startedTicks === null || identify(identity.pid).startedTicks === identity.startedTicks);

/** Polls until the process has ended. Resolves false when it has not within the deadline. */
export const waitForEnd = async (identity: ProcessIdentity, deadlineMs: number): Promise<boolean> => {
  const until = Date.now() + deadlineMs;
  while (isStillRunning(identity)) {
    if (Date.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
};
