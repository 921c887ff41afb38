import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const configuration = path.join(root, '.oxlintrc.json');

/** Outside of the tree: the checks that run beside this test would find what is planted in it. */
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'holdfast-rules-'));
  const compilerOptions = { strict: true, target: 'ES2023', module: 'NodeNext', types: [] };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const rulesBrokenBy = (code: string): string[] => {
  writeFileSync(path.join(folder, 'planted.ts'), `${code}\nexport {};\n`);
  const said = spawnSync('oxlint', ['-c', configuration, '--format', 'json', '.'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const { diagnostics } = JSON.parse(said.stdout) as { diagnostics: readonly { code: string }[] };
  return diagnostics.map(({ code: rule }) => rule);
};

describe('the rules that need types', () => {
  test.each([
    ['no-floating-promises', 'Promise.resolve(1);'],
    ['no-misused-promises', 'export const wrong = () => { if (Promise.resolve(true)) throw new Error(); };'],
    ['await-thenable', 'export const wrong = async () => { await 1; };'],
    [
      'switch-exhaustiveness-check',
      "export const wrong = (one: 'a' | 'b') => { switch (one) { case 'a': throw new Error(); } };",
    ],
  ])('%s is found', (rule, code) => {
    expect(rulesBrokenBy(code)).toEqual([`typescript(${rule})`]);
  });

  test('hold in every folder alike: there is one configuration, and it makes no exception', () => {
    const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
    expect(tracked.filter((file) => /oxlintrc|\.oxlint|\.eslintignore/.test(file))).toEqual([
      '.oxlintrc.json',
    ]);
    const { overrides, ignorePatterns } = JSON.parse(readFileSync(configuration, 'utf8')) as {
      overrides?: unknown;
      ignorePatterns?: unknown;
    };
    expect({ overrides, ignorePatterns }).toEqual({});
  });
});
