import {
  judgeLimits,
  lackingIn,
  policyActorId,
  type LimitProblem,
  type Policy,
  type StandingProblem,
} from '@holdfast/operation';
import type { OrganisationTransaction } from './connection.ts';
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
  { person, role, signed, approvedAt: at }: ApprovalRow,
): Promise<readonly StandingProblem[]> => {
  const about = aboutOperation(row);
  if (person === policyActorId) {
    const proposer = row.proposedRole && { role: row.proposedRole, via: row.proposedVia, assistant: false };
    return lackingIn(policy, about.amount, { kind: 'automatic', proposer });
  }
  const limited = { act: 'approve', person, role, ...about, at } as const;
  const use = await readUse(tx, policy, limited, 'only-earlier');
  return lackingIn(policy, about.amount, { kind: 'person', use, signed });
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
