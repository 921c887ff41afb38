/** An answer, and when its question was put. */
export type Dated<Answer> = { readonly answer: Answer; readonly askedAtMs: number };

type Kept<Answer> = { readonly given: Promise<Dated<Answer>>; readonly askedAtMs: number; ended: boolean };

/**
 * Puts one question under one key at most once in `pauseMs`, however many ask it: the others get that answer, with its
 * time. What is older is forgotten.
 */
export const recentAnswers = <Answer>(
  pauseMs: number,
  nowMs: () => number,
): ((key: string, ask: () => Promise<Answer>) => Promise<Dated<Answer>>) => {
  const kept = new Map<string, Kept<Answer>>();
  const forgetOld = (): void => {
    for (const [key, { askedAtMs, ended }] of kept) {
      // Under way: it is waited for, however long it takes.
      if (ended && nowMs() - askedAtMs >= pauseMs) kept.delete(key);
    }
  };
  return (key, ask) => {
    forgetOld();
    const known = kept.get(key);
    if (known !== undefined) return known.given;
    const askedAtMs = nowMs();
    const given = ask().then((answer) => ({ answer, askedAtMs }));
    const entry: Kept<Answer> = { given, askedAtMs, ended: false };
    kept.set(key, entry);
    given.then(
      () => (entry.ended = true),
      // It came to nothing: whoever asks next asks for themselves.
      () => kept.delete(key),
    );
    return given;
  };
};
