import { BlockList, isIP } from 'node:net';

export type PushEndpoint =
  { readonly ok: true; readonly href: string } | { readonly ok: false; readonly because: string };

const longest = 2_000;
const refused = (because: string): PushEndpoint => ({ ok: false, because });

/** Names that only mean something inside a network. */
const inside = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|localdomain|home\.arpa)$/;

/**
 * A browser names the address that its notices are sent to, so whoever holds a session can name any. Only what a push
 * service of the public internet looks like is taken; where its name leads is looked at again with each connection.
 * @param services origins that the installation trusts whatever they look like
 */
export const judgePushEndpoint = (text: string, services: readonly string[]): PushEndpoint => {
  if (text.length > longest) return refused('is too long');
  // Readers of addresses disagree about these; so there is nothing to disagree about.
  if (/[\\\s]/.test(text)) return refused('must be the address that the browser gave');
  if (!URL.canParse(text)) return refused('must be the address that the browser gave');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return refused('must have no sign-in in it');
  url.hash = '';
  if (url.protocol !== 'https:') return refused('must be https');
  if (services.includes(url.origin)) return { ok: true, href: url.href };
  if (url.port !== '') return refused('must be on the usual port of https');
  const host = url.hostname.replace(/\.$/, '');
  if (host.startsWith('[') || isIP(host) !== 0) return refused('must name a host, not an address of one');
  if (!host.includes('.') || inside.test(host))
    return refused('must be a push service of the public internet');
  return { ok: true, href: url.href };
};

const notPublic = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  notPublic.addSubnet(network, bits, 'ipv4');
}
// Of the newer addresses the public ones lie in one block; within it these carry older ones, or are for examples.
const publicBlock = new BlockList();
publicBlock.addSubnet('2000::', 3, 'ipv6');
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  notPublic.addSubnet(network, bits, 'ipv6');
}

/** Whether an address is one of the public internet. What cannot be read is not. */
export const isPublicAddress = (address: string): boolean => {
  const kind = isIP(address);
  if (kind === 4) return !notPublic.check(address, 'ipv4');
  return kind === 6 && publicBlock.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
};
