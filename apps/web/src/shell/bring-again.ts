/** What `bringOnceReachable` acts on: the part that is missing, and the page around it. */
export type MissingPart = {
  readonly part: { readonly failed: boolean; bring(): Promise<void> };
  /** Whether the server answers now. */
  readonly isReachable: () => Promise<boolean>;
  /** Typed things that are not saved yet would be lost with the page. */
  readonly hasUnsavedForm: () => boolean;
  readonly nowMs: () => number;
  readonly reload: () => void;
  /** Outlives the page: when it was last loaded anew for a part that was missing. */
  readonly store: Pick<Storage, 'getItem' | 'setItem'>;
};

const reloadedAt = 'holdfast-loaded-for-a-part';
/** A part that is still missing after the page was loaded anew does not load it again and again. */
const betweenReloadsMs = 60_000;

/**
 * Fetches a missing part once the server answers. Browsers keep a failed import for as long as the page lives: where it
 * fails again all the same the page is loaded anew, unless something typed would be lost by that.
 */
export const bringOnceReachable = async (missing: MissingPart): Promise<void> => {
  const { part, store } = missing;
  if (!(await missing.isReachable())) return;
  await part.bring();
  if (!part.failed || missing.hasUnsavedForm()) return;
  const nowMs = missing.nowMs();
  const sinceMs = nowMs - Number(store.getItem(reloadedAt) ?? -Infinity);
  // A clock that was put back makes it later than now: that counts as long ago.
  if (sinceMs >= 0 && sinceMs < betweenReloadsMs) return;
  store.setItem(reloadedAt, String(nowMs));
  missing.reload();
};
