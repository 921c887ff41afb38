import { setTimeout as wait } from 'node:timers/promises';
import { type FaultCall, selectFault } from '../faults/select-fault.ts';
import type { World } from '../world.ts';

export interface Delays {
  beforeMs: number;
  afterMs: number;
}

/** The fault `delay`, used up by this call. It goes together with whatever else happens to the call. */
export function takeDelay(world: World, call: FaultCall): Delays {
  const { fault, counted } = selectFault(world.ledger.faults.values(), call, ['delay']);
  if (counted.length > 0) void world.commit(counted);
  if (fault === null) return { beforeMs: 0, afterMs: 0 };
  return fault.at === 'before' ? { beforeMs: fault.ms, afterMs: 0 } : { beforeMs: 0, afterMs: fault.ms };
}

/** In the machine's time, not the movable clock's: it is the caller's patience that a delay is about. */
export async function pause(ms: number): Promise<void> {
  if (ms > 0) await wait(ms);
}
