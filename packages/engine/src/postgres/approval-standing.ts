import {
  judgeLimits,
  lackingIn,
  policyActorId,
  type LimitProblem,
  type Policy,
  type StandingProblem,
} from '@holdfast/operation';
import type { OrganisationTransaction } from './connection.ts';
import { loadAuthority, stillMayApprove, type Giver } from './approver-authority.ts';
import { readUse } from './limit-use.ts';
import type { ApprovalRow, OperationRow } from './schema.ts';

/** What limits hang on; a remembered cancellation has less and is never approved. */
type Limited = OperationRow & {
  readonly provider: string;
  readonly paymentReference: string;
  readonly amountMinor: number;
  readonly currency: string;
};

const aboutOperation = ({ id, provider, paymentReference, amountMinor, currency }: Limited) => ({
  operationId: id,
  provider,
  paymentReference,
  amount: { minor: amountMinor, currency },
});

/** Why an approval does not count by the policy as it is now. What its giver approved after it does not stand against it. */
export const lackingOf = async (
  tx: OrganisationTransaction,
  policy: Policy,
  row: Limited,
  given: ApprovalRow,
): Promise<readonly StandingProblem[]> => {
  const { person, role, signed, approvedAt: at } = given;
  const about = aboutOperation(row);
  if (person === policyActorId) {
    const proposer = row.proposedRole && { role: row.proposedRole, via: row.proposedVia, assistant: false };
    return lackingIn(policy, about.amount, { kind: 'automatic', proposer });
  }
  const limited = { act: 'approve', person, role, ...about, at } as const;
  const use = await readUse(tx, policy, limited, 'only-earlier');
  return lackingIn(policy, about.amount, {
    kind: 'person',
    use,
    signed,
    mayApprove: await stillMayApprove(tx, given),
  });
};

/** Why whoever proposed it might not propose it by the policy as it is now. */
export const proposalLackingOf = async (
  tx: OrganisationTransaction,
  policy: Policy,
  row: Limited,
): Promise<readonly LimitProblem[]> => {
  const { proposedPerson: person, proposedRole: role, createdAt: at } = row;
  const limited = { act: 'propose', person, role, ...aboutOperation(row), at } as const;
  return judgeLimits(policy, await readUse(tx, policy, limited, 'only-earlier'));
};

/** Who made the keys that are nobody's own: what somebody does through one is done by them. */
const makersOf = async (
  tx: OrganisationTransaction,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const rows = await tx.ask<{ id: string; created_by: string }>(
    `select id, created_by from api_keys where org_id = $1 and id = any($2::text[]) and created_by is not null
      and owner_user_id is null`,
    [tx.organisationId, keyIds],
  );
  return new Map(rows.map(({ id, created_by: maker }) => [id, maker]));
};

/** Whether whoever approves is who proposed: as themselves, or through an ownerless key that they made. */
export const isProposer = async (
  tx: OrganisationTransaction,
  row: OperationRow,
  { actorId, person, via }: Giver & Pick<ApprovalRow, 'person'>,
): Promise<boolean> => {
  if (person === row.proposedPerson) return true;
  const keys = [
    ...(row.proposedVia === 'ownerless-key' ? [row.proposedBy] : []),
    ...(via === 'ownerless-key' ? [actorId] : []),
  ];
  if (keys.length === 0) return false;
  const makers = await makersOf(tx, keys);
  return (makers.get(actorId) ?? actorId) === (makers.get(row.proposedBy) ?? row.proposedBy);
};

const isLimited = (row: OperationRow): row is Limited =>
  row.provider !== null && row.paymentReference !== null && row.amountMinor !== null && row.currency !== null;

/**
 * Who of those that gave these approvals counts now: the one rule for completing, withdrawing, showing and claiming. Not
 * the proposer, unless the policy lets them, and nobody whose approval lacks what the policy asks today.
 */
export const countingPeople = async (
  tx: OrganisationTransaction,
  policy: Policy,
  row: OperationRow,
  given: readonly ApprovalRow[],
): Promise<readonly string[]> => {
  if (!isLimited(row)) return [];
  await loadAuthority(tx, given);
  const people: string[] = [];
  for (const approval of given) {
    const { fingerprint } = approval;
    if (fingerprint !== row.fingerprint) continue;
    if (!policy.proposerMayApprove && (await isProposer(tx, row, approval))) continue;
    if ((await lackingOf(tx, policy, row, approval)).length === 0) people.push(approval.person);
  }
  return people;
};
