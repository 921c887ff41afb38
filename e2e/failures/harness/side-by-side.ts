import { test as base, expect } from '@playwright/test';
import { startProviderHouse, type ProviderHouse } from './provider-house.ts';

type OfOneHouse = { settings: Record<string, string>; providerHouse: ProviderHouse };

/** One house for all provider rows of a run: each row brings orders, payments and faults of its own. */
export const test = base.extend<{ logged: undefined }, OfOneHouse>({
  // A file that needs a house with other settings gets one of its own.
  settings: [{}, { option: true, scope: 'worker' }],
  providerHouse: [
    async ({ settings }, use) => {
      const house = await startProviderHouse(settings);
      await use(house);
      await house.stop();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  logged: [
    async ({ providerHouse }, use, testInfo) => {
      await use(undefined);
      if (testInfo.status === testInfo.expectedStatus) return;
      await testInfo.attach('server log', {
        body: providerHouse.log().slice(-20_000),
        contentType: 'text/plain',
      });
    },
    { auto: true },
  ],
});

type Row = (house: ProviderHouse) => Promise<void>;

/**
 * Rows of one file that do not disturb each other: the first test starts all of them, and each is reported as its own
 * test. What they wait for is then waited for once.
 */
export const sideBySide = (): ((promise: string, row: Row) => void) => {
  const rows: Row[] = [];
  let started: readonly Promise<unknown>[] | undefined;
  return (promise, row) => {
    const index = rows.push(row) - 1;
    test(promise, async ({ providerHouse }) => {
      // An error is a value until the test that it belongs to asks for it.
      started ??= rows.map((one) => one(providerHouse).catch((error: unknown) => ({ error })));
      const ended = await started[index];
      if (typeof ended === 'object' && ended !== null && 'error' in ended) throw ended.error;
    });
  };
};

export { expect };
