import type { OpenStreams } from '../http/routes/feed-routes.ts';

/** Waits that go on, so that one key's take neither everybody's room nor the database's time. */
export type OpenWaits = {
  /** Answers how to leave again; `undefined`: there is no room. */
  readonly enter: (key: string, close: () => void) => (() => void) | undefined;
};

/** An assistant that serves a desk waits for a handful of refunds at once. */
const mostOfOneKey = 10;

export const openWaits = (
  streams: Pick<OpenStreams, 'add' | 'isFull'>,
  mostOfOne = mostOfOneKey,
): OpenWaits => {
  const countOf = new Map<string, number>();
  return {
    enter: (key, close) => {
      const count = countOf.get(key) ?? 0;
      if (count >= mostOfOne || streams.isFull()) return undefined;
      countOf.set(key, count + 1);
      const forget = streams.add(close);
      let isIn = true;
      return () => {
        if (!isIn) return;
        isIn = false;
        forget();
        const left = (countOf.get(key) ?? 1) - 1;
        if (left === 0) countOf.delete(key);
        else countOf.set(key, left);
      };
    },
  };
};
