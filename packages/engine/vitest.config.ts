import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'engine',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // One real PostgreSQL a test process; each `.pg.test.ts` makes a database of its own in it.
    globalSetup: ['./test/postgres-cluster.ts'],
    // Loading the code costs more than most tests: a process loads it once, for all of its files.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
