import type { Outbox } from '../outbox-interface.ts';
import type { BrowserOutboxOptions } from './browser-outbox-options.ts';

export type { BrowserOutboxOptions } from './browser-outbox-options.ts';

/** `createBrowserOutbox` opens nothing by itself: `start` does. */
export type CreateBrowserOutbox = (options?: BrowserOutboxOptions) => Outbox;
