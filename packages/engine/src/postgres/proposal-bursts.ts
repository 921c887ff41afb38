import type { OrganisationTransaction } from './connection.ts';
import { count } from './counted-store.ts';

const burstMinutes = 10;

/** A person and an assistant of theirs act under one ID, and are counted apart. */
const ofOne = 'proposed_by, coalesce(proposed_by_assistant, false)';

/** The most that one person, key or assistant proposed in the last ten minutes. */
export const mostProposalsOfOne = async (tx: OrganisationTransaction): Promise<number> => {
  const [row] = await tx.ask<{ most: number }>(
    `select coalesce(max(n), 0)::int as most from (
      select count(*) as n from operations
        where org_id = $1 and created_at > $2::timestamptz - make_interval(mins => $3::int) and order_id is not null
        group by ${ofOne}) as of_one`,
    [tx.organisationId, tx.now.toISOString(), String(burstMinutes)],
  );
  return row?.most ?? 0;
};

/** Adds calls of assistants that their limit held back. */
export const countHeldBack = (tx: OrganisationTransaction, calls: number): void => {
  count(tx, 'assistant_calls_held_back', null, '', calls);
};
