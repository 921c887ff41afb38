import { defineConfig } from 'vitest/config';

// The tests start the program as a real child, on machines that may be busy.
const patienceMs = 60_000;

export default defineConfig({
  test: {
    name: 'fake-providers',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
  },
});
