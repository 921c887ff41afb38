import eslint from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import typescript from 'typescript-eslint';
import { houseArrows } from './eslint/house-arrows.ts';
import { strayClocks } from './eslint/stray-clocks.ts';

/** Where the decisions live: no clock, no chance, no world. */
const decisions = ['packages/*/src/**/*.ts'];
const edges = [
  'packages/engine/src/postgres/**',
  // Every folder there is an adapter, or the wire beneath them.
  'packages/providers/src/*/**',
  'packages/outbox/src/browser/**',
  'packages/simulation/src/run/**',
  'packages/simulation/src/real-postgres/**',
];
const tests = ['**/*.test.ts', '**/test/**/*.ts', 'e2e/**/*.ts'];

export default typescript.config(
  {
    ignores: ['**/dist/**', '**/dev-dist/**', '**/node_modules/**', '.holdfast/**', '**/test-results/**'],
  },
  eslint.configs.recommended,
  ...typescript.configs.strict,
  ...svelte.configs.recommended,
  {
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
    plugins: { house: { rules: { arrows: houseArrows, 'stray-clocks': strayClocks } } },
    rules: {
      'house/arrows': 'error',
      'no-undef': 'off',
      'no-console': 'off',
      'max-lines': ['error', { max: 320, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 65, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/ban-ts-comment': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-invalid-void-type': 'off',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: typescript.parser, extraFileExtensions: ['.svelte'] } },
  },
  {
    files: ['packages/outbox/src/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'dexie',
              importNames: ['liveQuery'],
              message:
                'it stops following after a foreign promise, and misses what changes during its first read: use `Follow`',
            },
          ],
        },
      ],
    },
  },
  { files: decisions, ignores: [...edges, ...tests], rules: { 'house/stray-clocks': 'error' } },
  { files: tests, rules: { 'max-lines-per-function': 'off', 'max-lines': 'off' } },
);
