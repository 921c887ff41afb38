import { sql } from 'drizzle-orm';
import type { MirroredRefund } from '@holdfast/providers';
import type { ProviderAccount } from '../engine-interface.ts';
import { whoseRefund } from '../mirror/whose-refund.ts';
import type { Connection, OrganisationTransaction } from './connection.ts';
import { operationIdShape, providerOf } from './mirror-store-news.ts';

/** Everyone starts over, and nothing is sent until people have looked. */
export const beginNewGeneration = async (
  connection: Pick<Connection, 'db'>,
  generation: string,
  because: string,
): Promise<void> => {
  await connection.db.execute(sql`select begin_new_generation(${generation}, ${because})`);
};

/**
 * Whether the provider knows more of us than we do: a refund that nobody here has seen carries our organisation and an
 * operation that was never submitted according to what is recorded here. Every attempt is committed before its first
 * byte leaves, so the database was put back to an earlier time, or another copy of it is at work. Not said again while
 * submitting is held for such a reason.
 */
export const ledgerIsAhead = async (
  tx: OrganisationTransaction,
  account: ProviderAccount,
  refunds: readonly MirroredRefund[],
): Promise<boolean> => {
  const ours = refunds.flatMap((refund) => {
    const owner = whoseRefund(refund, tx.organisationId);
    return owner.kind === 'ours' && operationIdShape.test(owner.operationId)
      ? [{ reference: refund.reference, operation: owner.operationId }]
      : [];
  });
  if (ours.length === 0) return false;
  const [answer] = await tx.db.execute<{ ahead: boolean }>(sql`
    select exists (
        select from jsonb_to_recordset(${JSON.stringify(ours)}::jsonb) as seen (reference text, operation uuid)
        where not exists (select from mirror_refunds m where m.org_id = ${tx.organisationId}
            and m.provider = ${providerOf(account)} and m.reference = seen.reference)
          and not exists (select from operations o where o.org_id = ${tx.organisationId}
            and o.id = seen.operation and o.attempt_count > 0))
      and not exists (select from organisations held where held.org_id = ${tx.organisationId}
        and held.hold_on and held.hold_by = 'system') as ahead`);
  return answer?.ahead === true;
};
