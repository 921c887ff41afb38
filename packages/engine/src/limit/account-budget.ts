/**
 * One provider account's budget for one kind of request, as all processes share it. Nothing limits until the provider
 * has said "too many"; from then on requests are paced below the rate at which it said so, by slots handed out in
 * slices. Pure: times are the database's, in milliseconds.
 */
export type AccountBudget = {
  /** Requests a second that we allow ourselves; `null` while no limit has shown. */
  readonly perSecond: number | null;
  /** The pace at which the provider refused last: it is approached slowly. */
  readonly refusedAtPerSecond: number | null;
  /** When the next slot that nobody has taken begins. */
  readonly nextSlotMs: number;
  /** The provider wants nothing before this. */
  readonly pausedUntilMs: number;
  readonly refusalsInRow: number;
  readonly loweredAtMs: number;
  readonly raisedAtMs: number;
  /** Requests made since then, by every process: what the first pace is measured from. */
  readonly countedSinceMs: number;
  readonly counted: number;
  readonly lastPerSecond: number;
};

/** What a process did since it last said so. */
export type Usage = {
  readonly made: number;
  /** At least one was answered as an account in good standing is answered. */
  readonly wentWell: boolean;
};

export type Refused = {
  readonly because: 'rate-limited' | 'key-refused';
  readonly retryAfterMs: number | null;
};

/** A process's part of the budget for a short while. */
export type Slice =
  /** No limit is known: ask again after this long. */
  | { readonly kind: 'free'; readonly forMs: number }
  /** One request may begin at or soon after each of these times. */
  | { readonly kind: 'slots'; readonly atMs: readonly number[]; readonly perSecond: number }
  /** All slots of the near future are taken by others. */
  | { readonly kind: 'taken'; readonly untilMs: number; readonly perSecond: number }
  | { readonly kind: 'paused'; readonly untilMs: number; readonly perSecond: number | null };

export const freshBudget: AccountBudget = {
  perSecond: null,
  refusedAtPerSecond: null,
  nextSlotMs: 0,
  pausedUntilMs: 0,
  refusalsInRow: 0,
  loweredAtMs: 0,
  raisedAtMs: 0,
  countedSinceMs: 0,
  counted: 0,
  lastPerSecond: 0,
};

const secondMs = 1_000;
/** How late a process may learn that another one was refused, while no limit is known. */
const freeForMs = 250;
/** What a slice covers: long enough that taking it costs little, short enough that a process that dies wastes little. */
const sliceMs = 300;
const largestSlice = 200;
/** Slots further away than this are not handed out: who waits for them is better off coming back. */
const aheadMs = secondMs;
const slowestPerSecond = 0.2;
/** Above this it is not the pace that limits. */
const unlimitedPerSecond = 1_000;
const shortestPauseMs = secondMs;
const longestPauseMs = 60_000;
/** A provider that wants to be left alone for longer is asked again after this, and says so again. */
export const longestWishMs = 24 * 3_600_000;
/** Refusals of requests that were under way together count as one. */
const oneRefusalMs = secondMs;
const firstShare = 0.5;
const loweredShare = 0.7;
/** The pace grows by these shares a second: up to `nearShare` of where it was refused, and from there on. */
const quickGrowth = 0.1;
const slowGrowth = 0.02;
const nearShare = 0.85;

const counting = (budget: AccountBudget, nowMs: number, made: number): AccountBudget => {
  const elapsedMs = nowMs - budget.countedSinceMs;
  if (elapsedMs < secondMs) return { ...budget, counted: budget.counted + made };
  // After a long silence the old count says nothing any more; what is told now was made since.
  if (elapsedMs > 10 * secondMs) return { ...budget, countedSinceMs: nowMs, counted: made, lastPerSecond: 0 };
  const lastPerSecond = ((budget.counted + made) / elapsedMs) * secondMs;
  return { ...budget, countedSinceMs: nowMs, counted: 0, lastPerSecond };
};

const grown = (budget: AccountBudget, nowMs: number): AccountBudget => {
  const { perSecond, refusedAtPerSecond } = budget;
  if (perSecond === null || nowMs <= budget.raisedAtMs) return budget;
  // A pace grows only while it is used: an account that was idle for a day has learnt nothing by that.
  const seconds = Math.min(nowMs - budget.raisedAtMs, secondMs) / secondMs;
  const isNear = refusedAtPerSecond !== null && perSecond >= nearShare * refusedAtPerSecond;
  const next = perSecond * (1 + (isNear ? slowGrowth : quickGrowth) * seconds);
  return { ...budget, perSecond: next >= unlimitedPerSecond ? null : next, raisedAtMs: nowMs };
};

/** Takes a process's next slice, and takes down what it did with the last one. */
export const takeSlice = (
  before: AccountBudget,
  nowMs: number,
  usage: Usage,
): { readonly budget: AccountBudget; readonly slice: Slice } => {
  const counted = counting(before, nowMs, usage.made);
  const well = usage.wentWell && nowMs >= counted.pausedUntilMs ? { ...counted, refusalsInRow: 0 } : counted;
  if (nowMs < well.pausedUntilMs) {
    const slice = { kind: 'paused', untilMs: well.pausedUntilMs, perSecond: well.perSecond } as const;
    return { budget: well, slice };
  }
  const budget = grown(well, nowMs);
  const { perSecond } = budget;
  if (perSecond === null) return { budget, slice: { kind: 'free', forMs: freeForMs } };
  const startMs = Math.max(budget.nextSlotMs, nowMs);
  if (startMs - nowMs >= aheadMs) return { budget, slice: { kind: 'taken', untilMs: startMs, perSecond } };
  const apartMs = secondMs / perSecond;
  const count = Math.min(largestSlice, Math.max(1, Math.round(sliceMs / apartMs)));
  const atMs = Array.from({ length: count }, (_, index) => startMs + index * apartMs);
  const nextSlotMs = startMs + count * apartMs;
  return { budget: { ...budget, nextSlotMs }, slice: { kind: 'slots', atMs, perSecond } };
};

const lowered = (budget: AccountBudget, nowMs: number): AccountBudget => {
  const sinceMs = Math.max(nowMs - budget.countedSinceMs, secondMs);
  const measured = Math.max(budget.lastPerSecond, (budget.counted / sinceMs) * secondMs);
  const refusedAt = budget.perSecond ?? measured;
  const share = budget.perSecond === null ? firstShare : loweredShare;
  return {
    ...budget,
    perSecond: Math.max(slowestPerSecond, refusedAt * share),
    refusedAtPerSecond: Math.max(slowestPerSecond, refusedAt),
    loweredAtMs: nowMs,
    // It stays where it is for a while before it grows again.
    raisedAtMs: nowMs + oneRefusalMs,
  };
};

/** The provider said "later". Its own word on how long counts for everybody; without one the pause doubles in a row. */
export const afterRefusal = (
  before: AccountBudget,
  nowMs: number,
  refused: Refused,
  usage: Usage,
): AccountBudget => {
  const counted = counting(before, nowMs, usage.made);
  const isOfTheLastOne = nowMs < Math.max(counted.loweredAtMs + oneRefusalMs, counted.pausedUntilMs);
  const ownMs = Math.min(shortestPauseMs * 2 ** Math.min(counted.refusalsInRow, 10), longestPauseMs);
  const wishMs = refused.retryAfterMs === null ? null : Math.min(refused.retryAfterMs, longestWishMs);
  const pauseMs = wishMs ?? (isOfTheLastOne ? 0 : ownMs);
  const paused = { ...counted, pausedUntilMs: Math.max(counted.pausedUntilMs, nowMs + pauseMs) };
  if (isOfTheLastOne) return paused;
  const inRow = { ...paused, refusalsInRow: counted.refusalsInRow + 1 };
  return refused.because === 'rate-limited' ? lowered(inRow, nowMs) : { ...inRow, loweredAtMs: nowMs };
};
