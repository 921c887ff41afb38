/** Forms with something in them that is not saved yet: while there is one, no new version may take over. */
export class OpenForms {
  #count = $state(0);

  get any(): boolean {
    return this.#count > 0;
  }

  /** Registers one; the answer takes it back. */
  open(): () => void {
    this.#count += 1;
    let open = true;
    return () => {
      if (open) this.#count -= 1;
      open = false;
    };
  }
}
