/** An organisation's rules, as data. Times in milliseconds. */
export type Policy = {
  readonly version: number;
  readonly approvalsNeeded: number;
  readonly proposerMayApprove: boolean;
  readonly refundWindowMs: number;
  readonly proposalExpiresAfterMs: number;
  readonly approvalExpiresAfterMs: number;
};

const dayMs = 24 * 60 * 60 * 1000;

/** A fresh organisation's policy, until an admin changes it. */
export const defaultPolicy: Policy = {
  version: 1,
  approvalsNeeded: 1,
  proposerMayApprove: false,
  refundWindowMs: 180 * dayMs,
  proposalExpiresAfterMs: 7 * dayMs,
  approvalExpiresAfterMs: 7 * dayMs,
};
