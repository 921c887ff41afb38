import { defineConfig } from 'vitest/config';

// One project a package, so that `vitest --project engine` runs a room by itself.
// A test's suffix names what it needs: `.pg.test.ts` a real PostgreSQL, `.browser.test.ts` a real browser.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'house',
          root: '.',
          include: ['eslint/**/*.test.ts'],
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      'packages/*/vitest.config.ts',
      'packages/*/test/browser/vitest.config.ts',
      'apps/*/vitest.config.ts',
      'bench/vitest.config.ts',
    ],
  },
});
