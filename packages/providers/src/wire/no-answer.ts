import type { NoAnswer } from '../provider-adapter.ts';

export const noAnswer = (
  because: string,
  ourKeyRefused = false,
  tooMany?: NoAnswer['tooMany'],
): NoAnswer => ({
  kind: 'no-answer',
  because,
  ourKeyRefused,
  ...(tooMany === undefined ? {} : { tooMany }),
});

/** The provider has no such question at all: nothing leaves, and asking again never helps. */
export const notOffered = (because: string): NoAnswer => ({ ...noAnswer(because), notOffered: true });
