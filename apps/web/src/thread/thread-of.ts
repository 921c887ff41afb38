import type { DeviceState, Operation, OperationState } from '@holdfast/operation';

/**
 * The thread: one operation drawn through four stations. It moves only on evidence, so it is a pure function of
 * what the server says about the operation and of what this device holds for it.
 */
export const stationKeys = ['device', 'holdfast', 'approver', 'provider'] as const;
export type StationKey = (typeof stationKeys)[number];

/**
 * done: proved · saved: on this device only · waiting: stands before a person · ahead: has not happened ·
 * accepted: taken by the provider, not finished · unseen: we cannot see it · stopped: proved not to have happened ·
 * ended: a person or a deadline ended it · turned: it had happened and did not last
 */
export type StationMark =
  'done' | 'saved' | 'waiting' | 'ahead' | 'accepted' | 'unseen' | 'stopped' | 'ended' | 'turned';

/** The line from one station to the next. solid: proved · moving: under way, not heard · unseen: sight was lost. */
export type Stretch = 'solid' | 'ahead' | 'moving' | 'unseen' | 'stopped' | 'ended' | 'turned';

export type Station = {
  readonly key: StationKey;
  readonly mark: StationMark;
  /** ISO 8601 UTC, or `null` where no time is known. */
  readonly at: string | null;
  /** Whose clock `at` comes from. A device's clock may be wrong and is marked as such. */
  readonly clock: 'server' | 'device';
  readonly who: string | null;
};

export type Thread = {
  readonly stations: readonly [Station, Station, Station, Station];
  readonly stretches: readonly [Stretch, Stretch, Stretch];
  /** Whether this device holds the intent, or somebody else's did. */
  readonly startedHere: boolean;
  readonly needsPerson: boolean;
  /** When the provider was last asked about an outcome that is not known, ISO 8601 UTC. */
  readonly lastAskedAt: string | null;
};

export type ThreadOperation = Pick<
  Operation,
  'id' | 'state' | 'needsPerson' | 'amount' | 'approvals' | 'proposedBy' | 'lastCheckAt' | 'createdAt'
> &
  Partial<Pick<Operation, 'attemptCount'>>;

/** What this device holds for the operation. `at` is by this device's clock. */
export type ThreadLocal = {
  readonly command: 'propose' | 'decide';
  readonly state: DeviceState;
  readonly at: string;
  /** When a person confirmed the proposal on this device; left out or `null` where another device did. */
  readonly confirmedAt?: string | null;
};

type Plan = {
  readonly marks: readonly [StationMark, StationMark, StationMark, StationMark];
  readonly stretches: readonly [Stretch, Stretch, Stretch];
};

const onDevice: Record<DeviceState, Plan> = {
  draft: { marks: ['saved', 'ahead', 'ahead', 'ahead'], stretches: ['ahead', 'ahead', 'ahead'] },
  queued: { marks: ['saved', 'ahead', 'ahead', 'ahead'], stretches: ['ahead', 'ahead', 'ahead'] },
  sent: { marks: ['saved', 'ahead', 'ahead', 'ahead'], stretches: ['moving', 'ahead', 'ahead'] },
};

const endedAfter = (approvals: number): Plan =>
  approvals > 0
    ? { marks: ['done', 'done', 'done', 'ahead'], stretches: ['solid', 'solid', 'ended'] }
    : { marks: ['done', 'done', 'ended', 'ahead'], stretches: ['solid', 'ended', 'ahead'] };

/** A cancellation remembered for an ID that nobody ever proposed: it ended where it arrived. */
const neverProposed: Plan = {
  marks: ['done', 'ended', 'ahead', 'ahead'],
  stretches: ['solid', 'ahead', 'ahead'],
};

const approvedBy = (mark: StationMark, stretch: Stretch): Plan => ({
  marks: ['done', 'done', 'done', mark],
  stretches: ['solid', 'solid', stretch],
});

/** Carried out, with no approval and no request on record, as after a restore: what lies between cannot be seen from here. */
const withoutRecord = (plan: Plan): Plan => ({
  marks: [plan.marks[0], plan.marks[1], 'unseen', plan.marks[3]],
  stretches: [plan.stretches[0], 'unseen', 'unseen'],
});

const carriedOut: readonly OperationState[] = ['pending', 'confirmed', 'reversed'];

const planOf = (operation: ThreadOperation): Plan => {
  const { state, attemptCount, approvals } = operation;
  const plan = planOfState(operation);
  const isOnRecord = !carriedOut.includes(state) || attemptCount !== 0 || approvals.length > 0;
  return isOnRecord ? plan : withoutRecord(plan);
};

const planOfState = (operation: ThreadOperation): Plan => {
  const state: OperationState = operation.state;
  switch (state) {
    case 'proposed':
      return { marks: ['done', 'done', 'waiting', 'ahead'], stretches: ['solid', 'ahead', 'ahead'] };
    case 'approved':
      return approvedBy('ahead', 'ahead');
    case 'submitting':
      return approvedBy('ahead', 'moving');
    case 'pending':
      return approvedBy('accepted', 'solid');
    case 'confirmed':
      return approvedBy('done', 'solid');
    case 'outcome_unknown':
      return approvedBy('unseen', 'unseen');
    case 'failed':
      return approvedBy('stopped', 'stopped');
    case 'reversed':
      return approvedBy('turned', 'turned');
    case 'denied':
      return { marks: ['done', 'done', 'ended', 'ahead'], stretches: ['solid', 'solid', 'ahead'] };
    case 'cancelled':
      return operation.amount === null ? neverProposed : endedAfter(operation.approvals.length);
    case 'expired':
      return endedAfter(operation.approvals.length);
  }
};

/** A decision made here that the server has not heard: drawn over a proposal that still waits. */
const withDecision = (plan: Plan, decision: ThreadLocal): Plan => ({
  marks: [plan.marks[0], plan.marks[1], 'saved', plan.marks[3]],
  stretches: [plan.stretches[0], decision.state === 'sent' ? 'moving' : 'ahead', plan.stretches[2]],
});

/** The moment an ID was minted is its first 48 bits (RFC 9562), by the clock of the device that minted it. */
export const mintedAt = (id: string): string | null => {
  const milliseconds = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return Number.isFinite(milliseconds) && milliseconds > 0 ? new Date(milliseconds).toISOString() : null;
};

const finished: readonly OperationState[] = ['pending', 'confirmed', 'failed', 'reversed'];

const localOnly = (local: ThreadLocal): Thread => {
  const { marks, stretches } = onDevice[local.state];
  return {
    stations: [
      { key: 'device', mark: marks[0], at: local.at, clock: 'device', who: null },
      { key: 'holdfast', mark: marks[1], at: null, clock: 'server', who: null },
      { key: 'approver', mark: marks[2], at: null, clock: 'server', who: null },
      { key: 'provider', mark: marks[3], at: null, clock: 'server', who: null },
    ],
    stretches,
    startedHere: true,
    needsPerson: false,
    lastAskedAt: null,
  };
};

/**
 * @param operation the newest version this device knows from the server, or `null` before it was acknowledged
 * @param local what this device still holds for it, or `null`
 * @param settledAt when the provider's answer was recorded, where the timeline is at hand (ISO 8601 UTC)
 */
export const threadOf = (
  operation: ThreadOperation | null,
  local: ThreadLocal | null,
  settledAt: string | null = null,
): Thread => {
  if (operation === null) {
    if (local === null) throw new Error('a thread needs an operation or what this device holds for it');
    return localOnly(local);
  }
  const decides = local?.command === 'decide' && local.state !== 'draft' && operation.state === 'proposed';
  const plan = decides && local !== null ? withDecision(planOf(operation), local) : planOf(operation);
  const approval = operation.approvals.at(-1);
  // The ID is as old as the form it was opened with; of another device only the acceptance is known.
  const confirmedAt = local?.confirmedAt ?? null;
  return {
    stations: [
      {
        key: 'device',
        mark: plan.marks[0],
        at: confirmedAt ?? operation.createdAt,
        clock: confirmedAt === null ? 'server' : 'device',
        who: operation.proposedBy.name,
      },
      { key: 'holdfast', mark: plan.marks[1], at: operation.createdAt, clock: 'server', who: null },
      {
        key: 'approver',
        mark: plan.marks[2],
        at: decides && local !== null ? local.at : (approval?.at ?? null),
        clock: decides ? 'device' : 'server',
        who: approval?.by.name ?? null,
      },
      {
        key: 'provider',
        mark: plan.marks[3],
        at: finished.includes(operation.state) ? settledAt : null,
        clock: 'server',
        who: null,
      },
    ],
    stretches: plan.stretches,
    startedHere: local?.command === 'propose',
    needsPerson: operation.needsPerson,
    lastAskedAt: operation.state === 'outcome_unknown' ? operation.lastCheckAt : null,
  };
};
