export type SweepState = 'waiting' | 'running' | 'done' | 'no-answer' | 'not-home' | 'given-up';

export type Sweep = {
  readonly id: string;
  readonly state: SweepState;
  readonly askedBy: { readonly id: string; readonly name: string };
  readonly askedAt: string;
  readonly since: string;
  readonly until: string | null;
  readonly phase: 'refunds' | 'operations' | 'events';
  readonly refundsRead: number;
  readonly operationsRead: number;
  readonly eventsRead: number;
  readonly eventsFetched: number;
  readonly found: number;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly because: string | null;
  readonly keyRefused: boolean;
  readonly cutOff: boolean;
};

export type SweepList = {
  readonly items: readonly Sweep[];
  readonly nextCursor: string | null;
  readonly everyMs: number | null;
  readonly nextAt: string | null;
};

type Money = { readonly minor: number; readonly currency: string };

export type Finding = {
  readonly kind: string;
  readonly operationId: string | null;
  readonly reference: string;
  readonly paymentReference: string;
  readonly amount: Money;
  readonly ours: Money | null;
  readonly firstFoundAt: string;
};

export type SweepFindings = {
  readonly sweep: Sweep;
  readonly items: readonly Finding[];
  readonly nextCursor: string | null;
};

export const readSweep = (body: unknown): Sweep => {
  const sweep = body as Sweep;
  if (typeof sweep.id !== 'string' || typeof sweep.state !== 'string')
    throw new Error('a sweep was expected');
  return sweep;
};

export const readSweeps = (body: unknown): SweepList => {
  const list = body as SweepList;
  if (!Array.isArray(list.items)) throw new Error('a list of sweeps was expected');
  list.items.forEach(readSweep);
  return list;
};

export const readFindings = (body: unknown): SweepFindings => {
  const found = body as SweepFindings;
  readSweep(found.sweep);
  if (!Array.isArray(found.items)) throw new Error('findings were expected');
  return found;
};

/** Whether it will say something else soon. */
export const isUnderWay = ({ state }: Pick<Sweep, 'state'>): boolean =>
  state === 'waiting' || state === 'running';
