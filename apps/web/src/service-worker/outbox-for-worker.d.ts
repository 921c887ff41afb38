/**
 * What the service worker uses of the outbox. The outbox's own entry also serves pages, and TypeScript cannot have
 * the page's and the worker's globals in one program; `outbox-for-worker.check.ts` keeps this true.
 */
export declare const backgroundSyncTag: 'holdfast-send';
export declare const sendOnce: (
  options?: { readonly appVersion?: string },
  turnMs?: number,
  giveWay?: AbortSignal,
) => Promise<{ readonly waiting: number }>;
