import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte()],
  test: { name: 'web', include: ['src/**/*.test.ts', 'building/**/*.test.ts'] },
});
