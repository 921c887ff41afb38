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
