import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';

/** Chromium as it runs in a container, without calling home. */
const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The one that is named, else the system's, else (undefined) the one that Playwright installed. */
const systemChromium = '/usr/bin/chromium';
const chromium = process.env['CHROMIUM_PATH'] ?? (existsSync(systemChromium) ? systemChromium : undefined);

export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  // Named, so that finding one of them in mid-run does not load the page anew.
  optimizeDeps: { include: ['dexie', 'zod/mini'] },
  test: {
    name: 'outbox-browser',
    include: ['src/**/*.browser.test.ts', 'test/**/*.browser.test.ts'],
    // One control server a run, outside of the browser; each test has a pretend Holdfast of its own behind it.
    globalSetup: ['./test/browser/server-control.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        launchOptions: {
          args: chromiumFlags,
          ...(chromium !== undefined && { executablePath: chromium }),
        },
      }),
      // Everything twice, with the browser's locks and without: what comes of it is the same.
      instances: [
        { browser: 'chromium', name: 'outbox-browser with locks', provide: { useLocks: true } },
        { browser: 'chromium', name: 'outbox-browser without locks', provide: { useLocks: false } },
      ],
    },
  },
});
