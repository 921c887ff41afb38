import type { Component } from 'svelte';

type Import<Props extends Record<string, unknown>> = () => Promise<{ readonly default: Component<Props> }>;

/** All there are, so that whatever was not needed yet is fetched while nobody waits for it. */
const known: { bring(): Promise<void> }[] = [];

/**
 * A screen, menu or sheet whose code comes after the first screen's. This is the one place where such an import can
 * fail: then `failed` is true, nothing is thrown, and `bring` asks again.
 */
export class LazyPart<Props extends Record<string, unknown> = Record<string, never>> {
  component = $state.raw<Component<Props> | null>(null);
  failed = $state(false);
  readonly #import: Import<Props>;
  #underWay: Promise<void> | null = null;

  constructor(importPart: Import<Props>) {
    this.#import = importPart;
    known.push(this);
  }

  /** Fetches the code, once. Settles when it is there or could not be had. */
  bring(): Promise<void> {
    this.#underWay ??= this.#fetch();
    return this.#underWay;
  }

  async #fetch(): Promise<void> {
    this.failed = false;
    try {
      this.component = (await this.#import()).default;
    } catch {
      // No connection and not stored yet, or the server has only a newer version's files.
      this.failed = true;
      this.#underWay = null;
    }
  }
}

const idle = (): Promise<void> =>
  new Promise((resolve) => {
    // Safari has no idle callback; there a pause stands for it.
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve(), { timeout: 5_000 });
    else setTimeout(resolve, 200);
  });

/** A browser that has no network would keep each import as failed, for as long as the page lives. */
const network = (): Promise<void> =>
  navigator.onLine
    ? Promise.resolve()
    : new Promise((resolve) => addEventListener('online', () => resolve(), { once: true }));

/** Fetches every part, one at a time and only when the tab has nothing else to do: then all work offline. */
export const bringWhenIdle = async (): Promise<void> => {
  for (const part of known) {
    await idle();
    await network();
    await part.bring();
  }
};
