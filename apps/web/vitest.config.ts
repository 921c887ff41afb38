import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte()],
  test: {
    name: 'web',
    include: ['src/**/*.test.ts', 'building/**/*.test.ts'],
    // Components of libraries come as source, which Node cannot read.
    server: { deps: { inline: [/@lucide\/svelte/, /bits-ui/, /svelte-toolbelt/, /runed/] } },
  },
});
