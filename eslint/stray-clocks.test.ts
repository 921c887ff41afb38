import path from 'node:path';
import { ESLint, Linter } from 'eslint';
import { describe, expect, test } from 'vitest';
import { strayClocks } from './stray-clocks.ts';

const root = path.resolve(import.meta.dirname, '..');

const lint = (code: string): number =>
  new Linter().verify(code, [
    {
      plugins: { house: { rules: { 'stray-clocks': strayClocks } } },
      rules: { 'house/stray-clocks': 'error' },
    },
  ]).length;

describe('decisions read no clock and no chance', () => {
  test.each([
    'Date.now()',
    'new Date()',
    'Date()',
    'Math.random()',
    'performance.now()',
    'const now = Date.now;',
  ])('%s is refused', (code) => {
    expect(lint(code)).toBe(1);
  });

  test.each(['new Date(atMs)', 'Date.parse(text)', 'Math.max(1, 2)'])('%s is allowed', (code) => {
    expect(lint(code)).toBe(0);
  });

  test.each([
    ['packages/operation/src/settle.ts', true],
    ['packages/engine/src/claim/claim.ts', true],
    ['packages/outbox/src/sender.ts', true],
    ['packages/engine/src/postgres/claim-store.ts', false],
    ['packages/outbox/src/browser/browser.ts', false],
  ])('the rule covers %s: %s', async (file, covered) => {
    const config = (await new ESLint({ cwd: root }).calculateConfigForFile(
      path.join(root, file),
    )) as Linter.Config;
    expect(config.rules?.['house/stray-clocks'] !== undefined).toBe(covered);
  });
});
