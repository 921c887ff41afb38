export type DispatchItem = { readonly lane: string };

/** Of the places: the most that one crowd may have, so that a provider that hangs keeps nobody else from being served. */
const shareOfOneCrowd = 3 / 4;

/** The most items of `places` that are handled for one crowd, and the most that are taken for one organisation. */
export const mostOfOneCrowd = (places: number): number => Math.max(1, Math.floor(places * shareOfOneCrowd));

/** Handles items side by side, at most `width` at once, and never two of one lane: what belongs to one payment queues up. */
export type Dispatcher<Item extends DispatchItem> = {
  readonly offer: (items: readonly Item[]) => void;
  /** Items being handled or queued up; all, or those that fit. */
  readonly underWay: (fits?: (item: Item) => boolean) => number;
  /** Takes back what is queued up and not begun. */
  readonly takeBack: () => readonly Item[];
  /** Resolves once nothing is being handled or queued up. */
  readonly idle: () => Promise<void>;
};

/** How many of each crowd are being handled. */
const countCrowds = (most: number) => {
  const counts = new Map<string, number>();
  return {
    hasRoom: (crowd: string | undefined): boolean => crowd === undefined || (counts.get(crowd) ?? 0) < most,
    count: (crowd: string | undefined, change: 1 | -1): void => {
      if (crowd === undefined) return;
      const next = (counts.get(crowd) ?? 0) + change;
      if (next === 0) counts.delete(crowd);
      else counts.set(crowd, next);
    },
  };
};

const handledOrBroken = async <Item>(
  item: Item,
  handle: (item: Item) => Promise<void>,
  onBroken: (item: Item, error: unknown) => Promise<void>,
): Promise<void> => {
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

/**
 * @param handle must see to its own trouble; what it throws all the same goes to `onBroken`, and its neighbours go on
 * @param onDone called after each item, so that a driver can look for more
 * @param crowdOf names what together may not take all the places, such as one organisation's submissions
 */
export const createDispatcher = <Item extends DispatchItem>(
  width: number,
  handle: (item: Item) => Promise<void>,
  onBroken: (item: Item, error: unknown) => Promise<void>,
  onDone: () => void = () => undefined,
  crowdOf: (item: Item) => string | undefined = () => undefined,
): Dispatcher<Item> => {
  const waiting: Item[] = [];
  const running = new Set<Item>();
  const busyLanes = new Set<string>();
  const crowds = countCrowds(mostOfOneCrowd(width));
  let whenIdle: (() => void)[] = [];

  const mayBegin = (item: Item): boolean => !busyLanes.has(item.lane) && crowds.hasRoom(crowdOf(item));

  const finish = (item: Item): void => {
    busyLanes.delete(item.lane);
    running.delete(item);
    crowds.count(crowdOf(item), -1);
    startWhatMay();
    onDone();
    if (running.size > 0 || waiting.length > 0) return;
    const callbacks = whenIdle;
    whenIdle = [];
    for (const callback of callbacks) callback();
  };

  const startWhatMay = (): void => {
    for (let index = 0; index < waiting.length && running.size < width;) {
      const item = waiting[index];
      if (item === undefined || !mayBegin(item)) {
        index += 1;
        continue;
      }
      waiting.splice(index, 1);
      busyLanes.add(item.lane);
      running.add(item);
      crowds.count(crowdOf(item), 1);
      void handledOrBroken(item, handle, onBroken).then(() => {
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
    underWay: (fits) =>
      fits === undefined
        ? running.size + waiting.length
        : [...running].filter(fits).length + waiting.filter(fits).length,
    idle: () =>
      running.size === 0 && waiting.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            whenIdle.push(resolve);
          }),
  };
};
