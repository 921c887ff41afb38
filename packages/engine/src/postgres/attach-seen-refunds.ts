import { and, eq, sql } from 'drizzle-orm';
import { recordOf } from './claim-store-provider-side.ts';
import type { OrganisationTransaction } from './connection.ts';
import { addObservation } from './observation-store.ts';
import { mirrorRefunds } from './schema.ts';

/**
 * Refunds that the mirror saw before their operation was known here: after a restore a device tells of an operation
 * that was carried out long ago. They become its evidence at once and wake it, so that it cannot end as if nothing
 * had happened.
 */
export const attachSeenRefunds = async (tx: OrganisationTransaction, operationId: string): Promise<void> => {
  const seen = await tx.db
    .select()
    .from(mirrorRefunds)
    .where(
      and(
        eq(mirrorRefunds.organisationId, tx.organisationId),
        eq(mirrorRefunds.metadataOrganisationId, tx.organisationId),
        eq(sql`lower(${mirrorRefunds.metadataOperationId})`, operationId),
      ),
    );
  for (const refund of seen) {
    await addObservation(tx, {
      operationId,
      source: 'listing',
      finding: { kind: 'found', record: recordOf(refund) },
    });
  }
};
