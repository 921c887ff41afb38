import { defineConfig } from 'vitest/config';

// Most tests start the program as a real child, some several times, on machines that may be busy.
const patienceMs = 60_000;

export default defineConfig({
  test: {
    name: 'fake-stripe',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Loading the code costs more than most tests: a process loads it once, for all of its files.
    isolate: false,
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
  },
});
