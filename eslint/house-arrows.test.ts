import path from 'node:path';
import { ESLint, Linter } from 'eslint';
import { describe, expect, test } from 'vitest';
import typescript from 'typescript-eslint';
import { againstTheArrows, houseArrows, rooms } from './house-arrows.ts';

const root = path.resolve(import.meta.dirname, '..');

const forbidden: readonly (readonly [string, string])[] = [
  ['packages/operation/src/a.ts', '@holdfast/engine'],
  ['packages/operation/src/a.ts', 'node:crypto'],
  ['packages/operation/src/a.ts', 'dexie'],
  ['packages/operation/src/a.ts', '../../engine/src/engine.ts'],
  ['packages/providers/src/a.ts', 'stripe'],
  ['packages/providers/src/a.ts', './stripe/stripe.ts'],
  ['packages/providers/src/a.ts', './wire/exchange-once.ts'],
  ['packages/providers/src/mollie/a.ts', 'stripe'],
  ['packages/providers/src/wire/a.ts', 'stripe'],
  ['packages/providers/src/a.ts', '@holdfast/engine'],
  ['packages/engine/src/claim/a.ts', 'postgres'],
  ['packages/engine/src/claim/a.ts', 'node:fs'],
  ['packages/engine/src/claim/a.ts', '../postgres/postgres.ts'],
  ['packages/engine/src/claim/a.ts', '@holdfast/providers/stripe'],
  ['packages/engine/src/claim/a.ts', '@holdfast/providers/mollie'],
  ['packages/engine/src/postgres/a.ts', 'stripe'],
  ['packages/engine/src/postgres/a.ts', '@holdfast/outbox'],
  ['packages/operation/src/a.ts', 'zod'],
  ['packages/outbox/src/a.ts', 'zod'],
  ['packages/outbox/src/a.ts', 'dexie'],
  ['packages/outbox/src/a.ts', '@holdfast/engine'],
  ['packages/outbox/src/browser/a.ts', 'node:fs'],
  ['packages/assistant/src/a.ts', '@holdfast/engine'],
  ['packages/assistant/src/a.ts', 'ai'],
  ['packages/assistant/src/a.ts', 'node:fs'],
  ['packages/operation/src/a.ts', '@holdfast/assistant'],
  ['packages/engine/src/claim/a.ts', '@holdfast/assistant'],
  ['apps/web/src/a.ts', '@holdfast/engine'],
  ['apps/web/src/a.ts', '@holdfast/operation/src/state.ts'],
  ['apps/server/src/a.ts', '@holdfast/outbox'],
  ['apps/server/src/a.ts', '../../fake-stripe/src/fake-stripe.ts'],
  ['apps/fake-stripe/src/a.ts', '@holdfast/operation'],
  ['apps/fake-providers/src/a.ts', '@holdfast/operation'],
  ['e2e/a.ts', '@holdfast/operation'],
  ['bench/src/a.ts', '@holdfast/engine/postgres'],
  ['bench/src/a.ts', '../../apps/server/src/a.ts'],
  ['bench/src/a.ts', 'drizzle-orm'],
  ['e2e/a.ts', '../apps/server/src/a.ts'],
  ['packages/new-room/src/a.ts', 'zod'],
  ['packages/simulation/src/a.ts', '../../engine/src/claim/a.ts'],
  ['packages/simulation/src/a.ts', 'drizzle-orm'],
  ['packages/engine/src/postgres/a.ts', '@holdfast/simulation'],
  ['apps/server/src/a.ts', '@holdfast/simulation'],
  ['apps/web/src/a.ts', '@holdfast/outbox/pretend-stores'],
];

const allowed: readonly (readonly [string, string])[] = [
  ['packages/operation/src/wire/a.ts', '../amount.ts'],
  ['packages/operation/src/wire/a.ts', 'zod/mini'],
  ['packages/providers/src/stripe/a.ts', 'stripe'],
  ['packages/providers/src/stripe/a.ts', '../provider-contract.ts'],
  ['packages/providers/src/stripe/a.ts', '../wire/exchange-once.ts'],
  ['packages/engine/src/claim/a.ts', '@holdfast/operation'],
  ['packages/engine/src/postgres/a.ts', '../claim/a.ts'],
  ['packages/engine/src/worker/a.pg.test.ts', '@holdfast/providers/mollie'],
  ['packages/outbox/src/browser/a.ts', 'dexie'],
  ['packages/assistant/src/a.ts', '@holdfast/operation'],
  ['packages/assistant/src/a.ts', 'zod/mini'],
  ['packages/assistant/evaluation/a.ts', '@holdfast/assistant'],
  ['apps/server/src/a.ts', '@holdfast/assistant'],
  ['apps/web/src/a.ts', '@holdfast/outbox/browser'],
  ['apps/server/src/a.ts', '@holdfast/engine/postgres'],
  ['bench/src/a.ts', './bare/b.ts'],
  ['bench/src/a.ts', 'postgres'],
  ['packages/simulation/src/a.ts', '@holdfast/engine/postgres'],
  ['packages/simulation/src/a.ts', '@holdfast/outbox/decisions'],
];

describe('the arrows of the house', () => {
  test.each(forbidden)('%s may not import %s', (file, specifier) => {
    expect(againstTheArrows(file, specifier)).toBeTypeOf('string');
  });

  test.each(allowed)('%s may import %s', (file, specifier) => {
    expect(againstTheArrows(file, specifier)).toBeUndefined();
  });

  const lint = (code: string): string[] =>
    new Linter({ cwd: root })
      .verify(
        code,
        [
          {
            files: ['**/*.ts'],
            languageOptions: { parser: typescript.parser as Linter.Parser },
            plugins: { house: { rules: { arrows: houseArrows } } },
            rules: { 'house/arrows': 'error' },
          },
        ],
        { filename: path.join(root, 'packages/operation/src/bad.ts') },
      )
      .map((message) => message.ruleId ?? message.message);

  test.each([
    "import { a } from '@holdfast/engine'; a();",
    "import type { A } from '@holdfast/engine'; export type B = A;",
    "export * from '@holdfast/engine';",
    "export { a } from '@holdfast/engine';",
    "export const a = import('@holdfast/engine');",
    "export type A = import('@holdfast/engine').A;",
  ])('each way of importing is judged: %s', (code) => {
    expect(lint(code)).toEqual(['house/arrows']);
  });

  test.each(rooms.map((room) => room.folder))(
    "the repository's own configuration judges files in %s",
    async (folder) => {
      const eslint = new ESLint({ cwd: root });
      const config = (await eslint.calculateConfigForFile(
        path.join(root, folder, 'src/a.ts'),
      )) as Linter.Config;
      expect(config.rules?.['house/arrows']).toEqual([2]);
      expect(config.rules?.['@typescript-eslint/no-explicit-any']).toEqual([2]);
    },
  );
});
