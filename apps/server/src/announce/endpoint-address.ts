import { isIP } from 'node:net';
import { insideName, isLoopbackAddress, isPublicAddress, type AddressRule } from './address-rules.ts';

export type EndpointAddress =
  { readonly ok: true; readonly href: string } | { readonly ok: false; readonly because: string };

const longest = 2_000;
const refused = (because: string): EndpointAddress => ({ ok: false, because });

/** Other services of a network listen elsewhere; a receiver of webhooks is a web server. */
const ports = ['', '8443'];

const isLoopbackHost = (host: string): boolean => host === 'localhost' || isLoopbackAddress(host);

/**
 * An admin names the address, and our network is not theirs to reach through us: only the public internet is, and where
 * a name leads is looked at again with each connection.
 */
export const judgeEndpointAddress = (text: string, { allowLoopback }: AddressRule): EndpointAddress => {
  if (text.length > longest) return refused('is too long');
  // Readers of addresses disagree about these; so there is nothing to disagree about.
  if (/[\\\s]/.test(text) || !URL.canParse(text))
    return refused('must be an address like https://example.org/holdfast');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return refused('must have no sign-in in it');
  if (url.hash !== '') return refused('must have no # in it');
  const host = url.hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1');
  if (allowLoopback && isLoopbackHost(host) && (url.protocol === 'https:' || url.protocol === 'http:')) {
    return { ok: true, href: url.href };
  }
  if (url.protocol !== 'https:') return refused('must be https');
  if (!ports.includes(url.port)) return refused('must be on port 443 or 8443');
  if (isIP(host) !== 0) {
    return isPublicAddress(host)
      ? { ok: true, href: url.href }
      : refused('must be an address of the public internet');
  }
  if (!host.includes('.') || insideName.test(host))
    return refused('must be an address of the public internet');
  return { ok: true, href: url.href };
};
