import type { ClaimSubject } from '../claim/claim-approved.ts';
import type { ProviderAccount } from '../engine-interface.ts';
import { isWhole, readNeed } from './claim-store-facts.ts';
import type { OrganisationTransaction } from './connection.ts';
import { readOrganisation } from './operation-reader.ts';
import { codecOf } from './row-codec.ts';
import { operations } from './schema.ts';

const operationCodec = codecOf(operations);

/** What has to be known before the last check of each: plain reads, no lock. `null`: it is not approved any more. */
export const readSubjects = async (
  tx: OrganisationTransaction,
  wanted: readonly { readonly operationId: string; readonly account: ProviderAccount }[],
): Promise<readonly (ClaimSubject | null)[]> => {
  const meant = [tx.organisationId, wanted.map(({ operationId }) => operationId)] as const;
  const [rows, asked, organisation] = await Promise.all([
    tx.rows(operationCodec, 'where t.org_id = $1 and t.id = any($2::uuid[])', meant),
    tx.ask<{ id: string; asked_at: string | null }>(
      `select o.id, p.asked_at from operations o join payments p on p.org_id = o.org_id
          and p.provider = o.provider and p.payment_reference = o.payment_reference
        where o.org_id = $1 and o.id = any($2::uuid[])`,
      meant,
    ),
    readOrganisation(tx),
  ]);
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const askedAtOf = new Map(
    asked.map((row) => [row.id, row.asked_at === null ? null : new Date(row.asked_at)]),
  );
  const isLater = (at: Date | null): boolean => at !== null && at > tx.now;
  const subjects: (ClaimSubject | null)[] = [];
  for (const { operationId, account } of wanted) {
    const row = rowOf.get(operationId);
    if (row?.state !== 'approved' || !isWhole(row)) {
      subjects.push(null);
      continue;
    }
    const ground = { organisation, payment: { askedAt: askedAtOf.get(operationId) ?? null } };
    subjects.push({
      paymentReference: row.paymentReference,
      need: await readNeed(tx, row, ground, account, false),
      worthAsking: !organisation.holdOn && !isLater(row.undoUntil) && !isLater(row.deferredUntil),
    });
  }
  return subjects;
};
