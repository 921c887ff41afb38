import { defineConfig, type PlaywrightTestOptions, type PlaywrightWorkerOptions } from '@playwright/test';

const inChromium: Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> = {
  browserName: 'chromium',
  // A trace takes a fifth of the time that is spent; a person who looks for a mistake asks for one.
  trace: process.env['TRACE'] === 'on' ? 'retain-on-failure' : 'off',
  launchOptions: {
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
};

export default defineConfig({
  outputDir: './test-results',
  globalSetup: './setup/before-all-tests.ts',
  // What shares a house or a cluster stands in one file and runs one after another; files have houses of their own.
  workers: 2,
  fullyParallel: false,
  retries: 0,
  forbidOnly: true,
  // Ends what hangs and judges no speed: on busy cores a journey takes several times what it takes alone.
  timeout: 360_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
  projects: [
    // What people do, in a real browser.
    { name: 'journeys', testDir: './journeys', use: inChromium },
    // What the device keeps while browsers are killed, frozen and cut off, and what their screens say meanwhile.
    { name: 'outbox', testDir: './outbox', use: inChromium },
    // What happens to processes, connections and the database: HTTP alone, no browser and no web build.
    { name: 'failures', testDir: './failures' },
  ],
});
