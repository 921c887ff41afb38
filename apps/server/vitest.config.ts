import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'server',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // One embedded PostgreSQL a test process; each `.pg.test.ts` makes a database of its own in it.
    globalSetup: ['./test/cluster.ts'],
    // Loading the code costs more than most tests: a process loads it once, for all of its files.
    isolate: false,
    // Several tests start real programs, on machines that may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
