/** The times of the feed, in milliseconds. */
export type FeedLimits = {
  /** Silence after which a stream is taken to be dead; the server says something every 15 s. */
  readonly silenceMs: number;
  /** Within this a stream has to have begun to speak, and what says nothing later has said too little. */
  readonly firstWordsMs: number;
  /** A polled answer may be held back whole on the way, so it is given more time until its first word. */
  readonly pollSilenceMs: number;
  readonly longestPollMs: number;
  /** Between two polls while somebody looks, and while nobody does. */
  readonly pollMs: number;
  readonly hiddenPollMs: number;
  /** While polling, a stream is tried again after this, then after twice as long, at most after the longest. */
  readonly firstStreamRetryMs: number;
  readonly longestStreamRetryMs: number;
};

export const feedLimitsOf = (silenceMs: number, others: Partial<FeedLimits> = {}): FeedLimits => ({
  silenceMs,
  firstWordsMs: Math.min(10_000, silenceMs),
  pollSilenceMs: 2 * silenceMs,
  longestPollMs: 300_000,
  pollMs: 4_000,
  hiddenPollMs: 30_000,
  firstStreamRetryMs: 30_000,
  longestStreamRetryMs: 300_000,
  ...others,
});
