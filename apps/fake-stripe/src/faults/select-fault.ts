import type { JournalEntry } from '../ledger/journal-entry.ts';
import type { ArmedFault } from '../ledger/records.ts';
import type { ApiCall, Fault, FaultKind, FaultOf } from './fault.ts';

export interface FaultCall {
  on: ApiCall | 'webhook';
  paymentIntent: string | null;
}

export interface Selection<Kind extends FaultKind> {
  fault: FaultOf<Kind> | null;
  /** To be committed with what the call does, so that a restart never forgets that a fault was used up. */
  counted: Extract<JournalEntry, { kind: 'fault.counted' }>[];
}

/**
 * The oldest armed fault of these kinds that hits the call. Every fault that the call matched is counted, also
 * where `every` or `isHit` lets it pass; those behind the chosen one are not, so that each of them gets a call of
 * its own. `isHit`: what a fault's own conditions, beyond counting, say of this call.
 */
export function selectFault<Kind extends FaultKind>(
  armed: Iterable<ArmedFault>,
  call: FaultCall,
  kinds: readonly Kind[],
  isHit: (armed: ArmedFault) => boolean = () => true,
): Selection<Kind> {
  const counted: Selection<Kind>['counted'] = [];
  for (const candidate of armed) {
    const { id, fault, seen } = candidate;
    if (!isOneOf(fault, kinds) || !matches(fault, call)) continue;
    const hit = (seen + 1) % fault.every === 0 && isHit(candidate);
    counted.push({ kind: 'fault.counted', id, hit });
    if (hit) return { fault, counted };
  }
  return { fault: null, counted };
}

function isOneOf<Kind extends FaultKind>(fault: Fault, kinds: readonly Kind[]): fault is FaultOf<Kind> {
  return kinds.some((kind) => kind === fault.do);
}

function matches(fault: Fault, call: FaultCall): boolean {
  const aimed = fault.on === call.on || (fault.on === 'any' && call.on !== 'webhook');
  return aimed && (fault.paymentIntent === null || fault.paymentIntent === call.paymentIntent);
}
