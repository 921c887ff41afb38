import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'outbox',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/*.browser.test.ts', '**/node_modules/**'],
  },
});
