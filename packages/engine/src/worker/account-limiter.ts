import {
  afterRefusal,
  longestWishMs,
  takeSlice,
  type AccountBudget,
  type Refused,
  type Slice,
  type Usage,
} from '../limit/account-budget.ts';
import { emptyLine, joinLine, type Line } from '../limit/spread.ts';
import type { ProcessClock } from './worker-ports.ts';

/** Submissions and questions have budgets of their own: neither can use up the other's. */
export type BudgetKind = 'submission' | 'question';

export type Admission =
  | { readonly kind: 'go' }
  /** `asked-to-wait`: the provider wants nothing from us until then. `paced`: others are before it. */
  | { readonly kind: 'later'; readonly afterMs: number; readonly because: 'asked-to-wait' | 'paced' };

/** One kind of request to one provider account, as this process may make them. */
export type RequestLimiter = {
  /** Answers `go` once a request may be made, after a moment's wait at most; then one must be made or given back. */
  readonly admit: () => Promise<Admission>;
  /** For what is asked so seldom that it needs no slot: only a wish of the provider's to be left alone holds it back. */
  readonly admitAhead: () => Admission;
  /** A request that was admitted is not made after all. */
  readonly giveBack: () => void;
  /** Why it is not worth trying now, as far as this process knows. */
  readonly closed: () => Extract<Admission, { kind: 'later' }> | null;
  /** The provider said "later": this process heeds it at once, the others as soon as they look. */
  readonly refused: (refused: Refused) => void;
  readonly answered: () => void;
};

export type AccountLimiter = Readonly<Record<BudgetKind, RequestLimiter>>;

/** Changes the shared budget in one statement of its own; answers with the database's time. */
export type ChangeBudget = <Answer>(
  kind: BudgetKind,
  decide: (
    budget: AccountBudget,
    nowMs: number,
  ) => { readonly budget: AccountBudget; readonly answer: Answer },
) => Promise<{ readonly answer: Answer; readonly nowMs: number }>;

export type LimiterPorts = {
  readonly clock: ProcessClock;
  readonly change: ChangeBudget;
  readonly onTrouble: (error: unknown) => void;
};

/** At most so many wait for their slot in place; the others come back, so that they hold up nothing else. */
const mostWaiting = 4;
/** A slot is good for this long: one not used by then is nobody's, or it would be a burst. */
const slotGoodForMs = 1_000;
/** Before the shared budget is asked again when all near slots were taken. */
const shortestLookAgainMs = 100;
const mostTries = 4;

export const createAccountLimiter = (ports: LimiterPorts): AccountLimiter => ({
  submission: createRequestLimiter(ports, 'submission'),
  question: createRequestLimiter(ports, 'question'),
});

type Held = {
  slots: number[];
  freeUntilMs: number;
  pausedUntilMs: number;
  takenUntilMs: number;
  perSecond: number | null;
  line: Line;
  waiting: number;
  made: number;
  wentWell: boolean;
  fetching: Promise<void> | null;
  /** The latest that this process's clock has shown. */
  seenMs: number;
};

const nothingHeld = (): Held => ({
  slots: [],
  freeUntilMs: 0,
  pausedUntilMs: 0,
  takenUntilMs: 0,
  perSecond: null,
  line: emptyLine,
  waiting: 0,
  made: 0,
  wentWell: false,
  fetching: null,
  seenMs: -Infinity,
});

/** A clock that is set right by so little changes nothing here. */
const smallestJumpMs = 1_000;

/**
 * Times in hand are of this process's clock. Was that put back, they would hold for as long again as it jumped: none of
 * them counts any more, and the shared budget, whose times are the database's, is asked anew.
 */
const readHand = (held: Held, clock: ProcessClock): number => {
  const nowMs = clock.nowMs();
  if (nowMs < held.seenMs - smallestJumpMs) {
    Object.assign(held, { slots: [], freeUntilMs: 0, pausedUntilMs: 0, takenUntilMs: 0, line: emptyLine });
  }
  held.seenMs = nowMs;
  return nowMs;
};

/** @param offsetMs this process's clock minus the database's */
const hold = (held: Held, slice: Slice, nowMs: number, offsetMs: number): void => {
  if (slice.kind !== 'free') held.perSecond = slice.perSecond;
  switch (slice.kind) {
    case 'free':
      held.perSecond = null;
      held.freeUntilMs = nowMs + slice.forMs;
      return;
    case 'slots':
      held.slots.push(...slice.atMs.map((atMs) => atMs + offsetMs));
      return;
    case 'taken':
      held.takenUntilMs = Math.max(nowMs + shortestLookAgainMs, slice.untilMs + offsetMs - slotGoodForMs);
      return;
    case 'paused':
      held.pausedUntilMs = Math.max(held.pausedUntilMs, slice.untilMs + offsetMs);
  }
};

type Later = Extract<Admission, { kind: 'later' }>;

const later = (held: Held, nowMs: number, because: Later['because'], fromMs: number): Later => {
  const joined = joinLine(held.line, nowMs, fromMs, held.perSecond);
  held.line = joined.line;
  return { kind: 'later', afterMs: Math.ceil(joined.atMs - nowMs), because };
};

const closedOf = (held: Held, nowMs: number): Later | null => {
  if (nowMs < held.pausedUntilMs) return later(held, nowMs, 'asked-to-wait', held.pausedUntilMs);
  const hasSlots = held.slots.some((slot) => slot + slotGoodForMs > nowMs);
  if (!hasSlots && nowMs < held.takenUntilMs) return later(held, nowMs, 'paced', held.takenUntilMs);
  return null;
};

const go = (held: Held): Admission => {
  held.made += 1;
  return { kind: 'go' };
};

/** `null`: nothing is in hand, the shared budget has to be asked. */
const fromHand = async (held: Held, clock: ProcessClock): Promise<Admission | 'look-again' | null> => {
  const nowMs = readHand(held, clock);
  const closed = closedOf(held, nowMs);
  if (closed !== null) return closed;
  if (nowMs < held.freeUntilMs) return go(held);
  held.slots = held.slots.filter((slot) => slot + slotGoodForMs > nowMs);
  const [slot] = held.slots;
  if (slot === undefined) return null;
  if (slot > nowMs && held.waiting >= mostWaiting) return later(held, nowMs, 'paced', slot);
  held.slots.shift();
  if (slot <= nowMs) return go(held);
  held.waiting += 1;
  await clock.pause(slot - nowMs);
  held.waiting -= 1;
  // While it waited the provider may have asked us to stay away.
  return readHand(held, clock) < held.pausedUntilMs ? 'look-again' : go(held);
};

/** What was done since it was last told. */
const usageOf = (held: Held): Usage => {
  const { made, wentWell } = held;
  held.made = 0;
  held.wentWell = false;
  return { made, wentWell };
};

const fetchSlice = async (held: Held, { clock, change }: LimiterPorts, kind: BudgetKind): Promise<void> => {
  const used = usageOf(held);
  const { answer, nowMs } = await change(kind, (budget, now) => {
    const taken = takeSlice(budget, now, used);
    return { budget: taken.budget, answer: taken.slice };
  });
  hold(held, answer, clock.nowMs(), clock.nowMs() - nowMs);
};

/** This process stops at once; what the others are to know is told beside the work, and retold by the next refusal. */
const tellRefusal = (
  held: Held,
  { clock, change, onTrouble }: LimiterPorts,
  kind: BudgetKind,
  refused: Refused,
): void => {
  const retryAtMs = clock.nowMs() + Math.min(refused.retryAfterMs ?? 0, longestWishMs);
  held.freeUntilMs = 0;
  held.slots = [];
  held.pausedUntilMs = Math.max(held.pausedUntilMs, retryAtMs);
  const used = usageOf(held);
  change(kind, (budget, now) => {
    const after = afterRefusal(budget, now, refused, used);
    const slice: Slice = { kind: 'paused', untilMs: after.pausedUntilMs, perSecond: after.perSecond };
    return { budget: after, answer: slice };
  })
    .then(({ answer, nowMs }) => {
      hold(held, answer, clock.nowMs(), clock.nowMs() - nowMs);
    })
    .catch(onTrouble);
};

const createRequestLimiter = (ports: LimiterPorts, kind: BudgetKind): RequestLimiter => {
  const { clock } = ports;
  const held = nothingHeld();
  const fetchOnce = (): Promise<void> =>
    (held.fetching ??= fetchSlice(held, ports, kind).finally(() => {
      held.fetching = null;
    }));
  return {
    closed: () => closedOf(held, readHand(held, clock)),
    admit: async () => {
      for (let tries = 0; tries < mostTries; tries += 1) {
        const found = await fromHand(held, clock);
        if (found === null) await fetchOnce();
        else if (found !== 'look-again') return found;
      }
      return later(held, clock.nowMs(), 'paced', clock.nowMs());
    },
    admitAhead: () => {
      const nowMs = readHand(held, clock);
      return nowMs < held.pausedUntilMs ? later(held, nowMs, 'asked-to-wait', held.pausedUntilMs) : go(held);
    },
    giveBack: () => {
      held.made = Math.max(0, held.made - 1);
      if (held.perSecond !== null) held.slots.unshift(clock.nowMs());
    },
    refused: (refused) => {
      tellRefusal(held, ports, kind, refused);
    },
    answered: () => {
      held.wentWell = true;
    },
  };
};
