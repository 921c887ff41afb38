/**
 * Runs `handle` for each item, at most `width` at a time, and never two items of one lane at once: what belongs to
 * one payment goes one after the other. A handler must not throw; one that does is passed to `onBroken` and its
 * neighbours go on.
 */
export const runInLanes = async <Item>(
  items: readonly Item[],
  width: number,
  laneOf: (item: Item) => string,
  handle: (item: Item) => Promise<void>,
  onBroken: (item: Item, error: unknown) => Promise<void>,
): Promise<void> => {
  const lanes = new Map<string, Item[]>();
  for (const item of items) {
    const lane = lanes.get(laneOf(item));
    if (lane) lane.push(item);
    else lanes.set(laneOf(item), [item]);
  }
  const waiting = [...lanes.values()];
  let next = 0;
  const runner = async (): Promise<void> => {
    for (;;) {
      const lane = waiting[next];
      next += 1;
      if (lane === undefined) return;
      for (const item of lane) {
        try {
          await handle(item);
        } catch (error) {
          await onBroken(item, error);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(width, waiting.length)) }, runner));
};
