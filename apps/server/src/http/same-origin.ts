import { isLoopbackOrigin } from '../settings/settings.ts';

/** Headers as a lookup, so that the rule needs no server. */
type Read = (name: string) => string | undefined;

const isOwnLoopback = (origin: string, host: string | undefined): boolean => {
  try {
    const url = new URL(origin);
    return isLoopbackOrigin(origin) && url.host === host;
  } catch {
    return false;
  }
};

/** Origins of ours: the public one and, where that is loopback, whichever loopback name the request came by. */
export const isOwnOrigin = (origin: string, publicOrigin: string, host: string | undefined): boolean =>
  origin === publicOrigin || (isLoopbackOrigin(publicOrigin) && isOwnLoopback(origin, host));

/**
 * Whether a request that carries a cookie may change something. A browser always says where such a request comes
 * from; one that says nothing is a program, which no foreign page can make send our cookie.
 */
export const comesFromOurselves = (read: Read, publicOrigin: string): boolean => {
  const site = read('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = read('origin');
  return origin === undefined || isOwnOrigin(origin, publicOrigin, read('host'));
};
