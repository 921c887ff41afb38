import { untrack } from 'svelte';

/** Forms with something in them that is not saved yet: while there is one, no new version may take over. */
export class OpenForms {
  #count = $state(0);

  get any(): boolean {
    return this.#count > 0;
  }

  // Counting must not make an effect that registers a form depend on the count.
  #add(step: number): void {
    untrack(() => (this.#count += step));
  }

  /** Registers one; the answer takes it back. */
  open(): () => void {
    this.#add(1);
    let open = true;
    return () => {
      if (open) this.#add(-1);
      open = false;
    };
  }
}
