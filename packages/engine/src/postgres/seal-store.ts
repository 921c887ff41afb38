import { and, asc, desc, eq, gt } from 'drizzle-orm';
import type { Seal } from '../audit/seal.ts';
import type { OrganisationTransaction } from './connection.ts';
import { auditSeals, type AuditSealRow } from './schema.ts';

const sealOf = (row: AuditSealRow): Seal => ({ ...row, at: row.at.toISOString() });

export const newestSeal = async (tx: OrganisationTransaction): Promise<Seal | null> => {
  const [row] = await newestSeals(tx, 1);
  return row ?? null;
};

/** Newest first. */
export const newestSeals = async (tx: OrganisationTransaction, limit: number): Promise<readonly Seal[]> => {
  const rows = await tx.db
    .select()
    .from(auditSeals)
    .where(eq(auditSeals.organisationId, tx.organisationId))
    .orderBy(desc(auditSeals.number))
    .limit(limit);
  return rows.map(sealOf);
};

/** In order of number, after one. */
export const sealsAfter = async (
  tx: OrganisationTransaction,
  number: number,
  limit: number,
): Promise<readonly Seal[]> => {
  const rows = await tx.db
    .select()
    .from(auditSeals)
    .where(and(eq(auditSeals.organisationId, tx.organisationId), gt(auditSeals.number, number)))
    .orderBy(asc(auditSeals.number))
    .limit(limit);
  return rows.map(sealOf);
};

export const sealNumbered = async (tx: OrganisationTransaction, number: number): Promise<Seal | null> => {
  const [row] = await tx.db
    .select()
    .from(auditSeals)
    .where(and(eq(auditSeals.organisationId, tx.organisationId), eq(auditSeals.number, number)));
  return row === undefined ? null : sealOf(row);
};
