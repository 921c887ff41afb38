/** What the running history's shipped code has put off to the next round of Node's loop. */
let waiting: (() => void)[] = [];

/**
 * Going round Node's loop costs more than most steps of a history do. For as long as one runs, what is put off to the
 * next round is kept here instead, and carried out before the next event.
 * @returns puts Node's own back
 */
export const keepWhatIsPutOff = (): (() => void) => {
  const { setImmediate } = globalThis;
  waiting = [];
  globalThis.setImmediate = ((work: (...given: unknown[]) => void, ...given: unknown[]) => {
    waiting.push(() => work(...given));
  }) as unknown as typeof setImmediate;
  return () => {
    globalThis.setImmediate = setImmediate;
    // Not all of it needs to be the history's own.
    for (const work of waiting) setImmediate(work);
    waiting = [];
  };
};

/** Carries it out. @returns whether there was any */
export const carryOutWhatIsPutOff = (): boolean => {
  if (waiting.length === 0) return false;
  const now = waiting;
  waiting = [];
  for (const work of now) work();
  return true;
};
