/**
 * A place in one organisation's feed: everything at or before it has been told. Transaction IDs are 64-bit
 * numbers as decimal text. Rows are told in the order of transaction, then row.
 */
export type FeedPosition = {
  readonly organisationId: string;
  readonly generation: string;
  readonly transactionId: string;
  readonly rowId: number;
};

export type ResumeFacts = {
  readonly organisationId: string;
  readonly generation: string;
  /** The next transaction ID that the database has not given out yet. */
  readonly nextTransactionId: string;
  /** Rows of transactions up to this one have been pruned; `null` when none have. */
  readonly prunedThrough: string | null;
};

export type ResumeVerdict =
  | { readonly kind: 'resume' }
  | { readonly kind: 'reset'; readonly reason: 'cursor-too-old' | 'history-restored' | 'cursor-unreadable' }
  /** Our own signature, and yet it is ahead of us: the database was put back to an earlier time. */
  | { readonly kind: 'rewound' };

/** Whether a client may go on from a position that we signed (`undefined`: the signature is not ours). */
export const judgeResume = (position: FeedPosition | undefined, facts: ResumeFacts): ResumeVerdict => {
  if (position === undefined || position.organisationId !== facts.organisationId) {
    return { kind: 'reset', reason: 'cursor-unreadable' };
  }
  if (position.generation !== facts.generation) return { kind: 'reset', reason: 'history-restored' };
  if (BigInt(position.transactionId) > BigInt(facts.nextTransactionId)) return { kind: 'rewound' };
  if (facts.prunedThrough !== null && BigInt(position.transactionId) <= BigInt(facts.prunedThrough)) {
    return { kind: 'reset', reason: 'cursor-too-old' };
  }
  return { kind: 'resume' };
};
