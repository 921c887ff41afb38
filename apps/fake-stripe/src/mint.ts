import { randomBytes } from 'node:crypto';

/** Makes a new ID like Stripe's: a prefix and 24 letters and digits. Passed in, so that decisions stay pure. */
export type Mint = (prefix: string) => string;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export const mintRandom: Mint = (prefix) =>
  `${prefix}_${Array.from(randomBytes(24), (byte) => alphabet.charAt(byte % alphabet.length)).join('')}`;
