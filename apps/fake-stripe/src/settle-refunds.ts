import { dueChanges } from './stripe/due-changes.ts';
import { byHand, changeRefund } from './stripe/refund-creation.ts';
import { type WakeUp, wakeUpFor } from './wake-up.ts';
import type { World } from './world.ts';

/** Carries out what faults have planned for refunds, when the fake's clock says so, also after a restart. */
export function settleRefunds(world: World): WakeUp {
  return wakeUpFor(world, () => {
    const nowMs = world.nowMs();
    const { due, nextMs } = dueChanges(world.ledger, nowMs);
    for (const { refund, change } of due) {
      const circumstances = { nowMs, mint: world.mint, request: byHand };
      void world.commit(changeRefund(world.ledger, refund, change, circumstances));
    }
    return nextMs;
  });
}
