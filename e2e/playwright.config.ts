import { defineConfig } from '@playwright/test';
import { findChromium } from './setup/find-chromium.ts';

export default defineConfig({
  testDir: './journeys',
  outputDir: './test-results',
  // Each journey starts a whole house of its own (database, provider, server), so a few at a time are enough.
  workers: 1,
  fullyParallel: false,
  retries: 0,
  forbidOnly: true,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: findChromium(),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
