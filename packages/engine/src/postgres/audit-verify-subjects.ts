import { and, asc, eq } from 'drizzle-orm';
import { faultsOfChain, type ChainFault } from '../audit/audit-chain.ts';
import type { InOrganisation, OrganisationTransaction } from './connection.ts';
import { organisationAudit } from './schema.ts';

const nextSubject = async (tx: OrganisationTransaction, after: string): Promise<string | undefined> => {
  const [row] = await tx.ask<{ subject: string }>(
    'select subject from organisation_audit where org_id = $1 and subject > $2 order by subject limit 1',
    [tx.organisationId, after],
  );
  return row?.subject;
};

const readSubject = async (tx: OrganisationTransaction, subject: string) => {
  const rows = await tx.db
    .select()
    .from(organisationAudit)
    .where(
      and(eq(organisationAudit.organisationId, tx.organisationId), eq(organisationAudit.subject, subject)),
    )
    .orderBy(asc(organisationAudit.sequence));
  return rows.map(({ transactionId: _, at, ...row }) => ({ ...row, at: at.toISOString() }));
};

/** Checks the chains of what is not about one operation, one after the other. @returns how many entries there are */
export const verifySubjects = async (
  inOrganisation: InOrganisation,
  organisationId: string,
  tell: (fault: ChainFault) => void,
): Promise<number> => {
  let read = 0;
  let subject = await inOrganisation(organisationId, (tx) => nextSubject(tx, ''));
  while (subject !== undefined) {
    const of: string = subject;
    const entries = await inOrganisation(organisationId, (tx) => readSubject(tx, of));
    read += entries.length;
    faultsOfChain(entries).forEach(tell);
    subject = await inOrganisation(organisationId, (tx) => nextSubject(tx, of));
  }
  return read;
};
