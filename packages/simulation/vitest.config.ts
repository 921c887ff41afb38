import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'simulation',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Some histories are lived on a real PostgreSQL.
    globalSetup: ['../engine/test/postgres-cluster.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
