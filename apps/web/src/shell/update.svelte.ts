import { Workbox } from 'workbox-window';

let ready = $state(false);
let workbox: Workbox | null = null;
let wanted = false;

/** A newer version waits behind this one. It takes over only when the person says so. */
export const updateReady = (): boolean => ready;

export const applyUpdate = (): void => {
  wanted = true;
  workbox?.messageSkipWaiting();
};

/** Registers the service worker; an update is offered, never forced, and never reloads without the person's word. */
export const registerServiceWorker = async (): Promise<void> => {
  if (!('serviceWorker' in navigator) || !import.meta.env.PROD) return;
  workbox = new Workbox('/service-worker.js', { scope: '/', type: 'classic' });
  workbox.addEventListener('waiting', () => (ready = true));
  workbox.addEventListener('controlling', (event) => {
    // Another tab may have taken the new version; this one goes on with its own until its person reloads.
    if (event.isUpdate && wanted) globalThis.location.reload();
  });
  try {
    await workbox.register();
  } catch {
    // Private windows and odd settings refuse it: the app works, it only does not open without a connection.
  }
};
