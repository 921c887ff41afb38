/** What the page tells the bench. Times in milliseconds by the page's own clock. */

export type Pair = { readonly bareMs: number; readonly productMs: number };

export type Transactions = { readonly readwrite: number; readonly readonly: number };

export type Drained = Pair & {
  /** Of the product: transactions of IndexedDB from the sign-in to the last verdict stored. */
  readonly transactions: Transactions;
  /** Bytes of the commands sent. */
  readonly sentBytes: number;
};

export type CaughtUp = Pair & { readonly transactions: Transactions; readonly heardBytes: number };

/** What the page offers to whoever drives it. */
export type Measures = {
  readonly saved: (name: string, rounds: number) => Promise<readonly Pair[]>;
  /** In steps, so that a profile can be taken of the product's part alone. */
  readonly drain: (name: string, count: number) => Promise<Drained>;
  readonly catchUp: (name: string, count: number) => Promise<CaughtUp>;
};
