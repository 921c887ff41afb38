import type { Page } from '@playwright/test';

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
