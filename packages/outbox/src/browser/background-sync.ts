/** The tag under which the service worker is woken to call `sendOnce`. */
export const backgroundSyncTag = 'holdfast-send';

type WithSync = ServiceWorkerRegistration & { readonly sync?: { register(tag: string): Promise<void> } };

/** Where the browser has it (Chromium): the queue goes out when the connection is back, with the app closed too. */
export const askForBackgroundSync = async (): Promise<void> => {
  if (typeof navigator === 'undefined' || !('serviceWorker' in navigator)) return;
  const registration = (await navigator.serviceWorker.getRegistration()) as WithSync | undefined;
  if (!registration?.active || !registration.sync) return;
  await registration.sync.register(backgroundSyncTag);
};

/** Asks the browser to keep our data when it clears space. `null` where it cannot be asked. */
export const askToPersist = async (): Promise<boolean | null> => {
  if (typeof navigator === 'undefined' || !('storage' in navigator)) return null;
  if (await navigator.storage.persisted()) return true;
  return navigator.storage.persist();
};
