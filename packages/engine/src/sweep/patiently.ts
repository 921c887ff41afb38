import type { NoAnswer } from '@holdfast/providers';

export type PatiencePorts = { readonly pause: (ms: number) => Promise<void> };

const tries = 3;
const pauseMs = 1_000;
/** A provider that takes no more questions for now says for how long, at most this long is waited, so many times. */
const longestPauseMs = 20_000;
const waits = 12;

/**
 * Asks again a few times: a long sweep makes many requests, and one that is lost says nothing. Where the provider wants to
 * be left alone it is, for as long as it says.
 */
export const patiently = async <Answer extends { readonly kind: string }>(
  { pause }: PatiencePorts,
  ask: () => Promise<Answer | NoAnswer>,
): Promise<Answer | NoAnswer> => {
  let lost = 0;
  let waited = 0;
  for (;;) {
    const answer = await ask();
    if (!isLost(answer) || answer.ourKeyRefused || answer.notOffered === true) return answer;
    const wish = answer.tooMany;
    if (wish === undefined ? (lost += 1) >= tries : (waited += 1) > waits) return answer;
    await pause(
      wish === undefined ? pauseMs * lost : Math.min(longestPauseMs, wish.retryAfterMs ?? pauseMs * waited),
    );
  }
};

const isLost = (answer: { readonly kind: string } | NoAnswer): answer is NoAnswer =>
  answer.kind === 'no-answer';
