/**
 * A sign-out, noted apart from the queue's storage, so that storage which fails, is held by another tab or is slow
 * cannot make it be forgotten. `only-here`: the queue has not taken it yet. `unknown`: the note itself cannot be read.
 */
export type SignOutNote = 'none' | 'in-the-queue' | 'only-here' | 'unknown';

const isNote = (text: string): text is 'in-the-queue' | 'only-here' =>
  text === 'in-the-queue' || text === 'only-here';

const storage = (): Storage | null => {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    // Some browsers throw where storage is forbidden.
    return null;
  }
};

/** A service worker has no such storage: it knows of sign-outs from the queue alone. */
export class SignOutNotes {
  readonly #key: string;

  constructor(name: string) {
    this.#key = `${name}-sign-out`;
  }

  read(): SignOutNote {
    try {
      const place = storage();
      if (place === null) return 'unknown';
      const text = place.getItem(this.#key);
      return text === null ? 'none' : isNote(text) ? text : 'only-here';
    } catch {
      return 'unknown';
    }
  }

  write(note: 'none' | 'in-the-queue' | 'only-here'): void {
    try {
      if (note === 'none') storage()?.removeItem(this.#key);
      else storage()?.setItem(this.#key, note);
    } catch {
      // Then the queue's own word has to do.
    }
  }
}
