import { expect, type Page } from '@playwright/test';
import postgres from 'postgres';
import type { House } from './house.ts';

/** A device with a passkey store of its own, whose person is always there and always proves it. */
export type VirtualAuthenticator = {
  /** How many passkeys it holds. */
  readonly held: () => Promise<number>;
  /** Whether its person is there and proves it: without them it answers nothing that counts. */
  readonly verify: (verifies: boolean) => Promise<void>;
};

export const addAuthenticator = async (page: Page): Promise<VirtualAuthenticator> => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    held: async () =>
      (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    verify: async (isUserVerified) =>
      void (await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })),
  };
};

/** From any screen, by keys, to where a person sees how they sign in. */
export const openSecurity = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'You', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'Passkeys and sessions' }).press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Passkeys and sessions' })).toBeVisible();
};

/** On that screen. */
export const makePasskey = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name: 'Add a passkey' }).press('Enter');
  await page.getByLabel('Name').fill(name);
  await page.keyboard.press('Enter');
  await expect(page.getByText(`"${name}" is ready`)).toBeVisible();
};

/** The server's own rows, read or changed behind its back. */
export const rowsOf = async <Row extends object>(
  house: Pick<House, 'databaseUrl'>,
  ask: (sql: postgres.Sql) => PromiseLike<readonly object[]>,
): Promise<readonly Row[]> => {
  const sql = postgres(await house.databaseUrl(), { max: 1, onnotice: () => undefined });
  try {
    return [...(await ask(sql))] as Row[];
  } finally {
    await sql.end({ timeout: 2 });
  }
};
