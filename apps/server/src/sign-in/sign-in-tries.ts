import { countedAs } from '../http/client-address.ts';
import { rateLimiter, type RateLimiter } from '../http/rate-limit.ts';
import type { DeviceCookie } from './device-cookie.ts';

/** Where a try to sign in comes from. */
export type From = { readonly address: string; readonly headers: Headers };

/** How often somebody may try to sign in. Nothing is ever locked: whoever waits may try again. */
export type SignInTries = {
  /** Counts one try. `undefined`: go on; else the seconds to wait. */
  readonly take: (email: string, from: From) => number | undefined;
  /** The try was the person's own: it does not count. @returns the cookie by which their device is known from then on */
  readonly succeeded: (email: string, from: From) => string;
};

/** Tries a minute. */
export const signInLimits = {
  /** Of one person from a device on which they have signed in before. */
  knownDevice: 20,
  /** Of one person from one address, on devices that are not known. */
  personAtAddress: 10,
  /** Of anybody from one address: one guess at each of many people. A whole shop may be behind one. */
  address: 60,
  /** Of one person from anywhere, on devices that are not known: many addresses guess no faster than this. */
  personAnywhere: 30,
} as const;

type Counted = readonly [limiter: RateLimiter, by: string];

/** The longest wait that any of them asks for. All are counted, so that none is found out by another's answer. */
const takeAll = (counted: readonly Counted[]): number | undefined => {
  const waits = counted.map(([limiter, by]) => limiter.take(by) ?? 0);
  const longest = Math.max(...waits);
  return longest === 0 ? undefined : longest;
};

export const signInTries = (device: DeviceCookie, nowMs: () => number): SignInTries => {
  const limiters = {
    knownDevice: rateLimiter(signInLimits.knownDevice, nowMs),
    personAtAddress: rateLimiter(signInLimits.personAtAddress, nowMs),
    address: rateLimiter(signInLimits.address, nowMs),
    personAnywhere: rateLimiter(signInLimits.personAnywhere, nowMs),
  };
  const countedBy = (given: string, { address, headers }: From): readonly Counted[] => {
    const email = given.trim().toLowerCase();
    const known = device.knownAs(headers.get('cookie'), email);
    if (known !== undefined) return [[limiters.knownDevice, known]];
    const where = countedAs(address);
    return [
      [limiters.personAtAddress, `${where} ${email}`],
      [limiters.address, where],
      [limiters.personAnywhere, email],
    ];
  };
  return {
    take: (email, from) => takeAll(countedBy(email, from)),
    succeeded: (email, from) => {
      for (const [limiter, by] of countedBy(email, from)) limiter.giveBack(by);
      return device.remember(from.headers.get('cookie'), email.trim().toLowerCase());
    },
  };
};
