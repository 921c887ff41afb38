import type { HistoryDatabase } from '../world/history-database.ts';
import type { Plan } from '../world/plan.ts';
import type { Violation } from '../world/violation.ts';
import { runHistory } from './run-history.ts';

/** Plans that are a little less than this one. */
const smaller = (plan: Plan): readonly Plan[] => [
  ...plan.troubles.map((gone) => ({
    ...plan,
    troubles: plan.troubles.filter((trouble) => trouble !== gone),
  })),
  ...(plan.refunds > 1 ? [{ ...plan, refunds: plan.refunds - 1 }] : []),
  ...(plan.orders > 1 ? [{ ...plan, orders: plan.orders - 1 }] : []),
  ...(plan.workers > 1 ? [{ ...plan, workers: plan.workers - 1 }] : []),
  ...(plan.devices > 2 ? [{ ...plan, devices: plan.devices - 1 }] : []),
  ...(plan.faultsForMs > 8_000 ? [{ ...plan, faultsForMs: Math.floor((plan.faultsForMs * 2) / 3) }] : []),
];

const mostRuns = 150;

/** Makes a history smaller for as long as the same promise is broken in it. */
export const shrink = async (
  plan: Plan,
  broken: Violation,
  database: HistoryDatabase,
): Promise<{ readonly plan: Plan; readonly runs: number }> => {
  let best = plan;
  let runs = 0;
  for (let found = true; found;) {
    found = false;
    for (const candidate of smaller(best)) {
      if (runs >= mostRuns) return { plan: best, runs };
      runs += 1;
      const { violation } = await runHistory(candidate, database);
      if (violation?.kind !== broken.kind || violation.promise !== broken.promise) continue;
      best = candidate;
      found = true;
      break;
    }
  }
  return { plan: best, runs };
};
