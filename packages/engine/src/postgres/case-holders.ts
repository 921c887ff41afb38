import type { OrganisationTransaction } from './connection.ts';
import type { OperationRow } from './schema.ts';

type Held = Pick<OperationRow, 'id' | 'takenBy'>;

/** IDs of the operations whose holder left, or may no longer see to cases: they are nobody's, whatever their rows say. */
export const holdersGone = async (
  tx: OrganisationTransaction,
  rows: readonly Held[],
): Promise<ReadonlySet<string>> => {
  const people = [...new Set(rows.flatMap(({ takenBy }) => takenBy ?? []))];
  if (people.length === 0) return new Set();
  const found = await tx.ask<{ person: string }>(
    `select person from unnest($2::text[]) h (person) where case_has_nobody($1, person)`,
    [tx.organisationId, people],
  );
  const gone = new Set(found.map(({ person }) => person));
  return new Set(rows.filter(({ takenBy }) => takenBy !== null && gone.has(takenBy)).map(({ id }) => id));
};
