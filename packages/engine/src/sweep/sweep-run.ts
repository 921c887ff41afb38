import type { SweepFinding } from './sweep-finding.ts';

/** In this order: what the provider lists, what we hold that it did not list, and what it told while nobody heard. */
export const sweepPhases = ['refunds', 'operations', 'events'] as const;
export type SweepPhase = (typeof sweepPhases)[number];

/**
 * - `waiting`: asked for, and no process has begun it.
 * - `running`: one process works on it, or did until it was killed.
 * - `done`: both sides were compared to the end.
 * - `no-answer`: the provider did not answer to the end, so nothing is said of what was not read.
 * - `not-home`: the account is not the organisation's own; nothing was read.
 * - `given-up`: its process was gone, and somebody began another one instead.
 */
export const sweepStates = ['waiting', 'running', 'done', 'no-answer', 'not-home', 'given-up'] as const;
export type SweepState = (typeof sweepStates)[number];

/** Milliseconds of the database's clock. */
export type SweepWindow = {
  /** From here on the provider's refunds and our operations are read. */
  readonly sinceMs: number;
  /** When it began to read. */
  readonly sweptAtMs: number;
  /** From here on the provider's events are read. */
  readonly eventsSinceMs: number;
};

/** How far a sweep is: all that another process needs to go on with it. */
export type SweepProgress = {
  readonly phase: SweepPhase;
  /** What was read last of the phase; `null` at its beginning. */
  readonly position: string | null;
  readonly refundsRead: number;
  readonly operationsRead: number;
  readonly eventsRead: number;
  /** Events that nobody had told us. */
  readonly eventsFetched: number;
  readonly found: number;
};

/** A sweep that this process works on. Its writes count while the fence is still the sweep's. */
export type TakenSweep = {
  readonly id: string;
  readonly fence: number;
  readonly window: SweepWindow;
  readonly progress: SweepProgress;
  /** Whether another process had begun it. */
  readonly resumed: boolean;
};

/** A sweep as people see it. Times are ISO 8601. */
export type SweepView = {
  readonly id: string;
  readonly state: SweepState;
  readonly accountId: string;
  /** `schedule`, `command-line`, or who asked. */
  readonly askedBy: { readonly id: string; readonly name: string };
  readonly askedAt: string;
  readonly since: string;
  /** What came later is not compared; `null` before it began. */
  readonly until: string | null;
  readonly phase: SweepPhase;
  readonly refundsRead: number;
  readonly operationsRead: number;
  readonly eventsRead: number;
  readonly eventsFetched: number;
  readonly found: number;
  readonly startedAt: string | null;
  readonly progressAt: string | null;
  readonly endedAt: string | null;
  readonly worker: string | null;
  /** Why there was no answer. */
  readonly because: string | null;
  readonly keyRefused: boolean;
  /** Whether the process that works on it has not been heard of for so long that another may take it up. */
  readonly cutOff: boolean;
};

/** A finding as it is kept. `firstFoundAt`: when a sweep met the same for the first time. */
export type KeptFinding = SweepFinding & { readonly foundAt: string; readonly firstFoundAt: string };

export const newSweep: SweepProgress = {
  phase: 'refunds',
  position: null,
  refundsRead: 0,
  operationsRead: 0,
  eventsRead: 0,
  eventsFetched: 0,
  found: 0,
};
