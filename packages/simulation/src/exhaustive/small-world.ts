import type { AttentionReason, Observation, OperationState } from '@holdfast/operation';

/** What a provider's answer, a look-up or an event says, in the few words that a small world has. */
export type Said = Observation extends infer Seen
  ? Seen extends Observation
    ? Omit<Seen, 'id' | 'atMs'>
    : never
  : never;

export type SmallRefund = {
  readonly status: 'pending' | 'succeeded' | 'failed';
  readonly hasSucceeded: boolean;
};

/** One request of ours. `held`: claimed and not sent yet. */
export type SmallRequest = {
  readonly fence: number;
  readonly firstSend: boolean;
  readonly phase: 'held' | 'on-the-wire' | 'answered' | 'never-sent';
  /** Somebody here still waits for its answer. */
  readonly isAwaited: boolean;
  readonly ended: boolean;
  readonly answer: SmallAnswer | null;
  readonly replayed: boolean;
};

export const smallAnswers = ['accepted', 'refused', 'already-refunded', 'broken'] as const;
export type SmallAnswer = (typeof smallAnswers)[number];

/** One operation, its provider, two workers and what else may happen: small enough to visit all of it. */
export type SmallWorld = {
  readonly state: OperationState;
  readonly attention: readonly AttentionReason[];
  readonly fence: number;
  readonly requests: readonly SmallRequest[];
  readonly seen: readonly Said[];
  /** At the provider: ours, the one made by hand, and the answer that is kept under our key. */
  readonly own: readonly SmallRefund[];
  readonly byHand: boolean;
  readonly kept: SmallAnswer | null;
  /** The window of the key is over; after the margin the provider forgets it. */
  readonly windowOver: boolean;
  readonly keyForgotten: boolean;
  /** States of our refund of which the provider has not told yet, each event once. */
  readonly untold: readonly SmallRefund['status'][];
  /** What a look-up that is under way has read. */
  readonly reading: Said | null;
  readonly settledByPeople: boolean;
  /** How often each of these may still happen. */
  readonly left: {
    readonly crashes: number;
    readonly events: number;
    readonly looks: number;
    readonly byHand: number;
    readonly lateFailures: number;
    readonly people: number;
    readonly attempts: number;
  };
};

export type Budgets = SmallWorld['left'];

export const beginning = (left: Budgets): SmallWorld => ({
  ...{
    state: 'approved',
    attention: [],
    fence: 0,
    requests: [],
    seen: [],
    own: [],
    byHand: false,
    kept: null,
  },
  ...{ windowOver: false, keyForgotten: false, untold: [], reading: null, settledByPeople: false, left },
});

export const used = (world: SmallWorld, what: keyof Budgets): SmallWorld => ({
  ...world,
  left: { ...world.left, [what]: world.left[what] - 1 },
});

export const withRequest = (world: SmallWorld, index: number, change: Partial<SmallRequest>): SmallWorld => ({
  ...world,
  requests: world.requests.map((request, at) => (at === index ? { ...request, ...change } : request)),
});
