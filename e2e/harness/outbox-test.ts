import type { TestInfo } from '@playwright/test';
import { demandWebBuild } from '../setup/demand-web-build.ts';
import { test as base } from './browser-test.ts';
import { collectComplaints, type Complaints } from './complaints.ts';
import { startFaultProxy, type FaultProxy, type SeenRequest } from './fault-proxy.ts';
import { startHouseBehind, type House, type Role } from './house.ts';
import { devices, expect } from './journey.ts';
import { makeKillableBrowser, type BrowserSetup, type KillableBrowser } from './killable-browser.ts';
import { readServerRows, type ServerRows } from './server-rows.ts';
import { expectInside, signIn } from './steps.ts';

export type FaultyHouse = House<FaultProxy>;

/** A browser of its own for this role, signed in and with the app installed, not yet started. */
type DeviceOf = (role: Role) => Promise<KillableBrowser>;

type OfOneHouse = {
  house: FaultyHouse;
  serverRows: ServerRows;
  setupOf: (role: Role) => BrowserSetup;
  /** Of every device. */
  complaints: Complaints;
  /** Signs this role in once and keeps the profile, closed in order so that its cookies are on disk. */
  profileOf: (role: Role) => Promise<string>;
};

/** What stood on the screens when a test failed: these browsers are not Playwright's own, so it would not say. */
const attachScreens = async (device: KillableBrowser, testInfo: TestInfo): Promise<void> => {
  for (const page of device.pages()) {
    const text = await page
      .locator('body')
      .innerText({ timeout: 2_000 })
      .catch(() => 'no text');
    await testInfo.attach('screen', { body: `${page.url()}\n${text}`, contentType: 'text/plain' });
  }
};

/** What a request was, what was decided about it, and how it ended. */
const lineOf = ({ atMs, method, path, fate, status, answered }: SeenRequest): string =>
  `${new Date(atMs).toISOString()} ${method} ${path} ${JSON.stringify(fate)} ${status ?? '-'} ${answered ? 'answered' : 'open'}`;

/** Tests of what a device keeps: one house for all of them, behind a network whose faults the test chooses. */
export const test = base.extend<{ deviceOf: DeviceOf; mended: undefined; quiet: undefined }, OfOneHouse>({
  house: [
    async ({ playwright: _playwright }, use) => {
      demandWebBuild();
      const house = await startHouseBehind(startFaultProxy);
      await use(house);
      await house.stop();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  serverRows: [
    async ({ house }, use) => {
      const rows = readServerRows(await house.databaseUrl());
      await use(rows);
      await rows.close();
    },
    { scope: 'worker' },
  ],
  complaints: [async ({ playwright: _playwright }, use) => use(collectComplaints()), { scope: 'worker' }],
  quiet: [
    async ({ complaints }, use) => {
      complaints.take();
      await use(undefined);
      expect(complaints.take(), 'complaints of the browsers').toEqual([]);
    },
    { auto: true },
  ],
  setupOf: [
    async ({ launchOptions, complaints }, use) => {
      const { executablePath, args = [] } = launchOptions;
      if (executablePath === undefined) throw new Error('no Chromium was found');
      await use((role) => ({
        executablePath,
        arguments: args,
        viewport: devices[role].viewport ?? { width: 1024, height: 768 },
        onStart: complaints.listenTo,
      }));
    },
    { scope: 'worker' },
  ],
  profileOf: [
    async ({ house, serverRows, setupOf }, use) => {
      const known = new Map<string, KillableBrowser>();
      await use(async (role) => {
        // A test may have ended the session of the profile that was made before.
        const key = `${role} ${serverRows.timesEnded(house.people[role].email)}`;
        const before = known.get(key);
        if (before !== undefined) return before.profile;
        const browser = await makeKillableBrowser(setupOf(role));
        known.set(key, browser);
        const page = await browser.start();
        await page.goto(house.origin);
        await signIn(page, house.people[role]);
        await expectInside(page);
        await page.evaluate(async () => {
          await navigator.serviceWorker.ready;
        });
        await browser.close();
        return browser.profile;
      });
      for (const browser of known.values()) await browser.remove();
    },
    { scope: 'worker' },
  ],
  deviceOf: async ({ setupOf, profileOf }, use, testInfo) => {
    const made: KillableBrowser[] = [];
    await use(async (role) => {
      const device = await makeKillableBrowser(setupOf(role), await profileOf(role));
      made.push(device);
      return device;
    });
    for (const device of made) {
      if (testInfo.status !== testInfo.expectedStatus) await attachScreens(device, testInfo);
      await device.remove();
    }
  },
  mended: [
    async ({ house }, use, testInfo) => {
      await use(undefined);
      await house.provider.clearFaults();
      await house.network.mend();
      const passed = house.network.seen().slice(-200).map(lineOf).join('\n');
      house.network.clear();
      if (testInfo.status === testInfo.expectedStatus) return;
      await testInfo.attach('network', { body: passed, contentType: 'text/plain' });
      await testInfo.attach('server log', { body: house.log().slice(-20_000), contentType: 'text/plain' });
    },
    { auto: true },
  ],
});

export { expect };
