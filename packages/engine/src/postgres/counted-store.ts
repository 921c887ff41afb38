import type { OrganisationTransaction } from './connection.ts';

/** What is counted as it happens; everything else in the metrics is read from the tables themselves. */
export type CountedName =
  | 'reconciliation_seconds'
  | 'duplicate_actions'
  | 'replays_absorbed'
  | 'foreign_actions'
  | 'late_reversals'
  | 'assistant_calls_held_back';

/** Adds one row. Counters are rows that are only added, so that no two transactions wait for each other over a number. */
export const count = (
  tx: OrganisationTransaction,
  name: CountedName,
  /** Of which operation; `null`: of none that is known here. */
  operationId: string | null,
  label = '',
  amount = 1,
): void => {
  tx.unsent.counted.push({ name, label, amount, at: tx.now, operationId });
};
