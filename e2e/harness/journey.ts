import { test as base, expect, type BrowserContextOptions, type Page } from '@playwright/test';
import { startHouse, type House, type Role } from './house.ts';
import { expectInside, signIn } from './steps.ts';

/** Each role on the device it works with. */
export const devices: Readonly<Record<Role, BrowserContextOptions>> = {
  agent: { viewport: { width: 390, height: 844 }, hasTouch: true },
  approver: { viewport: { width: 1024, height: 768 }, hasTouch: true },
  operator: { viewport: { width: 1440, height: 900 } },
};

/** Opens another device for this role, signed in, at its first page. */
export type Visit = (role: Role, options?: BrowserContextOptions) => Promise<Page>;
type StoredSession = Exclude<BrowserContextOptions['storageState'], string | undefined>;

/**
 * One house is started for all journeys of a run: each brings orders of its own. Whatever a journey breaks is mended
 * after it.
 */
export const test = base.extend<
  { visit: Visit; mended: undefined },
  { house: House; sessions: Map<Role, StoredSession> }
>({
  house: [
    async ({}, use) => {
      const house = await startHouse();
      await use(house);
      await house.stop();
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  sessions: [async ({}, use) => use(new Map()), { scope: 'worker' }],
  visit: async ({ browser, house, sessions }, use) => {
    const opened: Page[] = [];
    await use(async (role, options = {}) => {
      const known = sessions.get(role);
      const context = await browser.newContext({
        ...devices[role],
        ...(known === undefined ? {} : { storageState: known }),
        ...options,
      });
      const page = await context.newPage();
      opened.push(page);
      await page.goto(house.origin);
      if (known === undefined) {
        await signIn(page, house.people[role]);
        await expectInside(page);
        sessions.set(role, await context.storageState());
      }
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
