import { test as base } from '@playwright/test';
import { findChromium } from '../setup/find-chromium.ts';

/** A test in a browser, which is looked for only then: tests without one need none installed. */
export const test = base.extend<Record<never, never>, Record<never, never>>({
  launchOptions: [
    async ({ launchOptions }, use) => use({ ...launchOptions, executablePath: findChromium() }),
    { scope: 'worker', timeout: 900_000 },
  ],
});
