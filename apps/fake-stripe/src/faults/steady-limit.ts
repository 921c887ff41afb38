import type { ArmedFault } from '../ledger/records.ts';

const windowMs = 1000;

/**
 * The fault `rate_limit` with `perSecond`: it hits only what goes beyond that many calls in any second. `passed`
 * holds, under the ID of each armed limit, when calls were let through: a second's worth, which no restart needs.
 */
export function isBeyondLimit(
  { id, fault }: ArmedFault,
  passed: ReadonlyMap<string, readonly number[]>,
  nowMs: number,
): boolean {
  if (fault.do !== 'rate_limit' || fault.perSecond === undefined) return true;
  return inWindow(passed.get(id) ?? [], nowMs).length >= fault.perSecond;
}

/** Remembers for each fault that this call met whether it got past it. */
export function noteLetThrough(
  passed: Map<string, number[]>,
  counted: readonly { id: string; hit: boolean }[],
  nowMs: number,
): void {
  for (const { id, hit } of counted) {
    if (!hit) passed.set(id, [...inWindow(passed.get(id) ?? [], nowMs), nowMs]);
  }
}

/** Times ahead of the clock are from before it was moved back: they limit nothing any more. */
function inWindow(timesMs: readonly number[], nowMs: number): number[] {
  return timesMs.filter((timeMs) => timeMs > nowMs - windowMs && timeMs <= nowMs);
}
