import type { KeptFinding } from '@holdfast/engine';
import { readFindings, type FindingPage, type InOrganisation } from '@holdfast/engine/postgres';

const pageLength = 500;

export type FindingsOf = {
  readonly inOrganisation: InOrganisation;
  readonly organisationId: string;
  readonly sweepId: string;
};

/** Everything that a sweep found, a page after another: each is read when the one before it has been taken. */
export async function* allFindings({
  inOrganisation,
  organisationId,
  sweepId,
}: FindingsOf): AsyncGenerator<readonly KeptFinding[]> {
  let cursor: string | null = null;
  do {
    const after: string | null = cursor;
    const page: FindingPage = await inOrganisation(organisationId, (tx) =>
      readFindings(tx, sweepId, after, pageLength),
    );
    yield page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
