import ipaddr from 'ipaddr.js';

/** Names that only mean something inside a network. */
export const insideName = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa)$/;

const publicBlock = ipaddr.IPv6.parseCIDR('2000::/3');
/** Public by their number, and nobody's to be sent to: registries' own, examples, and what carries older addresses. */
const notForUs = (['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'] as const).map((block) =>
  ipaddr.IPv6.parseCIDR(block),
);

/**
 * Whether an address is one of the public internet. What cannot be read is not; nor is one that carries an older
 * address inside (mapped, translated, tunnelled), which would lead wherever that one leads.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address) || (!address.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(address))) {
    return false;
  }
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv4) return true;
  return parsed.match(publicBlock) && !notForUs.some((block) => parsed.match(block));
};

/** This machine itself. */
export const isLoopbackAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback';

export type AddressRule = { readonly allowLoopback: boolean };

export const mayConnectTo = (address: string, { allowLoopback }: AddressRule): boolean =>
  isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));
