import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'providers',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Loading the code costs more than most tests: a process loads it once, for all of its files.
    isolate: false,
    // A machine may be busy: a test that hangs is told apart from one that is slow.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
