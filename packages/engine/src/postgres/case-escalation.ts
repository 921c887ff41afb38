import { judgeEscalation, type Escalation } from '../case/judge-escalation.ts';
import { holdersGone } from './case-holders.ts';
import { changeOperation, lockOperation } from './change-operation.ts';
import type { InOrganisation, OrganisationTransaction } from './connection.ts';
import type { OperationRow } from './schema.ts';

/** So many in one turn of an organisation; the rest in the next. */
const mostInATurn = 50;

/** What may have to be told of; each is judged under its lock. */
const candidates = `select o.id from operations o
  where o.org_id = $1 and (o.attention <> '[]' or o.resolution->>'waiting' = 'true')
    and ((o.attention <> '[]' and case_has_nobody(o.org_id, o.taken_by)
        and (o.taken_by is not null or o.escalated_at is null)
        and exists (select from jsonb_array_elements(o.attention) a
          where a->>'reason' <> 'nobody-can-approve' and (a->>'since')::timestamptz <= $2::timestamptz))
      or (o.resolution->>'waiting' = 'true' and (o.attention <> '[]' or o.state = 'outcome_unknown')
        and (o.resolution->>'at')::timestamptz <= $2::timestamptz
        and (o.escalated_at is null or o.escalated_at < (o.resolution->>'at')::timestamptz)))
  order by o.id limit $3`;

const judge = async (
  tx: OrganisationTransaction,
  row: OperationRow,
  afterMs: number,
): Promise<Escalation> => {
  const { state, attention, takenBy, resolution, escalatedAt } = row;
  const facts = {
    ...{ state, attention, takenBy },
    holderGone: (await holdersGone(tx, [row])).has(row.id),
    secondWordSinceMs: resolution?.waiting === true ? Date.parse(resolution.at) : null,
    escalatedAtMs: escalatedAt?.getTime() ?? null,
  };
  return judgeEscalation(facts, tx.now.getTime(), afterMs);
};

/**
 * Marks the cases that nobody took in time, and those whose second word is missing that long, each in a transaction of its
 * own and each once: from then on operators and admins are told, and the history says so. @returns how many were marked
 */
export const escalateUntaken = async (
  inOrganisation: InOrganisation,
  organisationId: string,
  afterMs: number,
): Promise<number> => {
  const found = await inOrganisation(organisationId, (tx) =>
    tx.ask<{ id: string }>(candidates, [
      organisationId,
      new Date(tx.now.getTime() - afterMs).toISOString(),
      mostInATurn,
    ]),
  );
  let marked = 0;
  for (const { id } of found) {
    const isMarked = await inOrganisation(organisationId, async (tx) => {
      const row = await lockOperation(tx, id);
      if (row === undefined) return false;
      // Taken, settled or told of since it was found: left.
      const escalation = await judge(tx, row, afterMs);
      if (escalation === 'leave') return false;
      const answer = await changeOperation(tx, {
        operationId: id,
        expectedVersion: row.version,
        event: { type: 'attention-settled', visible: true },
        auditType: 'case-escalated',
        data: { because: escalation },
        patch: {
          escalatedAt: tx.now,
          ...(escalation === 'holder-gone' ? { takenBy: null, takenAt: null } : {}),
        },
        by: { actorId: null },
      });
      return answer.kind === 'moved';
    });
    if (isMarked) marked += 1;
  }
  return marked;
};
