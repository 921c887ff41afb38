import { isLoopbackOrigin } from '../settings/settings.ts';

/** Where passkeys belong: the name in `PUBLIC_ORIGIN`. A passkey of one name works under no other. */
export type PasskeyHome =
  | { readonly possible: true; readonly rpId: string; readonly origin: string }
  | {
      readonly possible: false;
      readonly because: 'address-is-a-number' | 'not-encrypted';
      readonly origin: string;
    };

const isNumber = (hostname: string): boolean => /^[\d.]+$/.test(hostname) || hostname.startsWith('[');

/** Browsers make passkeys for names alone, and only where the page came encrypted or from this very machine. */
export const passkeyHome = (publicOrigin: string): PasskeyHome => {
  const { hostname, protocol } = new URL(publicOrigin);
  if (isNumber(hostname)) return { possible: false, because: 'address-is-a-number', origin: publicOrigin };
  if (protocol !== 'https:' && !isLoopbackOrigin(publicOrigin)) {
    return { possible: false, because: 'not-encrypted', origin: publicOrigin };
  }
  return { possible: true, rpId: hostname, origin: publicOrigin };
};

export const whyNoPasskeys = ({ because }: Extract<PasskeyHome, { possible: false }>): string =>
  because === 'address-is-a-number'
    ? 'Passkeys need a name: PUBLIC_ORIGIN is an address of numbers.'
    : 'Passkeys need HTTPS: PUBLIC_ORIGIN is not encrypted.';
