import type { PendingTimes } from '@holdfast/operation';
import type { ProviderAccount } from '../engine-interface.ts';
import type { OrganisationTransaction } from './connection.ts';
import { providerOf } from './mirror-store-news.ts';

/** Fewer say nothing of what is usual. */
const fewest = 20;

/** How long the provider usually takes: by its contract, and by this organisation's own past where there is enough of it. */
export const readPendingTimes = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
): Promise<PendingTimes> => {
  const provider = providerOf(account);
  const [row] = await tx.ask<{ count: number; median: number | null; most: number | null }>(
    `select count(*)::float8 as count,
        percentile_disc(0.5) within group (order by seconds) as median,
        percentile_disc(0.95) within group (order by seconds) as most
      from (select extract(epoch from settled_at - pending_since)::float8 as seconds from operations
        where org_id = $1 and provider = $2 and state = 'confirmed' and pending_since is not null
          and settled_at > $3::timestamptz - interval '90 days' and settled_at >= pending_since
        order by settled_at desc limit 1000) lasted`,
    [tx.organisationId, provider, tx.now.toISOString()],
  );
  const ms = (seconds: number | null): number => Math.round((seconds ?? 0) * 1_000);
  return {
    items: [
      {
        provider,
        endsWithinMs: account.adapter.contract.pendingUsuallyEndsWithinMs,
        past:
          row === undefined || row.count < fewest
            ? null
            : { count: row.count, medianMs: ms(row.median), mostMs: ms(row.most) },
      },
    ],
  };
};
