/** What the provider has accepted and not finished: since when, what is usual, and what is looked at next. */
export const englishPending = {
  /** `span`: "6 days". */
  lasts: (provider: string, span: string): string => `${provider} has been processing it for ${span}.`,
  usualHere: (provider: string, count: number, median: string, most: string): string =>
    `Of your last ${count} that ${provider} took time over, half were done within ${median}, 95 of 100 within ${most}.`,
  usualThere: (provider: string, most: string): string =>
    `${provider} usually has them done within ${most}. There are too few of yours to say more.`,
  beyond: 'That is longer than usual.',
  /** `when`: "in 3 h". */
  looksAgain: (provider: string, reference: string | null, when: string): string =>
    `${provider} is asked ${reference === null ? 'about the payment' : `about ${reference}`} again ${when}. Its webhook, or a sweep, may tell sooner.`,
  looksNoMore: (provider: string): string =>
    `No look is scheduled. What ${provider} tells by webhook or shows to a sweep still counts.`,
};
export type PendingMessages = typeof englishPending;
