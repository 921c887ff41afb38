/** What must never be, or must come about and does not. */
export type ViolationKind = 'safety' | 'liveness' | 'crash';

export class Violation extends Error {
  readonly kind: ViolationKind;
  /** The promise that was broken, in a few words that stay the same from seed to seed. */
  readonly promise: string;
  constructor(kind: ViolationKind, promise: string, detail: string) {
    super(`${promise}: ${detail}`);
    this.name = 'Violation';
    this.kind = kind;
    this.promise = promise;
  }
}
