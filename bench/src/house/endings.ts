export type Endings = {
  /** To be called at once after a start, before anything is waited for. @throws once a stop was asked for */
  readonly add: (end: () => Promise<void>) => void;
};

/** What was started, ended in the opposite order. What does not end well is told, and the rest is ended all the same. */
export type AllEndings = Endings & {
  readonly endAll: () => Promise<void>;
  /** From now on nothing more is to be started: what is under way meets an error at its next start. */
  readonly close: () => void;
};

export const makeEndings = (tell: (error: unknown) => void): AllEndings => {
  const endings: (() => Promise<void>)[] = [];
  let closed = false;
  let ending: Promise<void> | undefined;
  const endThem = async (): Promise<void> => {
    for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end().catch(tell);
  };
  return {
    add: (end) => {
      endings.push(end);
      if (closed) throw new Error('a stop was asked for');
    },
    endAll: () => (ending ??= endThem().finally(() => (ending = undefined))),
    close: () => {
      closed = true;
    },
  };
};
