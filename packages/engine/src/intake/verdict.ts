import type { AttentionReason, OperationEventType, Problem } from '@holdfast/operation';
import type { AuditData } from '../audit/audit-chain.ts';
import type { AuditType } from '../query/timeline.ts';

/** What judging a command against the stored facts comes to. */
export type Judgement<Effect> =
  | {
      readonly kind: 'refuse';
      readonly problem: Problem;
      /** Whether this verdict binds the command's ID: only one about state or eligibility does. */
      readonly binds: boolean;
    }
  | { readonly kind: 'go-on'; readonly effect: Effect };

/** The event a decision becomes, with what is recorded about it. */
export type DecisionEffect<Patch> = {
  readonly event: {
    readonly type: OperationEventType;
    readonly raises?: readonly AttentionReason[];
    readonly visible?: boolean;
  };
  readonly patch: Patch;
  readonly auditType?: AuditType;
  readonly data?: AuditData;
};

export const refuse = (
  problem: Problem,
  binds = true,
): { kind: 'refuse'; problem: Problem; binds: boolean } => ({
  kind: 'refuse',
  problem,
  binds,
});
