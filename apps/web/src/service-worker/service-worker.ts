import { backgroundSyncTag, sendOnce } from '@holdfast/outbox/browser';
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching';
import { NavigationRoute, registerRoute } from 'workbox-routing';

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] };

/** Background Sync is not in TypeScript's library: Chromium alone has it. */
type SyncEvent = ExtendableEvent & { readonly tag: string };

precacheAndRoute(self.__WB_MANIFEST);
cleanupOutdatedCaches();

// Every address of the app opens from the shell, also deep links without a connection. What the server itself
// answers is never touched: the API's truth must not come from a cache.
const serverPaths = [
  /^\/v1(\/|$)/,
  /^\/api(\/|$)/,
  /^\/mcp(\/|$)/,
  /^\/(healthz|readyz|metrics|docs|openapi\.json)(\/|$)/,
];
registerRoute(new NavigationRoute(createHandlerBoundToURL('/index.html'), { denylist: serverPaths }));

// The person chooses when a new version takes over.
self.addEventListener('message', (event) => {
  if ((event.data as { type?: string } | null)?.type === 'SKIP_WAITING') void self.skipWaiting();
});

// The connection is back, perhaps with the app closed: what was saved on this device goes out.
self.addEventListener('sync', (event) => {
  const sync = event as SyncEvent;
  if (sync.tag !== backgroundSyncTag) return;
  sync.waitUntil(sendEverything());
});

const sendEverything = async (): Promise<void> => {
  const { waiting } = await sendOnce();
  // A rejected sync is what makes the browser wake this worker again.
  if (waiting > 0) throw new Error(`${waiting} saved on this device still wait to be sent`);
};
