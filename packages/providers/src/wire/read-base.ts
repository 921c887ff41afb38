import type { WireTarget } from './exchange-once.ts';

/** Where an API is. `pathPrefix` is the path of its base, without a slash at its end. */
export type WireBase = { readonly target: WireTarget; readonly pathPrefix: string };

/** Throws with a sentence for people: a base that cannot be used is a wrong setting, not trouble outside. */
export const readBase = (provider: string, apiBase: string, example: string): WireBase => {
  const url = URL.canParse(apiBase) ? new URL(apiBase) : null;
  const plain =
    url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Error(`${provider}'s API base must look like ${example}, without credentials or a query.`);
  }
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { target: { secure, host, port }, pathPrefix: url.pathname.replace(/\/+$/, '') };
};
