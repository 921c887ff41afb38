import { isIP } from 'node:net';
import { insideName } from '../announce/address-rules.ts';

export type PushEndpoint =
  { readonly ok: true; readonly href: string } | { readonly ok: false; readonly because: string };

const longest = 2_000;
const refused = (because: string): PushEndpoint => ({ ok: false, because });

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
  if (!host.includes('.') || insideName.test(host))
    return refused('must be a push service of the public internet');
  return { ok: true, href: url.href };
};
