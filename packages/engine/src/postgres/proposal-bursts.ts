import type { UntakenCase } from '../notify/plan-notices.ts';
import type { OrganisationTransaction } from './connection.ts';
import { count } from './counted-store.ts';

const burstMinutes = 10;
/** So many within it are a burst; the alert in deploy/prometheus says the same. */
const burstProposals = 30;
/** A burst is over, and the next one told of, when none of its proposals is younger. */
const overMinutes = 60;

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

/**
 * Who proposed in a burst lately. Each has one ID, made of who proposed, for as long as it goes on: what comes after the
 * thirtieth is the same burst.
 */
export const proposalBursts = (tx: OrganisationTransaction): Promise<readonly UntakenCase[]> =>
  tx.ask<UntakenCase>(
    `select md5(proposed_by || ' ' || by_assistant)::uuid::text as id, 0 as "sinceMs" from (
      select proposed_by, coalesce(proposed_by_assistant, false) as by_assistant, created_at,
          count(*) over (partition by ${ofOne} order by created_at
            range between make_interval(mins => $3::int) preceding and current row) as proposed
        from operations where org_id = $1 and order_id is not null
          and created_at > $2::timestamptz - make_interval(mins => $3::int + $4::int)) as of_one
      where proposed >= $5::int and created_at > $2::timestamptz - make_interval(mins => $4::int)
      group by proposed_by, by_assistant order by 1`,
    [
      ...[tx.organisationId, tx.now.toISOString()],
      ...[burstMinutes, overMinutes, burstProposals].map(String),
    ],
  );

/** Adds calls of assistants that their limit held back. */
export const countHeldBack = (tx: OrganisationTransaction, calls: number): void => {
  count(tx, 'assistant_calls_held_back', null, '', calls);
};
