import type { Mutant } from './mutant.ts';

/** Mistakes in the decisions: what may happen, what evidence says, what is sent. */
export const decisionMutants: readonly Mutant[] = [
  {
    name: 'a new key on every retry',
    file: 'packages/engine/src/postgres/claim-store.ts',
    find: `  if (row.attemptCount === 0) {
    const encoded = account.adapter.encodeRefund(expectedRequest(row));`,
    put: `  if (row.attemptCount >= 0) {
    const asked = expectedRequest(row);
    const encoded = account.adapter.encodeRefund({ ...asked, idempotencyKey: asked.idempotencyKey + String(row.attemptCount) });`,
  },
  {
    name: 'an answer that was not heard counts as not sent',
    file: 'packages/operation/src/settle-attempts.ts',
    find: `  if (kinds.size !== 1) return { kind: 'ambiguous', certainlyLeft };`,
    put: `  if (kinds.size !== 1) return { kind: 'not-sent' };`,
  },
  {
    name: 'a timeout is a failure',
    file: 'packages/operation/src/settle.ts',
    find: `  if (ends.some(isAmbiguous) && !absent) return undefined;
  const decline = declines[0];`,
    put: `  if (ends.some(isAmbiguous)) return { kind: 'failed', cause: { kind: 'never-arrived' }, attention: [] };
  const decline = declines[0];`,
  },
  {
    name: 'a refusal settles what an earlier request left open',
    file: 'packages/operation/src/settle.ts',
    find: `  if (ends.some(isAmbiguous) && !absent) return undefined;`,
    put: `  if (ends.some(isAmbiguous) && !absent && declines.length === 0) return undefined;`,
  },
  {
    name: 'a request without a recorded end counts as no request',
    file: 'packages/operation/src/settle.ts',
    find: `  if (ends.some((end) => end.kind === 'no-end')) return undefined;`,
    put: ``,
  },
  {
    name: 'a lost claim is claimed afresh',
    file: 'packages/engine/src/postgres/attempt-store.ts',
    find: `    event: { type: 'lose-sight' },`,
    put: `    event: { type: 'evidence-unsent' },`,
  },
  {
    name: 'the same key is sent after its window',
    file: 'packages/engine/src/postgres/claim-store.ts',
    find: `  const windowMs = Math.max(0, contract.keyWindowMs - contract.keyWindowMarginMs);`,
    put: `  const windowMs = contract.keyWindowMs * 100;`,
  },
  {
    name: 'no last check before a resubmission',
    file: 'packages/operation/src/last-check.ts',
    find: `  const inForce = approvalsInForce(facts);
  // Before every`,
    put: `  if (facts.resubmission) return { verdict: 'ok' };
  const inForce = approvalsInForce(facts);
  // Before every`,
  },
  {
    name: 'the reservation is released while the outcome is unknown',
    file: 'packages/operation/src/state.ts',
    find: `  outcome_unknown: 'reserved',`,
    put: `  outcome_unknown: 'nothing',`,
  },
  {
    name: 'a pending refund holds no money',
    file: 'packages/operation/src/state.ts',
    find: `  pending: 'reserved',`,
    put: `  pending: 'nothing',`,
  },
  {
    name: 'one empty look-up proves that nothing happened',
    file: 'packages/providers/src/judge-absence.ts',
    find: `  if (terms.lookUp !== 'by-payment') return 'absent-yet';`,
    put: `  if (facts.nowMs > 0) return 'absent-final';`,
  },
  {
    name: 'no quiet period before an absence counts',
    file: 'packages/providers/src/judge-absence.ts',
    find: `endedAtMs + terms.quietPeriodMs`,
    put: `endedAtMs`,
  },
  {
    name: 'accepted and pending reads as refunded',
    file: 'packages/operation/src/settle.ts',
    find: `      return { kind: 'pending', record: best.record, attention };`,
    put: `      return { kind: 'confirmed', record: best.record, booked: best.record.amount, settledBy: null, attention };`,
  },
  {
    name: 'a failure after a success is not believed',
    file: 'packages/operation/src/settle-records.ts',
    find: `    succeeded && failed ? 'reversed' : succeeded`,
    put: `    succeeded`,
  },
  {
    name: 'what was refunded and did not last reads as never refunded',
    file: 'packages/operation/src/settle.ts',
    find: `      return { kind: 'reversed', record: best.record, attention };`,
    put: `      return { kind: 'failed', cause: { kind: 'never-arrived' }, attention };`,
  },
  {
    name: 'another operation’s refund counts as this one’s',
    file: 'packages/operation/src/settle-records.ts',
    find: `  (record.operationId !== null && record.operationId !== subject.operationId);`,
    put: `  false;`,
  },
  {
    name: 'a refund of another amount is taken for ours',
    file: 'packages/operation/src/settle-records.ts',
    find: `  !sameAmount(record.amount, subject.amount) || record.paymentReference`,
    put: `  record.paymentReference`,
  },
  {
    name: 'the fence is not looked at before sending',
    file: 'packages/engine/src/execute/send-verdict.ts',
    find: `facts.state !== 'submitting' || facts.fence !== claim.fence || facts.leaseUntilMs === null`,
    put: `facts.leaseUntilMs === null`,
  },
  {
    name: 'the claim forgets what has been approved',
    file: 'packages/operation/src/last-check.ts',
    find: `  if (completed === undefined) {
    reasons.push({`,
    put: `  if (completed === undefined && facts.approvals.length < 0) {
    reasons.push({`,
  },
  {
    name: 'a refund made by hand in between is not looked at',
    file: 'packages/operation/src/last-check.ts',
    find: `    ({ reference }) => !facts.elsewhereKnownAtApproval.includes(reference),`,
    put: `    () => false,`,
  },
  {
    name: 'more is taken than is left',
    file: 'packages/engine/src/postgres/operation-consequences.ts',
    find: `  const limits = limited && reserved > 0;`,
    put: `  const limits = limited && reserved < 0;`,
  },
  {
    name: 'what was replaced may have taken effect',
    file: 'packages/operation/src/last-check.ts',
    find: `  if (facts.replaced !== null && tookEffect(facts.replaced)) {`,
    put: `  if (facts.replaced !== null && facts.replaced.id === '') {`,
  },
  {
    name: 'a claim without a row for its attempt',
    file: 'packages/engine/src/postgres/claim-store.ts',
    find: `  tx.unsent.attempts.push({`,
    put: `  [].push({`,
  },
  {
    name: 'evidence wakes nobody and settles nothing',
    file: 'packages/engine/src/postgres/observation-store.ts',
    find: `  if (type === undefined) return row;`,
    put: `  if (type === undefined || evidence.observations.at(-1)?.source === 'listing') return row;`,
  },
  {
    name: 'a second look is never made',
    file: 'packages/engine/src/reconcile/unknown-verdict.ts',
    find: `    facts.nowMs + pauseBeforeCheckMs(settings.checkBackoffMs, facts.checksSinceSend + facts.requestsMade - 1),`,
    put: `    facts.nowMs + 1e12,`,
  },
  {
    name: 'an answer that comes late is thrown away',
    file: 'packages/engine/src/postgres/attempt-store.ts',
    find: `  if (open.endedAt !== null) return;`,
    put: `  if (open.endedAt !== null || open.number < known.length) return;`,
  },
  {
    name: 'one approval is always enough',
    file: 'packages/operation/src/approvals-needed.ts',
    find: `): number => approvalRuleFor(policy, amount).needed;`,
    put: `): number => Math.min(1, approvalRuleFor(policy, amount).needed);`,
  },
  {
    name: 'a refusal binds the ID of its command',
    file: 'packages/engine/src/postgres/intake-decide.ts',
    find: `  if (outcome.binds) bindCommand(`,
    put: `  if (outcome !== undefined) bindCommand(`,
  },
  {
    name: 'an item goes when the session has ended',
    file: 'packages/outbox/src/send/end-decision.ts',
    find: `        return nextLogRows(record, ended.nowMs, [keptEvent(record, ended, outcome)]);`,
    put: `        return nextLogRows(record, ended.nowMs, [
          keptEvent(record, ended, outcome),
          ...(outcome.reason === 'sign-in' || outcome.reason === 'server-trouble'
            ? [{ kind: 'dropped', because: 'cancelled' } as const]
            : []),
        ]);`,
  },
  {
    name: 'an answer that names no command is a verdict on all',
    file: 'packages/outbox/src/send/batch-verdict.ts',
    find: `  if (results.length === 0) return kept('not-understood', status, 'it does not name the command');`,
    put: `  if (results.length === 0) return { kind: 'verdict', result: { commandId: asked.commandId, status: 'applied' }, status };`,
  },
  {
    name: 'older news of an operation overwrites newer',
    file: 'packages/outbox/src/feed/cache-store.ts',
    find: `  known === undefined || told > known;`,
    put: `  known === undefined || told !== known;`,
  },
];
