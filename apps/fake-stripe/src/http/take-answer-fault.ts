import { type AnswerFault, type FaultPlan, planFault } from '../faults/fault-answer.ts';
import { answerKinds } from '../faults/fault.ts';
import { type FaultCall, selectFault } from '../faults/select-fault.ts';
import { isBeyondLimit, noteLetThrough } from '../faults/steady-limit.ts';
import type { World } from '../world.ts';

/** The fault, used up by this call, that decides how its answer comes back. */
export function takeAnswerFault(
  world: World,
  call: FaultCall,
): { does: AnswerFault['do'] | null; plan: FaultPlan } {
  const nowMs = world.nowMs();
  const { faults } = world.ledger;
  const { fault, counted } = selectFault(faults.values(), call, answerKinds, (armed) =>
    isBeyondLimit(armed, world.passedLimits, nowMs),
  );
  const hitId = counted.find(({ hit }) => hit)?.id;
  const earlierHits = (hitId === undefined ? undefined : faults.get(hitId))?.hits ?? 0;
  noteLetThrough(world.passedLimits, counted, nowMs);
  if (counted.length > 0) void world.commit(counted);
  return { does: fault?.do ?? null, plan: planFault(fault, earlierHits + 1) };
}
