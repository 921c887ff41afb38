import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { runProgram } from './program.ts';

const launcher = path.resolve(import.meta.dirname, '../launch.js');

/** Runs the launcher's own text as an older Node would, with no import to follow. */
const asNode = async (version: string) => {
  const text = (await readFile(launcher, 'utf8')).replace(/await import\(.*\)/, 'imported = true');
  let error = '';
  const stderr = { write: (line: string) => (error += line) };
  const fakeProcess = {
    versions: { node: version },
    argv: ['node', 'launch.js', 'start'],
    stderr,
    exitCode: 0,
  };
  const world = { process: fakeProcess, imported: false, Object, Number };
  runInNewContext(text, world);
  return { code: fakeProcess.exitCode, error, imported: world.imported };
};

describe('the launcher', () => {
  it('says in one clear line that Node is too old, and starts nothing', async () => {
    for (const version of ['20.20.2', '22.17.1']) {
      const { code, error, imported } = await asNode(version);
      expect({ code, imported }).toEqual({ code: 1, imported: false });
      expect(error).toMatch(
        new RegExp(`^holdfast: Node ${version} is too old: install Node 22.18 or newer.*\\n$`),
      );
    }
    for (const version of ['22.18.0', '24.22.3']) expect((await asNode(version)).imported).toBe(true);
  });

  it('hands the rest of the words on to the program', async () => {
    const help = await runProgram(launcher, ['holdfast', 'op', '--help'], {});
    expect(help.code).toBe(0);
    expect(help.out).toContain('show');
  });

  it('tells how to start, and starts nothing for a word that it does not know', async () => {
    const folder = path.join(tmpdir(), `holdfast-never-started-${String(process.pid)}`);
    const [help, unknown, extra] = await Promise.all(
      [['--', '--help'], ['--prot=1'], ['demo']].map((words) =>
        runProgram(launcher, ['start', ...words], { HOLDFAST_DATA_DIR: folder }),
      ),
    );
    expect(help).toMatchObject({ code: 0, error: '' });
    expect(help?.out).toContain('HOLDFAST_DATA_DIR');
    expect(unknown).toMatchObject({ code: 1, out: '' });
    expect(unknown?.error).toContain("unknown option '--prot=1'");
    expect(extra).toMatchObject({ code: 1, out: '' });
    expect(extra?.error).toContain('too many arguments');
    expect(existsSync(folder)).toBe(false);
  });
});
