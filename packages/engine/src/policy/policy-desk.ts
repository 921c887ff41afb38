import type {
  PolicyChangeRequest,
  PolicyDesk as PolicyDeskView,
  PolicyInput,
  PolicyOutcome,
  PolicyPreview,
  Problem,
} from '@holdfast/operation';
import type { Principal } from '../engine-interface.ts';

export type PolicyDeskAnswer =
  | { readonly ok: true; readonly outcome: PolicyOutcome; readonly desk: PolicyDeskView }
  | { readonly ok: false; readonly problem: Problem };

/** Where admins read and change the policy. Everything but `show` and `preview` is one transaction with its audit. */
export type PolicyDesk = {
  readonly show: (who: Principal) => Promise<PolicyDeskView>;
  /** What a policy would have done to the operations of the last month. Changes nothing. */
  readonly preview: (who: Principal, policy: PolicyInput) => Promise<PolicyPreview>;
  /** Puts a tightening in force, or lays a loosening before a second admin. */
  readonly change: (who: Principal, asked: PolicyChangeRequest) => Promise<PolicyDeskAnswer>;
  /** The second admin's word. */
  readonly approve: (who: Principal, changeId: string) => Promise<PolicyDeskAnswer>;
  readonly refuse: (who: Principal, changeId: string, reason: string | null) => Promise<PolicyDeskAnswer>;
};
