/** Who asks: a process of a history. */
export type Asker = object;

/** What a real PostgreSQL has been asked and has not answered yet. */
export type UnderWay = {
  readonly track: <Result>(asked: PromiseLike<Result>, asker?: Asker) => Promise<Result>;
  /** Nobody waits any more for what it asked. */
  readonly forget: (asker: Asker) => void;
  /** Resolves once all is answered, or all that is not waits for locks; `null` where nothing has to be waited for. */
  readonly quiet: () => Promise<void> | null;
};

const lookAgainMs = 4;
/** What has no answer by then waits for somebody: for a connection that another holds, or a machine that is slow. */
const patienceMs = 400;

/** @param countLockWaits how many statements wait for a lock, as the database itself says */
export const createUnderWay = (countLockWaits: () => Promise<number>): UnderWay => {
  let asked = 0;
  let answered = 0;
  // Whoever waits for a lock goes on only after another has been answered or has let go.
  let blocked: { readonly asked: number; readonly answered: number } | null = null;
  let tell: (() => void) | null = null;
  const releases = new Map<Asker, Set<() => void>>();

  const isBlocked = (): boolean => blocked?.asked === asked && blocked.answered === answered;

  const change = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, lookAgainMs);
      tell = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const wait = async (): Promise<void> => {
    let unchangedMs = 0;
    while (asked > 0) {
      const before = { asked, answered };
      await change();
      if (asked === 0) return;
      if (asked !== before.asked || answered !== before.answered) {
        unchangedMs = 0;
        continue;
      }
      unchangedMs += lookAgainMs;
      if ((await countLockWaits()) >= asked || unchangedMs > patienceMs) {
        blocked = before;
        if (isBlocked()) return;
      }
    }
  };

  const begin = (asker: Asker | undefined): (() => void) => {
    const own = asker === undefined ? undefined : (releases.get(asker) ?? new Set<() => void>());
    if (asker !== undefined && own !== undefined) releases.set(asker, own);
    let isOver = false;
    const release = (): void => {
      if (isOver) return;
      isOver = true;
      own?.delete(release);
      asked -= 1;
      answered += 1;
      if (asked === 0) tell?.();
    };
    asked += 1;
    own?.add(release);
    return release;
  };

  return {
    track: async (one, asker) => {
      const release = begin(asker);
      try {
        return await one;
      } finally {
        release();
      }
    },
    forget: (asker) => {
      for (const release of releases.get(asker) ?? []) release();
    },
    quiet: () => (asked === 0 || isBlocked() ? null : wait()),
  };
};
