import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { name: 'operation', include: ['src/**/*.test.ts', 'test/**/*.test.ts'] },
});
