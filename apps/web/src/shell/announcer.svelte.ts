/**
 * One polite live region for the whole app. What happens within a moment is said once, together, so that a screen
 * reader is never flooded by a feed that catches up.
 */
export class Announcer {
  #text = $state('');
  #waiting: string[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #coalesceMs: number;

  constructor(coalesceMs = 600) {
    this.#coalesceMs = coalesceMs;
  }

  get text(): string {
    return this.#text;
  }

  say(sentence: string): void {
    if (!this.#waiting.includes(sentence)) this.#waiting.push(sentence);
    if (this.#timer === null) this.#timer = setTimeout(() => this.#speak(), this.#coalesceMs);
  }

  #speak(): void {
    this.#text = this.#waiting.join(' ');
    this.#waiting = [];
    this.#timer = null;
  }
}
