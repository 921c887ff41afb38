import { backgroundSyncTag, sendOnce } from '@holdfast/outbox/browser';
import { cacheNames } from 'workbox-core';
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching';
import { NavigationRoute, registerRoute } from 'workbox-routing';
import { listenForNotices } from './notices.ts';
import { isPreviousAsset, keepPreviousAssets, servePreviousAsset } from './previous-assets.ts';

type BuiltFile = { readonly url: string; readonly revision: string | null };
declare const self: Omit<ServiceWorkerGlobalScope, '__WB_MANIFEST'> & { __WB_MANIFEST: BuiltFile[] };

/** Background Sync is not in TypeScript's library: Chromium alone has it. */
type SyncEvent = ExtendableEvent & { readonly tag: string };

const files = self.__WB_MANIFEST;
const paths: ReadonlySet<string> = new Set(files.map(({ url }) => new URL(url, location.href).pathname));

self.addEventListener('install', (event) => {
  event.waitUntil(keepPreviousAssets(cacheNames.precache, paths));
});
precacheAndRoute(files);
cleanupOutdatedCaches();
registerRoute(isPreviousAsset, servePreviousAsset);

// Every address of the app opens from the shell, also deep links without a connection. What the server itself
// answers is never touched: the API's truth must not come from a cache.
const serverPaths = [
  /^\/v1(\/|$)/,
  /^\/api(\/|$)/,
  /^\/mcp(\/|$)/,
  /^\/(healthz|readyz|metrics|docs|openapi\.json)(\/|$)/,
];
registerRoute(new NavigationRoute(createHandlerBoundToURL('/index.html'), { denylist: serverPaths }));

// A page that was opened before there was a worker gets its files from this one as well.
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

/** Held while a worker sends. It is the browser's, so that the worker which waits to take over sees it too. */
const sendingLock = 'holdfast-worker-sending';

/** The person chooses when a new version takes over, and even then it never does in the middle of a send. */
const takeOver = async (): Promise<void> => {
  self.registration.active?.postMessage({ type: 'GIVE_WAY' });
  await navigator.locks.request(sendingLock, () => self.skipWaiting());
};

/** Of the send that this worker is about to begin. */
let giveWay = new AbortController();

type PageMessage = { readonly type?: string; readonly path?: string } | null;

self.addEventListener('message', (event) => {
  const message = event.data as PageMessage;
  if (message?.type === 'SKIP_WAITING') event.waitUntil(takeOver());
  // The next version waits for this worker: what it has begun it ends, and it begins no more.
  if (message?.type === 'GIVE_WAY') giveWay.abort();
  // A page asks whether it and this worker are of one build.
  if (message?.type === 'IS_THIS_YOURS') event.ports[0]?.postMessage(paths.has(message.path ?? ''));
});

listenForNotices();

// The connection is back, perhaps with the app closed: what was saved on this device goes out.
self.addEventListener('sync', (event) => {
  const sync = event as SyncEvent;
  if (sync.tag !== backgroundSyncTag) return;
  sync.waitUntil(navigator.locks.request(sendingLock, { mode: 'shared' }, sendEverything));
});

const sendEverything = async (): Promise<void> => {
  giveWay = new AbortController();
  const { waiting } = await sendOnce({ appVersion: __APP_VERSION__ }, undefined, giveWay.signal);
  // A rejected sync is what makes the browser wake this worker again.
  if (waiting > 0) throw new Error(`${waiting} saved on this device still wait to be sent`);
};
