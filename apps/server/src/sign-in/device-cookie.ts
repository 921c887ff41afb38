import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { cookieValue } from './cookie-value.ts';

/*
 * A device that somebody has signed in on before keeps a word of ours, which says so and names nobody. Tries from it are
 * counted by themselves, so that strangers who guess a person's password cannot keep them from their own device.
 */
const mostPeople = 8;
const yearSeconds = 365 * 86_400;

export type DeviceCookie = {
  /** What tries of this person from this device are counted by; undefined where they never signed in on it. */
  readonly knownAs: (cookieHeader: string | null, email: string) => string | undefined;
  /** The `Set-Cookie` after this person has signed in on it. Others of the same device keep theirs. */
  readonly remember: (cookieHeader: string | null, email: string) => string;
};

export const deviceCookie = (sharedKey: Uint8Array, isSecure: boolean): DeviceCookie => {
  const name = isSecure ? '__Host-holdfast.device' : 'holdfast.device';
  const key = createHmac('sha256', sharedKey).update('holdfast device').digest();
  const sealOf = (nonce: string, email: string): Buffer =>
    createHmac('sha256', key).update(`${nonce} ${email}`).digest();
  const isOf = (word: string, email: string): boolean => {
    const [nonce = '', seal = ''] = word.split('.');
    const given = Buffer.from(seal, 'base64url');
    const right = sealOf(nonce, email);
    return given.length === right.length && timingSafeEqual(given, right);
  };
  const wordsIn = (cookieHeader: string | null): string[] =>
    (cookieValue(cookieHeader, name) ?? '')
      .split('~')
      .filter((word) => /^[\w-]{16}\.[\w-]{43}$/.test(word))
      .slice(0, mostPeople);
  return {
    knownAs: (cookieHeader, email) =>
      wordsIn(cookieHeader)
        .find((word) => isOf(word, email))
        ?.split('.')[0],
    remember: (cookieHeader, email) => {
      const others = wordsIn(cookieHeader).filter((word) => !isOf(word, email));
      const nonce = randomBytes(12).toString('base64url');
      const words = [`${nonce}.${sealOf(nonce, email).toString('base64url')}`, ...others].slice(
        0,
        mostPeople,
      );
      const secure = isSecure ? '; Secure' : '';
      return `${name}=${words.join('~')}; Path=/; Max-Age=${String(yearSeconds)}; HttpOnly; SameSite=Lax${secure}`;
    },
  };
};
