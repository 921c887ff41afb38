import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'server',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // One embedded PostgreSQL a test process; each `.pg.test.ts` makes a database of its own in it.
    globalSetup: ['./test/cluster.ts'],
    // Several tests start real programs, on machines that may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
