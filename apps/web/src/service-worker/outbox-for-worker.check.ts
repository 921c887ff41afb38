import { backgroundSyncTag, sendOnce } from '@holdfast/outbox/browser';
import type * as declared from './outbox-for-worker.d.ts';

// Compiled with the pages' types, never run: it fails to compile when the worker's declaration no longer holds.
export const held: typeof declared = { backgroundSyncTag, sendOnce };
