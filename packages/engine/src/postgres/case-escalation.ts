import { waitsForOperatorSinceMs } from '@holdfast/operation';
import { changeOperation, lockOperation } from './change-operation.ts';
import type { InOrganisation } from './connection.ts';

/** So many in one turn of an organisation; the rest in the next. */
const mostInATurn = 50;

/**
 * Marks the cases that nobody took in time, each in a transaction of its own and each once: from then on operators and
 * admins are told, and the history says so. @returns how many were marked
 */
export const escalateUntaken = async (
  inOrganisation: InOrganisation,
  organisationId: string,
  afterMs: number,
): Promise<number> => {
  const found = await inOrganisation(organisationId, (tx) =>
    tx.ask<{ id: string }>(
      `select o.id from operations o
        where o.org_id = $1 and o.attention <> '[]' and o.taken_by is null and o.escalated_at is null
          and exists (select from jsonb_array_elements(o.attention) a
            where a->>'reason' <> 'nobody-can-approve' and (a->>'since')::timestamptz <= $2::timestamptz)
        order by o.id limit $3`,
      [organisationId, new Date(tx.now.getTime() - afterMs).toISOString(), mostInATurn],
    ),
  );
  let marked = 0;
  for (const { id } of found) {
    const isMarked = await inOrganisation(organisationId, async (tx) => {
      const row = await lockOperation(tx, id);
      if (row === undefined || row.takenBy !== null || row.escalatedAt !== null) return false;
      const sinceMs = waitsForOperatorSinceMs(row);
      // Taken, settled or told of since it was found.
      if (sinceMs === null || tx.now.getTime() - sinceMs < afterMs) return false;
      const answer = await changeOperation(tx, {
        operationId: id,
        expectedVersion: row.version,
        event: { type: 'attention-settled', visible: true },
        auditType: 'case-escalated',
        patch: { escalatedAt: tx.now },
        by: { actorId: null },
      });
      return answer.kind === 'moved';
    });
    if (isMarked) marked += 1;
  }
  return marked;
};
