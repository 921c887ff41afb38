import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { crashPoints } from './crash-points.ts';

const engine = join(import.meta.dirname, '../../..');

/** A process that passes a crash point twice and says so each time. */
const passTwice = async (environment: Record<string, string>, nodeOptions: readonly string[]) => {
  const script = `import { crashPoint } from '#crash-point';
    for (const pass of [1, 2]) {
      crashPoint('before-claim-commits');
      console.log('passed ' + pass);
    }`;
  const child = spawn(process.execPath, [...nodeOptions, '--input-type=module', '--eval', script], {
    cwd: engine,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, output };
};

const crashTest = ['--conditions=holdfast-crash-test'];

describe('crash points', () => {
  // Red when: the default of `#crash-point` in package.json names the armed module.
  it('in an ordinary start the variable that arms one does nothing, whatever it says', async () => {
    for (const text of ['before-claim-commits', 'before-claim-commits:kill:2', 'nonsense']) {
      const ended = await passTwice({ HOLDFAST_CRASH_AT: text }, []);
      expect(ended).toEqual({ code: 0, signal: null, output: 'passed 1\npassed 2\n' });
    }
  });

  // Red when: the armed module counts from another number or ends the process with an exit that runs handlers.
  it('in a crash test the process is killed at the pass that was armed, and at no other point', async () => {
    const first = await passTwice({ HOLDFAST_CRASH_AT: 'before-claim-commits' }, crashTest);
    expect(first.signal).toBe('SIGKILL');
    expect(first.output).not.toContain('passed 1');
    const second = await passTwice({ HOLDFAST_CRASH_AT: 'before-claim-commits:kill:2' }, crashTest);
    expect(second.signal).toBe('SIGKILL');
    expect(second.output).toContain('passed 1');
    const other = await passTwice({ HOLDFAST_CRASH_AT: 'before-record-commits' }, crashTest);
    expect(other.code).toBe(0);
    const unarmed = await passTwice({}, crashTest);
    expect(unarmed.code).toBe(0);
  });

  // Red when: an unknown name is taken for "nothing is armed".
  it('a crash test that arms a point that does not exist does not start', async () => {
    const ended = await passTwice({ HOLDFAST_CRASH_AT: 'after-lunch' }, crashTest);
    expect(ended.code).not.toBe(0);
    expect(ended.output).not.toContain('passed');
  });

  // Red when: a call of `crashPoint` is removed from its seam.
  it('every point of the list is passed in exactly one place', () => {
    const sources = readdirSync(join(engine, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(join(engine, 'src', file), 'utf8'));
    const called = sources.flatMap((source) =>
      [...source.matchAll(/\bcrashPoint\('([^']+)'\)/g)].map((match) => match[1]),
    );
    expect(called.toSorted()).toEqual([...crashPoints].toSorted());
  });
});
