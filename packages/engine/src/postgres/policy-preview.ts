import {
  differencesOf,
  loosens,
  policyInWords,
  treatmentChanges,
  type Actor,
  type OperationState,
  type Policy,
  type PolicyInput,
  type PolicyPreview,
  type RefundReason,
  type Role,
  type TreatmentChange,
} from '@holdfast/operation';
import { beginReplay, replayOperation, type PastOperation } from '../policy/replay-operations.ts';
import type { OrganisationTransaction } from './connection.ts';
import { readPolicy } from './operation-reader.ts';
import { peopleIn, readSpeech } from './policy-reader.ts';

const monthMs = 30 * 24 * 60 * 60 * 1000;
/** However busy a month was, an admin waits a few seconds at most; of more, the newest are looked at. */
const mostLookedAt = 5_000;
const pageLength = 500;
const mostShown = 200;

type Row = {
  readonly id: string;
  readonly order_id: string | null;
  readonly payment_reference: string;
  readonly amount_minor: string;
  readonly currency: string;
  readonly reason: RefundReason;
  readonly state: OperationState;
  readonly proposed_via: Actor['via'];
  readonly proposed_person: string;
  readonly proposer_role: Role | null;
  readonly proposer_assistant: boolean;
  readonly proposed_ms: string;
  readonly placed_ms: string | null;
  readonly decided_ms: string | null;
  readonly approved_ms: string | null;
  readonly sent_ms: string | null;
  readonly approvals: readonly { person: string; role: Role; signed: boolean; atMs: number }[];
};

const ms = (column: string): string => `floor(extract(epoch from ${column}) * 1000)::text`;
const asked = `o.org_id = $1 and o.created_at > $2::timestamptz and o.amount_minor is not null and o.reason is not null`;

/** The place from which on at most so many follow, where there are more. */
const startText = `select o.created_at, o.id from operations o where ${asked}
  order by o.created_at desc, o.id desc offset $3::integer limit 1`;

const pageText = `select o.id, o.order_id, o.payment_reference, o.amount_minor::text, o.currency, o.reason, o.state,
    o.proposed_via, o.proposed_person, coalesce(m.role, k.role) as proposer_role,
    coalesce(o.proposed_by_assistant, c.assistant, false) as proposer_assistant,
    ${ms('o.created_at')} as proposed_ms, ${ms('r.placed_at')} as placed_ms, ${ms('o.approved_at')} as approved_ms,
    ${ms(`coalesce(o.approved_at, case when o.state in ('denied', 'cancelled', 'expired') then o.updated_at end)`)}
      as decided_ms,
    ${ms('o.first_sent_at')} as sent_ms,
    coalesce((
      select jsonb_agg(jsonb_build_object('person', a.person, 'role', a.role, 'signed', a.signed,
        'atMs', floor(extract(epoch from a.approved_at) * 1000)) order by a.approved_at, a.command_id)
      from approvals a where a.org_id = o.org_id and a.operation_id = o.id and a.voided_at is null), '[]') as approvals
  from operations o
  left join orders r on r.org_id = o.org_id and r.order_id = o.order_id
  left join members m on m.org_id = o.org_id and m.user_id = o.proposed_by
  left join api_keys k on k.org_id = o.org_id and k.id = o.proposed_by
  left join actors c on c.org_id = o.org_id and c.actor_id = o.proposed_by
  where ${asked} and (o.created_at, o.id) > ($3::timestamptz, $4::uuid)
  order by o.created_at, o.id limit ${pageLength}`;

const number = (text: string | null): number | null => (text === null ? null : Number(text));

const pastOf = (row: Row): PastOperation => ({
  id: row.id,
  orderId: row.order_id,
  paymentReference: row.payment_reference,
  amount: { minor: Number(row.amount_minor), currency: row.currency },
  reason: row.reason,
  state: row.state,
  proposer: {
    person: row.proposed_person,
    role: row.proposer_role,
    assistant: row.proposer_assistant,
    via: row.proposed_via,
  },
  proposedAtMs: Number(row.proposed_ms),
  orderPlacedAtMs: number(row.placed_ms),
  approvals: row.approvals,
  decidedAtMs: number(row.decided_ms),
  approvedAtMs: number(row.approved_ms),
  sentAtMs: number(row.sent_ms),
});

type Position = { readonly at: string; readonly id: string };
const firstId = '00000000-0000-0000-0000-000000000000';

/** Where to begin, so that no more than the newest are looked at, and whether that leaves any out. */
const startOf = async (
  tx: OrganisationTransaction,
  since: string,
): Promise<{ readonly start: Position; readonly isComplete: boolean }> => {
  const [beyond] = await tx.ask<{ created_at: Date; id: string }>(startText, [
    tx.organisationId,
    since,
    mostLookedAt,
  ]);
  return beyond === undefined
    ? { start: { at: since, id: firstId }, isComplete: true }
    : { start: { at: beyond.created_at.toISOString(), id: beyond.id }, isComplete: false };
};

type Told = {
  lookedAt: number;
  treatedOtherwise: number;
  readonly counts: Map<TreatmentChange, number>;
  readonly newest: PolicyPreview['operations'];
};

const tell = (told: Told, operation: PastOperation, changes: readonly TreatmentChange[]): void => {
  told.lookedAt += 1;
  if (changes.length === 0) return;
  told.treatedOtherwise += 1;
  for (const change of changes) told.counts.set(change, (told.counts.get(change) ?? 0) + 1);
  told.newest.unshift({
    id: operation.id,
    orderId: operation.orderId,
    amount: operation.amount,
    proposedAt: new Date(operation.proposedAtMs).toISOString(),
    state: operation.state,
    changes: [...changes],
  });
  if (told.newest.length > mostShown) told.newest.pop();
};

const replayMonth = async (
  tx: OrganisationTransaction,
  policies: { readonly before: Policy; readonly after: Policy },
  since: string,
  start: Position,
): Promise<Told> => {
  const replay = beginReplay(policies.before, policies.after);
  const told: Told = { lookedAt: 0, treatedOtherwise: 0, counts: new Map(), newest: [] };
  let from = start;
  for (;;) {
    const rows = await tx.ask<Row>(pageText, [tx.organisationId, since, from.at, from.id]);
    for (const row of rows) {
      const operation = pastOf(row);
      tell(told, operation, replayOperation(replay, operation, tx.now.getTime()));
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageLength) return told;
    from = { at: new Date(Number(last.proposed_ms)).toISOString(), id: last.id };
  }
};

/** Replays the last month under the policy in force and under another. Reads a page at a time, and writes nothing. */
export const readPreview = async (
  tx: OrganisationTransaction,
  input: PolicyInput,
): Promise<PolicyPreview> => {
  const before = await readPolicy(tx);
  const after: Policy = { ...input, version: before.version + 1 };
  const since = new Date(tx.now.getTime() - monthMs).toISOString();
  const { start, isComplete } = await startOf(tx, since);
  const told = await replayMonth(tx, { before, after }, since, start);
  const speech = await readSpeech(tx, [...peopleIn(before), ...peopleIn(after)]);
  return {
    loosens: loosens(before, after),
    inWords: [...policyInWords(after, speech)],
    differences: [...differencesOf(before, after, speech)],
    since,
    until: tx.now.toISOString(),
    lookedAt: told.lookedAt,
    isComplete,
    treatedOtherwise: told.treatedOtherwise,
    counts: treatmentChanges.flatMap((change) => {
      const count = told.counts.get(change) ?? 0;
      return count === 0 ? [] : [{ change, count }];
    }),
    operations: told.newest,
  };
};
