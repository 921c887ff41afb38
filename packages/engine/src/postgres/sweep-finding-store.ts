import { and, asc, eq, inArray, lt, min, sql } from 'drizzle-orm';
import type { SweepFinding, SweepFindingKind } from '../sweep/sweep-finding.ts';
import { sweepFindingKinds } from '../sweep/sweep-finding.ts';
import type { KeptFinding } from '../sweep/sweep-run.ts';
import type { OrganisationTransaction } from './connection.ts';
import { sweepFindings, type SweepFindingRow } from './schema.ts';

/** Keeps what a sweep found, each once. @returns how many of them it had not found yet */
export const keepFindings = async (
  tx: OrganisationTransaction,
  sweepId: string,
  findings: readonly SweepFinding[],
): Promise<number> => {
  if (findings.length === 0) return 0;
  const earlier = await tx.db
    .select({
      kind: sweepFindings.kind,
      reference: sweepFindings.reference,
      first: min(sweepFindings.firstFoundAt),
    })
    .from(sweepFindings)
    .where(
      and(
        eq(sweepFindings.organisationId, tx.organisationId),
        inArray(sweepFindings.kind, [...sweepFindingKinds]),
        inArray(
          sweepFindings.reference,
          findings.map(({ reference }) => reference),
        ),
      ),
    )
    .groupBy(sweepFindings.kind, sweepFindings.reference);
  const firstOf = ({ kind, reference }: SweepFinding): Date =>
    earlier.find((one) => one.kind === kind && one.reference === reference)?.first ?? tx.now;
  const added = await tx.db
    .insert(sweepFindings)
    .values(
      findings.map((finding) => ({
        organisationId: tx.organisationId,
        sweepId,
        kind: finding.kind,
        reference: finding.reference,
        paymentReference: finding.paymentReference,
        operationId: finding.operationId,
        amountMinor: finding.amount.minor,
        currency: finding.amount.currency,
        oursMinor: finding.ours?.minor ?? null,
        oursCurrency: finding.ours?.currency ?? null,
        foundAt: tx.now,
        firstFoundAt: firstOf(finding),
      })),
    )
    .onConflictDoNothing()
    .returning({ reference: sweepFindings.reference });
  return added.length;
};

/** Whether a sweep has found the same before, whichever. */
export const wasFoundBefore = async (
  tx: OrganisationTransaction,
  kind: SweepFindingKind,
  reference: string,
): Promise<boolean> => {
  const rows = await tx.db
    .select({ one: sql`1` })
    .from(sweepFindings)
    .where(
      and(
        eq(sweepFindings.organisationId, tx.organisationId),
        eq(sweepFindings.kind, kind),
        eq(sweepFindings.reference, reference),
      ),
    )
    .limit(1);
  return rows.length > 0;
};

const viewOf = (row: SweepFindingRow): KeptFinding => ({
  kind: row.kind,
  operationId: row.operationId,
  reference: row.reference,
  paymentReference: row.paymentReference,
  amount: { minor: row.amountMinor, currency: row.currency },
  ours:
    row.oursMinor === null || row.oursCurrency === null
      ? null
      : { minor: row.oursMinor, currency: row.oursCurrency },
  foundAt: row.foundAt.toISOString(),
  firstFoundAt: row.firstFoundAt.toISOString(),
});

const separator = ' ';

export type FindingPage = { readonly items: readonly KeptFinding[]; readonly nextCursor: string | null };

/** A page of what a sweep found, by kind and reference. The cursor is the last one's. */
export const readFindings = async (
  tx: OrganisationTransaction,
  sweepId: string,
  cursor: string | null,
  limit: number,
): Promise<FindingPage> => {
  const at = cursor?.indexOf(separator) ?? -1;
  const after =
    cursor === null || at < 0
      ? undefined
      : sql`(${sweepFindings.kind}, ${sweepFindings.reference}) > (${cursor.slice(0, at)}, ${cursor.slice(at + 1)} collate "C")`;
  const rows = await tx.db
    .select()
    .from(sweepFindings)
    .where(
      and(eq(sweepFindings.organisationId, tx.organisationId), eq(sweepFindings.sweepId, sweepId), after),
    )
    .orderBy(asc(sweepFindings.kind), asc(sweepFindings.reference))
    .limit(limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(viewOf),
    nextCursor:
      rows.length > limit && last !== undefined ? `${last.kind}${separator}${last.reference}` : null,
  };
};

const keptForMs = 90 * 24 * 60 * 60 * 1000;

/** What is still so is found again by every sweep; what an old one found is told no more. */
export const pruneFindings = async (tx: OrganisationTransaction): Promise<void> => {
  await tx.db
    .delete(sweepFindings)
    .where(
      and(
        eq(sweepFindings.organisationId, tx.organisationId),
        lt(sweepFindings.foundAt, new Date(tx.now.getTime() - keptForMs)),
      ),
    );
};
