/** What passes between a test and a page. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain };

/** Something on the screen, as people name it. */
export type Wanted = {
  readonly role: 'button' | 'link' | 'field' | 'checkbox';
  /** Of a regular expression. */
  readonly name: string;
};

/** One tab of any engine. */
export type Tab = {
  /** Resolves when the document is loaded. */
  readonly open: (address: string) => Promise<void>;
  readonly reload: () => Promise<void>;
  /** A real click; waits until the thing is there and enabled. */
  readonly press: (wanted: Wanted) => Promise<void>;
  /** Real key strokes; waits until the field is there. */
  readonly fill: (wanted: Wanted, text: string) => Promise<void>;
  /** Runs in the page: the function must stand on its own. */
  readonly evaluate: <Arguments extends readonly Plain[], Value>(
    inPage: (...given: Arguments) => Value | Promise<Value>,
    ...given: Arguments
  ) => Promise<Value>;
};

/** A browser of one engine, driven from outside, on a profile of its own that outlives a kill. */
export type EngineBrowser = {
  /** Starts it where it does not run, and gives its first tab; where asked for, its pages find no locks. */
  readonly start: (options?: { readonly withoutLocks: boolean }) => Promise<Tab>;
  readonly newTab: () => Promise<Tab>;
  /** Ends it in order, so that all of its profile is on disk. */
  readonly close: () => Promise<void>;
  /** SIGKILL to all of its processes: nothing is written down any more. */
  readonly kill: () => Promise<void>;
  /** Name and version, as it tells them; once it was started. */
  readonly version: () => string;
  /** Ends it and removes its profile. */
  readonly remove: () => Promise<void>;
};
