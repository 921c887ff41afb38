import { readdirSync, readFileSync } from 'node:fs';

/** `/proc` counts in hundredths of a second on every Linux we know. */
const ticksPerSecond = 100;

type ProcessTimes = { readonly parent: number; readonly own: number; readonly ofEnded: number };

const timesOf = (pid: number): ProcessTimes | undefined => {
  try {
    const text = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The second field is a name in brackets that may hold anything: the rest begins after the last bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const field = (place: number): number => Number(fields[place]);
    return {
      parent: field(1),
      own: (field(11) + field(12)) / ticksPerSecond,
      ofEnded: (field(13) + field(14)) / ticksPerSecond,
    };
  } catch {
    return undefined;
  }
};

/** Seconds of processor time that a process has used; `null` where this system does not tell. */
export const processorSeconds = (pid: number): number | null => timesOf(pid)?.own ?? null;

/** The same of a process, its children, and its children that have ended: a PostgreSQL cluster, by its postmaster. */
export const processorSecondsOfFamily = (pid: number): number | null => {
  const head = timesOf(pid);
  if (head === undefined) return null;
  let seconds = head.own + head.ofEnded;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const child = timesOf(Number(name));
    if (child?.parent === pid) seconds += child.own + child.ofEnded;
  }
  return seconds;
};

/** Bytes of memory a process holds; `null` where this system does not tell. */
export const residentBytes = (pid: number): number | null => {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
};
