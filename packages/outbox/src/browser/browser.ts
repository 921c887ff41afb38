/** The outbox in a browser: what pages and service workers use. */
import type { Outbox } from '../outbox-interface.ts';
import type { BrowserOutboxOptions } from './browser-outbox-options.ts';
import { BrowserOutbox } from './browser-outbox.ts';
import { settingsOf } from './browser-parts.ts';

export { backgroundSyncTag } from './background-sync.ts';
export type { BrowserOutboxOptions } from './browser-outbox-options.ts';
export { sendOnce } from './send-once.ts';

/** Opens nothing by itself: `start` does. One per page. */
export const createBrowserOutbox = (options: BrowserOutboxOptions = {}): Outbox =>
  new BrowserOutbox(settingsOf(options));

export type CreateBrowserOutbox = typeof createBrowserOutbox;
