import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'bench',
    include: ['src/**/*.test.ts'],
    // Loading the code costs more than most tests: a process loads it once, for all of its files.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
