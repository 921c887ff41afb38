import { writeSync } from 'node:fs';
import { crashPoints, type CrashPoint } from './crash-points.ts';

type Armed = { readonly point: CrashPoint; readonly signal: 'SIGKILL' | 'SIGSTOP'; readonly pass: number };

/** `<point>[:kill|stop][:<n-th pass>]`. A wrong one ends the program: a test that arms nothing would prove nothing. */
const readArmed = (text: string): Armed => {
  const [name, how = 'kill', pass = '1'] = text.split(':');
  const point = crashPoints.find((one) => one === name);
  if (point === undefined || !/^(kill|stop)$/.test(how) || !/^[1-9]\d*$/.test(pass)) {
    throw new Error(
      `HOLDFAST_CRASH_AT is "${text}"; it must be <point>[:kill|stop][:<n>], one of ${crashPoints.join(', ')}`,
    );
  }
  return { point, signal: how === 'stop' ? 'SIGSTOP' : 'SIGKILL', pass: Number(pass) };
};

const text = process.env['HOLDFAST_CRASH_AT'];
const armed = text === undefined || text === '' ? undefined : readArmed(text);
let passes = 0;

/** Ends or freezes this process at the armed point, as the world would: no handler runs, nothing is flushed. */
export const crashPoint = (point: CrashPoint): void => {
  if (armed?.point !== point) return;
  passes += 1;
  if (passes !== armed.pass) return;
  writeSync(2, `crash point ${point}: ${armed.signal}\n`);
  process.kill(process.pid, armed.signal);
};
