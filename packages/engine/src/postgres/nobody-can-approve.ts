import {
  roleMay,
  roles,
  whyNobodyCanApprove,
  type Approver,
  type NobodyReason,
  type Role,
} from '@holdfast/operation';
import type { AccessRules } from '../intake/access.ts';
import { changeWake } from './attempt-store.ts';
import { countingPeople, proposalLackingOf } from './approval-standing.ts';
import { changeOperation } from './change-operation.ts';
import { isWhole } from './claim-store-facts.ts';
import type { OrganisationTransaction } from './connection.ts';
import { readApprovals, readPolicy } from './operation-reader.ts';
import type { OperationRow } from './schema.ts';

const approvingRoles = roles.filter((role) => roleMay(role, 'approver'));

/** Asked for once in a transaction, however many proposals it judges. */
const known = new WeakMap<OrganisationTransaction, Promise<readonly Approver[] | null>>();

const approversIn = (
  tx: OrganisationTransaction,
  rules: AccessRules,
): Promise<readonly Approver[] | null> => {
  const asked = known.get(tx) ?? readApprovers(tx, rules);
  known.set(tx, asked);
  return asked;
};

/** Everybody who may approve at all; `null` where no people and no keys are kept, so that nothing is known of anybody. */
const readApprovers = async (
  tx: OrganisationTransaction,
  { keysMayDecide }: AccessRules,
): Promise<readonly Approver[] | null> => {
  const found = await tx.ask<{
    person: string | null;
    role: Role | null;
    signs: boolean | null;
    anybody: boolean;
  }>(
    `select who.person, who.role, who.signs, known.anybody from (
        select exists (select from members where org_id = $1)
          or exists (select from api_keys where org_id = $1) as anybody) known
      left join (
        select m.user_id as person, m.role, exists (select from sign_in.passkey p
            where p.user_id = m.user_id and p.revoked_at is null) as signs
          from members m where m.org_id = $1 and m.removed_at is null
        union select coalesce(k.owner_user_id, 'keys of role ' || k.role), k.role, false from api_keys k
          left join members m on m.org_id = k.org_id and m.user_id = k.owner_user_id and m.removed_at is null
          where $3::boolean and k.org_id = $1 and k.revoked_at is null and not k.assistant
            and k.scope = 'role' and (k.expires_at is null or k.expires_at > $4::timestamptz)
            and (k.owner_user_id is null or m.role in ('admin', k.role, k.owner_role))
      ) who on who.role = any($2::text[])`,
    [tx.organisationId, approvingRoles, keysMayDecide, tx.now.toISOString()],
  );
  if (found[0]?.anybody !== true) return null;
  return found.flatMap(({ person, role, signs }) =>
    person === null || role === null ? [] : [{ person, role, signs: signs === true }],
  );
};

/** Why nobody in the organisation can approve it; `null` where somebody can. */
export const whyNobody = async (
  tx: OrganisationTransaction,
  row: OperationRow,
  rules: AccessRules,
): Promise<NobodyReason | null> => {
  if (!isWhole(row)) return null;
  const approvers = await approversIn(tx, rules);
  if (approvers === null) return null;
  const policy = await readPolicy(tx);
  // Whoever looks at it is refused then, for what its proposer may not propose any more.
  if ((await proposalLackingOf(tx, policy, row)).length > 0) return 'limits-too-low';
  const given = (await readApprovals(tx, [row.id])).get(row.id) ?? [];
  const amount = { minor: row.amountMinor, currency: row.currency };
  const approvedBy = await countingPeople(tx, policy, row, given);
  return whyNobodyCanApprove(policy, { amount, proposedPerson: row.proposedPerson, approvedBy }, approvers);
};

const minuteMs = 60_000;

/**
 * A proposal is looked at again soon after it came, for what changed beside that unseen, then every hour whatever
 * happens, and at the latest when its time is over.
 */
export const nextLookAtProposal = (now: Date, expiresAt: Date | null, look: 'first' | 'next'): Date => {
  const lookMs = now.getTime() + (look === 'first' ? 1 : 60) * minuteMs;
  return new Date(Math.min(lookMs, expiresAt?.getTime() ?? Infinity));
};

/** Says of a proposal that nobody can approve it, or no longer. The caller holds the operation. */
export const adjustNobodyCanApprove = async (
  tx: OrganisationTransaction,
  row: OperationRow,
  rules: AccessRules,
): Promise<void> => {
  const because = await whyNobody(tx, row, rules);
  const stands = row.attention.some(({ reason }) => reason === 'nobody-can-approve');
  const isNew = tx.now.getTime() - row.createdAt.getTime() < minuteMs;
  const wakeAt = nextLookAtProposal(tx.now, row.expiresAt, isNew ? 'first' : 'next');
  if (stands === (because !== null)) return changeWake(tx, row.id, wakeAt);
  await changeOperation(tx, {
    operationId: row.id,
    expectedVersion: row.version,
    event:
      because === null
        ? { type: 'attention-settled', clears: ['nobody-can-approve'] }
        : { type: 'need-person', raises: ['nobody-can-approve'] },
    bookkeeping: { wakeAt },
    by: { actorId: null },
    ...(because === null ? {} : { data: { because } }),
  });
};
