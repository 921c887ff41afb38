import { BlockList, isIP } from 'node:net';

/** Proxies whose word is taken for whom they pass on: addresses, or networks as `10.0.0.0/8`. */
export type TrustedProxies = { readonly includes: (address: string) => boolean };

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** `::ffff:10.0.0.1` is how a socket for both families writes 10.0.0.1. */
const plain = (address: string): string => address.trim().replace(/^::ffff:(?=\d+\.)/i, '');

/** @returns undefined where one of them is neither an address nor a network */
export const trustedProxies = (entries: readonly string[]): TrustedProxies | undefined => {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    if (isIP(address) === 0) return undefined;
    const longest = family(address) === 'ipv6' ? 128 : 32;
    if (prefix === undefined) list.addAddress(address, family(address));
    else if (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest) {
      list.addSubnet(address, Number(prefix), family(address));
    } else return undefined;
  }
  return { includes: (address) => isIP(address) !== 0 && list.check(address, family(address)) };
};

export const noProxies: TrustedProxies = { includes: () => false };

/**
 * Whom a request comes from. `X-Forwarded-For` is anybody's to write, so it is read from its end, and only as far as each
 * hop was added by a proxy that is trusted: the first that is not is whom we know.
 */
export const clientAddress = (
  socketAddress: string | undefined,
  forwardedFor: string | null,
  trusted: TrustedProxies,
): string => {
  let address = plain(socketAddress ?? '');
  const hops = (forwardedFor ?? '').split(',').map(plain);
  while (trusted.includes(address)) {
    const hop = hops.pop();
    if (hop === undefined || isIP(hop) === 0) break;
    address = hop;
  }
  return address;
};

/** One household or phone has a whole /64 of IPv6 to itself: it is counted as one. */
export const countedAs = (address: string): string => {
  if (isIP(address) !== 6) return address === '' ? 'no address' : address;
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => '0');
  const groups = [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(':')}::/64`;
};
