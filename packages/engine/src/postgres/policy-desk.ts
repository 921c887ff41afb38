import type { Principal } from '../engine-interface.ts';
import type { PolicyDesk, PolicyDeskAnswer } from '../policy/policy-desk.ts';
import type { OrganisationTransaction } from './connection.ts';
import { readPreview } from './policy-preview.ts';
import { readDesk } from './policy-reader.ts';
import { approveChange, changePolicy, refuseChange, type PolicyWritten } from './policy-store.ts';
import type { Runtime } from './runtime.ts';

/** The desk at which admins change the policy, each step with its audit in one transaction. */
export const createPolicyDesk = ({ inOrganisation, wakes }: Runtime): PolicyDesk => {
  const write = async (
    who: Principal,
    work: (tx: OrganisationTransaction) => Promise<PolicyWritten>,
  ): Promise<PolicyDeskAnswer> => {
    const answer = await inOrganisation(who.organisationId, async (tx): Promise<PolicyDeskAnswer> => {
      const written = await work(tx);
      return written.ok ? { ...written, desk: await readDesk(tx, who) } : written;
    });
    // Workers may have something to judge anew.
    if (answer.ok && answer.outcome === 'in-force') wakes.written(who.organisationId);
    return answer;
  };
  return {
    show: (who) => inOrganisation(who.organisationId, (tx) => readDesk(tx, who)),
    preview: (who, policy) => inOrganisation(who.organisationId, (tx) => readPreview(tx, policy)),
    change: (who, asked) => write(who, (tx) => changePolicy(tx, who, asked)),
    approve: (who, changeId) => write(who, (tx) => approveChange(tx, who, changeId)),
    refuse: (who, changeId, reason) => write(who, (tx) => refuseChange(tx, who, changeId, reason)),
  };
};
