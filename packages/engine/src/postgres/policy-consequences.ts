import type { Policy } from '@holdfast/operation';
import type { AuditData } from '../audit/audit-chain.ts';
import { auditOfOrigin } from '../audit/came-from.ts';
import type { OrganisationAuditType } from '../audit/organisation-audit-types.ts';
import type { Principal } from '../engine-interface.ts';
import { hashOfPolicy } from './audit-verify-policy.ts';
import type { OrganisationTransaction } from './connection.ts';
import { appendOrganisationAudit } from './organisation-audit.ts';

export type PolicyAuditEntry = {
  readonly type: Extract<OrganisationAuditType, `policy-${string}`>;
  readonly data: AuditData;
  /** What was proposed or came into force: by its hash, so that an edited version shows. */
  readonly policy?: Policy;
};

/** Every step of a policy's change is in the organisation's audit, in the same transaction. */
export const notePolicyInAudit = (
  tx: OrganisationTransaction,
  who: Principal,
  { type, data, policy }: PolicyAuditEntry,
): Promise<void> =>
  appendOrganisationAudit(tx, {
    type,
    by: who.actor.id,
    subject: 'policy',
    data: {
      ...data,
      ...auditOfOrigin(who.from),
      ...(policy === undefined ? {} : { policyHash: hashOfPolicy(policy) }),
    },
  });

/**
 * What waits is judged by the policy that has just come into force: every proposal is looked at now, so that one which
 * nobody can approve any more says so, and one that somebody can no longer does. Approved ones are checked at the claim.
 * One that is held this moment is being judged anyway, and is looked at again by itself.
 */
export const afterPolicyChange = async (tx: OrganisationTransaction): Promise<void> => {
  await tx.ask(
    `update operations o set wake_at = $2::timestamptz from (
        select id from operations where org_id = $1 and state = 'proposed' order by id for update skip locked) waiting
      where o.org_id = $1 and o.id = waiting.id and (o.wake_at is null or o.wake_at > $2::timestamptz)`,
    [tx.organisationId, tx.now.toISOString()],
  );
};
