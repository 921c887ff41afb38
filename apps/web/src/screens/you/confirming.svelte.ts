import type { Answer } from '../../model/server.ts';
import { neededFirst, type NeededFirst } from '../../model/security-questions.ts';

type Needed = Exclude<NeededFirst, 'recovery-needed'>;

/** Asks in place for the confirmation that the server wants, and then does what was asked for once more. */
export class Confirming {
  #resolve: (isConfirmed: boolean) => void = () => undefined;
  /** What is asked for right now. */
  needs = $state<Needed | null>(null);

  /** `null`: the person let go of it, and nothing was done. */
  async with<Value>(act: () => Promise<Answer<Value>>): Promise<Answer<Value> | null> {
    const first = await act();
    const needs = neededFirst(first);
    if (needs === null || needs === 'recovery-needed') return first;
    const isConfirmed = await new Promise<boolean>((resolve) => {
      this.#resolve = resolve;
      this.needs = needs;
    });
    return isConfirmed ? act() : null;
  }

  end(isConfirmed: boolean): void {
    this.needs = null;
    this.#resolve(isConfirmed);
  }
}
