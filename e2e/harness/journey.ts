import { expect, type BrowserContextOptions, type Page } from '@playwright/test';
import { demandWebBuild } from '../setup/demand-web-build.ts';
import { test as base } from './browser-test.ts';
import { collectComplaints, type Complaints } from './complaints.ts';
import { startHouse, type House, type Role } from './house.ts';
import { expectInside, signIn } from './steps.ts';

/** Each role on the device it works with. */
export const devices: Readonly<Record<Role, BrowserContextOptions>> = {
  agent: { viewport: { width: 390, height: 844 }, hasTouch: true },
  approver: { viewport: { width: 1024, height: 768 }, hasTouch: true },
  operator: { viewport: { width: 1440, height: 900 } },
};

type Session = Exclude<BrowserContextOptions['storageState'], string | undefined>;

/** Opens another device for this role, signed in, at its first page. */
type Visit = (role: Role, options?: BrowserContextOptions) => Promise<Page>;

type OfOneHouse = {
  settings: Record<string, string>;
  house: House;
  /** Signs this role in, once for all journeys of the house. */
  sessionOf: (role: Role) => Promise<Session>;
  /** Of every context of the browser. */
  complaints: Complaints;
};

/**
 * One house is started for all journeys of a run: each brings orders of its own. Whatever a journey breaks is mended
 * after it.
 */
export const test = base.extend<{ visit: Visit; mended: undefined; quiet: undefined }, OfOneHouse>({
  // A file that needs a house with other settings gets one of its own.
  settings: [{}, { option: true, scope: 'worker' }],
  house: [
    async ({ settings }, use) => {
      demandWebBuild();
      const house = await startHouse(settings);
      await use(house);
      await house.stop();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  complaints: [
    async ({ browser }, use) => {
      const complaints = collectComplaints();
      browser.on('context', complaints.listenTo);
      await use(complaints);
    },
    { scope: 'worker' },
  ],
  // On whatever screens a journey leads, no browser has anything to complain of: its content policy least of all.
  quiet: [
    async ({ complaints }, use) => {
      complaints.take();
      await use(undefined);
      expect(complaints.take(), 'complaints of the browser').toEqual([]);
    },
    { auto: true },
  ],
  sessionOf: [
    async ({ browser, house }, use) => {
      const known = new Map<Role, Session>();
      await use(async (role) => {
        const session = known.get(role);
        if (session !== undefined) return session;
        const context = await browser.newContext(devices[role]);
        const page = await context.newPage();
        await page.goto(house.origin);
        await signIn(page, house.people[role]);
        await expectInside(page);
        const made = await context.storageState();
        known.set(role, made);
        await context.close();
        return made;
      });
    },
    { scope: 'worker' },
  ],
  visit: async ({ browser, house, sessionOf }, use) => {
    const opened: Page[] = [];
    await use(async (role, options = {}) => {
      const storageState = await sessionOf(role);
      const context = await browser.newContext({ ...devices[role], storageState, ...options });
      const page = await context.newPage();
      opened.push(page);
      await page.goto(house.origin);
      await expectInside(page);
      return page;
    });
    for (const page of opened) await page.context().close();
  },
  mended: [
    async ({ house }, use, testInfo) => {
      await use(undefined);
      await house.provider.clearFaults();
      await house.network.mend();
      await house.providerNetwork.mend();
      if (testInfo.status !== testInfo.expectedStatus) {
        await testInfo.attach('server log', { body: house.log().slice(-20_000), contentType: 'text/plain' });
      }
    },
    { auto: true },
  ],
});

export { expect };
