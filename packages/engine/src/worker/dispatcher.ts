export type DispatchItem = { readonly lane: string };

/** Handles items side by side, at most `width` at once, and never two of one lane: what belongs to one payment queues up. */
export type Dispatcher<Item extends DispatchItem> = {
  readonly offer: (items: readonly Item[]) => void;
  /** Items being handled or queued up. */
  readonly underWay: () => number;
  /** Takes back what is queued up and not begun. */
  readonly takeBack: () => readonly Item[];
  /** Resolves once nothing is being handled or queued up. */
  readonly idle: () => Promise<void>;
};

/**
 * @param handle must see to its own trouble; what it throws all the same goes to `onBroken`, and its neighbours go on
 * @param onDone called after each item, so that a driver can look for more
 */
export const createDispatcher = <Item extends DispatchItem>(
  width: number,
  handle: (item: Item) => Promise<void>,
  onBroken: (item: Item, error: unknown) => Promise<void>,
  onDone: () => void = () => undefined,
): Dispatcher<Item> => {
  const waiting: Item[] = [];
  const busyLanes = new Set<string>();
  let running = 0;
  let whenIdle: (() => void)[] = [];

  const carryOut = async (item: Item): Promise<void> => {
    try {
      await handle(item);
    } catch (error) {
      try {
        await onBroken(item, error);
      } catch {
        // The database may be away; the item's turn ends by itself and it is found due again.
      }
    }
  };

  const finish = (item: Item): void => {
    busyLanes.delete(item.lane);
    running -= 1;
    startWhatMay();
    onDone();
    if (running > 0 || waiting.length > 0) return;
    const callbacks = whenIdle;
    whenIdle = [];
    for (const callback of callbacks) callback();
  };

  const startWhatMay = (): void => {
    for (let index = 0; index < waiting.length && running < width;) {
      const item = waiting[index];
      if (item === undefined || busyLanes.has(item.lane)) {
        index += 1;
        continue;
      }
      waiting.splice(index, 1);
      busyLanes.add(item.lane);
      running += 1;
      void carryOut(item).then(() => {
        finish(item);
      });
    }
  };

  return {
    offer: (items) => {
      waiting.push(...items);
      startWhatMay();
    },
    takeBack: () => waiting.splice(0),
    underWay: () => running + waiting.length,
    idle: () =>
      running === 0 && waiting.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            whenIdle.push(resolve);
          }),
  };
};
