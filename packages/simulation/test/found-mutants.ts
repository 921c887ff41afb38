import { spawn } from 'node:child_process';
import path from 'node:path';
import { mutants } from '../src/mutants/mutants.ts';
import { partOf } from '../src/mutants/hunt-mutants.ts';

const command = path.resolve(import.meta.dirname, '../src/run/command-line.ts');

/**
 * Plants one part of the mistakes, as the command does: in a process of its own, since a world is loaded by Node itself.
 * Each is hunted first in the history that is known to find it, and where a change of what is shipped has made that
 * another one, in a few more.
 * @returns what the command ended with, the mistakes that it found, and those that it should have
 */
export const livePart = async (part: number, parts: number) => {
  const given = ['--mutants', '--seeds', '30', '--part', `${String(part)}/${String(parts)}`];
  const child = spawn(process.execPath, [command, ...given], { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    ...{ code, said },
    found: said.split('\n').flatMap((line) => /^found {3}(.*): in \d+ histor/.exec(line)?.[1] ?? []),
    wanted: partOf(mutants, [part, parts]).map(({ name }) => name),
  };
};
