/** What a tab of a test has loaded: the outbox as an app loads it. */
import { createBrowserOutbox, sendOnce } from '../../src/browser/browser.ts';

const loaded = { createBrowserOutbox, sendOnce };
export type Loaded = typeof loaded;

declare global {
  interface Window {
    holdfast?: Loaded;
  }
}
window.holdfast = loaded;
