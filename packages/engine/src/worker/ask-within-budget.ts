import type { ListingAnswer, NoAnswer, PaymentAnswer, RefundAnswer } from '@holdfast/providers';
import type { ProviderAccount } from '../engine-interface.ts';
import type { AccountLimiter, RequestLimiter } from './account-limiter.ts';

/** How a question ends that was not put: nothing is concluded from it. */
const heldBack: NoAnswer = {
  kind: 'no-answer',
  because: 'held back: the provider takes no more questions for now',
  ourKeyRefused: false,
};

const heed = (limiter: RequestLimiter, answer: { readonly kind: string } | NoAnswer): void => {
  if (!('because' in answer)) limiter.answered();
  else if (answer.tooMany !== undefined) {
    limiter.refused({ because: 'rate-limited', retryAfterMs: answer.tooMany.retryAfterMs });
  }
};

/** Questions to a provider, kept within the account's budget for questions. */
export type QuestionsWithinBudget = {
  readonly askAboutPayment: (account: ProviderAccount, reference: string) => Promise<PaymentAnswer>;
  readonly askAboutRefund: (account: ProviderAccount, reference: string) => Promise<RefundAnswer>;
  readonly listSince: (
    account: ProviderAccount,
    sinceMs: number,
    timeoutMs: number,
  ) => Promise<ListingAnswer>;
};

/** Puts one question once the account's budget has room for it, and heeds what the provider says of it. */
export const askingWithinBudget =
  (limiterOf: (account: ProviderAccount) => AccountLimiter) =>
  async <Answer extends { readonly kind: string }>(
    account: ProviderAccount,
    ask: () => Promise<Answer | NoAnswer>,
  ): Promise<Answer | NoAnswer> => {
    const limiter = limiterOf(account).question;
    const admitted = await limiter.admit();
    if (admitted.kind === 'later') return { ...heldBack, tooMany: { retryAfterMs: admitted.afterMs } };
    const answer = await ask();
    heed(limiter, answer);
    return answer;
  };

export const questionsWithinBudget = (
  limiterOf: (account: ProviderAccount) => AccountLimiter,
  deadlineIn: (ms: number) => number,
  timeoutMs: number,
): QuestionsWithinBudget => {
  const asked = askingWithinBudget(limiterOf);
  return {
    askAboutPayment: (account, reference) =>
      asked<PaymentAnswer>(account, () => account.adapter.askAboutPayment(reference, deadlineIn(timeoutMs))),
    askAboutRefund: (account, reference) =>
      asked<RefundAnswer>(account, () => account.adapter.askAboutRefund(reference, deadlineIn(timeoutMs))),
    // One listing serves every payment of the account, and is made seldom: it goes before single questions.
    listSince: async (account, sinceMs, listingTimeoutMs) => {
      const limiter = limiterOf(account).question;
      if (limiter.admitAhead().kind === 'later') return heldBack;
      const answer = await account.adapter.listSince(sinceMs, deadlineIn(listingTimeoutMs));
      heed(limiter, answer);
      return answer;
    },
  };
};
