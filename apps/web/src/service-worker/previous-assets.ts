/**
 * Tabs that are open when a new version takes over still need the files of their own: screens that they have not
 * shown yet are loaded later. Before the new version's files replace them, they are put aside here.
 */
const cacheName = 'holdfast-previous-assets';

const isAsset = (path: string): boolean => path.startsWith('/assets/');

/**
 * While a new version is installed: what the version before has and this one has not goes into a cache of its own;
 * what was kept for a version before that goes. Never rejects: an update must not fail for want of space for the old.
 * @param current paths of the new version's files
 */
export const keepPreviousAssets = async (
  precacheName: string,
  current: ReadonlySet<string>,
): Promise<void> => {
  try {
    const precache = await caches.open(precacheName);
    const kept = await caches.open(cacheName);
    const leaving = (await precache.keys()).filter(({ url }) => {
      const { pathname } = new URL(url);
      return isAsset(pathname) && !current.has(pathname);
    });
    const urls = new Set(leaving.map(({ url }) => url));
    for (const request of await kept.keys()) {
      if (!urls.has(request.url)) await kept.delete(request);
    }
    for (const request of leaving) {
      const response = await precache.match(request);
      if (response) await kept.put(request, response);
    }
  } catch {
    // The server keeps these files as well.
  }
};

export const isPreviousAsset = ({ url }: { readonly url: URL }): boolean =>
  url.origin === location.origin && isAsset(url.pathname);

/** A file of the app that this version has not: from what was kept, else from the server, which keeps some builds. */
export const servePreviousAsset = async ({ request }: { readonly request: Request }): Promise<Response> => {
  const kept = await caches.match(request, { cacheName, ignoreVary: true }).catch(() => undefined);
  return kept ?? fetch(request);
};
