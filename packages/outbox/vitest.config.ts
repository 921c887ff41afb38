import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'outbox',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/*.browser.test.ts', '**/node_modules/**'],
    // A machine may be busy: a test that hangs is told apart from one that is slow.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
