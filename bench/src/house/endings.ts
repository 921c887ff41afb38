export type Endings = { readonly add: (end: () => Promise<void>) => void };

/** What was started, ended in the opposite order. What does not end well is told, and the rest is ended all the same. */
export type AllEndings = Endings & { readonly endAll: () => Promise<void> };

export const makeEndings = (tell: (error: unknown) => void): AllEndings => {
  const endings: (() => Promise<void>)[] = [];
  let ending: Promise<void> | undefined;
  const endThem = async (): Promise<void> => {
    for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end().catch(tell);
  };
  return {
    add: (end) => {
      endings.push(end);
    },
    endAll: () => (ending ??= endThem().finally(() => (ending = undefined))),
  };
};
