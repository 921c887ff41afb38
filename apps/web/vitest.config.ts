import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte()],
  test: {
    name: 'web',
    include: ['src/**/*.test.ts', 'building/**/*.test.ts'],
    // Loading the code costs more than most tests: a process loads it once, for all of its files.
    isolate: false,
    // A machine may be busy: a test that hangs is told apart from one that is slow.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Components of libraries come as source, which Node cannot read.
    server: { deps: { inline: [/@lucide\/svelte/, /bits-ui/, /svelte-toolbelt/, /runed/] } },
  },
});
