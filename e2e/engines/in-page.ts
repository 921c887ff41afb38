import type { Wanted } from './engine-browser.ts';

/**
 * The first visible thing of this kind and name, or `null`. Runs in the page, so it stands on its own. Names are those
 * that the app's own markup gives: `aria-label`, the labels of a control, else the text inside.
 */
export const findInPage = (wanted: Wanted): HTMLElement | null => {
  const selectors = {
    button: 'button, [role="button"]',
    link: 'a[href]',
    field: 'input:not([type="checkbox"], [type="radio"]), textarea, select',
    checkbox: 'input[type="checkbox"]',
  };
  const pattern = new RegExp(wanted.name);
  const nameOf = (element: HTMLElement): string => {
    const given = element.getAttribute('aria-label');
    if (given !== null) return given;
    const labels = (element as HTMLInputElement).labels;
    if (labels && labels.length > 0) return [...labels].map((label) => label.innerText).join(' ');
    return element.innerText;
  };
  const usable = (element: HTMLElement): boolean =>
    element.getClientRects().length > 0 && !element.matches(':disabled, [aria-disabled="true"]');
  const all = [...document.querySelectorAll<HTMLElement>(selectors[wanted.role])];
  return all.find((element) => usable(element) && pattern.test(nameOf(element).trim())) ?? null;
};

/** What can be read on the screen. */
export const textInPage = (): string => document.body.innerText;

/** What this engine has of what the outbox can use. */
export const partsInPage = () => ({
  secure: isSecureContext,
  serviceWorker: 'serviceWorker' in navigator,
  backgroundSync: 'SyncManager' in window,
  locks: 'locks' in navigator,
  broadcastChannel: 'BroadcastChannel' in window,
  storageManager: 'storage' in navigator,
});

export type EngineParts = ReturnType<typeof partsInPage>;

/** The app opens without a connection from now on. */
export const installedInPage = async (): Promise<boolean> => {
  const registration = await navigator.serviceWorker.ready;
  return registration.active !== null && navigator.serviceWorker.controller !== null;
};

/** Whether the device has this order of its own, so that it can be shown without a connection. */
export const isOrderInPage = async (orderId: string): Promise<boolean> => {
  const settled = <Value>(request: IDBRequest<Value>): Promise<Value> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error('the request failed'));
    });
  const database = await settled(indexedDB.open('holdfast-cache'));
  try {
    const orders = database.transaction(['orders'], 'readonly').objectStore('orders');
    return (await settled(orders.getKey(orderId))) !== undefined;
  } finally {
    database.close();
  }
};

/** Writes strictly and reads it back in a further transaction. Gives the durability that the engine granted. */
export const strictWriteInPage = async (value: string): Promise<{ durability: string; back: unknown }> => {
  const settled = <Value>(request: IDBRequest<Value>): Promise<Value> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error('the request failed'));
    });
  const opening = indexedDB.open('strict-write');
  opening.onupgradeneeded = () => void opening.result.createObjectStore('values');
  const database = await settled(opening);
  try {
    const writing = database.transaction(['values'], 'readwrite', { durability: 'strict' });
    const over = new Promise<void>((resolve, reject) => {
      writing.oncomplete = () => resolve();
      writing.onabort = () => reject(writing.error ?? new Error('the transaction was aborted'));
    });
    writing.objectStore('values').put(value, 'only');
    await over;
    const reading = database.transaction(['values'], 'readonly');
    const back: unknown = await settled(reading.objectStore('values').get('only'));
    return { durability: writing.durability, back };
  } finally {
    database.close();
  }
};
