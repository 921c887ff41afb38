const address = '/service-worker.js';

/** TypeScript's library has no Trusted Types. What a policy makes stands where the string would. */
type TrustedTypes = {
  readonly createPolicy: (
    name: string,
    rules: { readonly createScriptURL: (given: string) => string },
  ) => { readonly createScriptURL: (given: string) => string };
};

/**
 * The service worker's address. The content policy lets no string become a script's address, where the browser knows
 * how to refuse it; so this one is let through by name, and nothing else ever is.
 */
export const serviceWorkerAddress = (
  { trustedTypes }: { readonly trustedTypes?: TrustedTypes } = globalThis as { trustedTypes?: TrustedTypes },
): string => {
  if (trustedTypes === undefined) return address;
  const policy = trustedTypes.createPolicy('holdfast-service-worker', {
    createScriptURL: (given) => {
      if (given === address) return given;
      throw new TypeError('Only the service worker is loaded by its address.');
    },
  });
  return policy.createScriptURL(address);
};
