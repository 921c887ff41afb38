import type { Mutant } from './mutant.ts';

/** Mistakes in the decisions: what may happen, what evidence says, what is sent. */
export const decisionMutants: readonly Mutant[] = [
  {
    name: 'a new key on every retry',
    swarm: 'records shown long after',
    file: 'packages/engine/src/postgres/claim-store.ts',
    find: `  if (row.attemptCount === 0) {
    const encoded = account.adapter.encodeRefund(expectedRequest(row));`,
    put: `  if (row.attemptCount >= 0) {
    const asked = expectedRequest(row);
    const encoded = account.adapter.encodeRefund({ ...asked, idempotencyKey: asked.idempotencyKey + String(row.attemptCount) });`,
  },
  {
    name: 'a resubmission is encoded anew',
    swarm: 'records shown long after',
    file: 'packages/engine/src/postgres/claim-store.ts',
    find: `  if (row.attemptCount === 0) {`,
    put: `  if (row.attemptCount >= 0) {`,
  },
  {
    name: 'an answer that was not heard counts as not sent',
    swarm: 'claims that vanish',
    file: 'packages/operation/src/settle-attempts.ts',
    find: `  if (kinds.size !== 1) return { kind: 'ambiguous', certainlyLeft };`,
    put: `  if (kinds.size !== 1) return { kind: 'not-sent' };`,
  },
  {
    name: 'a timeout is a failure',
    swarm: 'one payment, many refunds',
    file: 'packages/operation/src/settle.ts',
    find: `  if (ends.some(isAmbiguous) && !absent) return undefined;
  const decline = declines[0];`,
    put: `  if (ends.some(isAmbiguous)) return { kind: 'failed', cause: { kind: 'never-arrived' }, attention: [] };
  const decline = declines[0];`,
  },
  {
    name: 'a refusal settles what an earlier request left open',
    swarm: 'refused after an answer was lost',
    file: 'packages/operation/src/settle.ts',
    find: `  if (ends.some(isAmbiguous) && !absent) return undefined;`,
    put: `  if (ends.some(isAmbiguous) && !absent && declines.length === 0) return undefined;`,
  },
  {
    name: 'a request of which nothing was recorded counts as never sent',
    swarm: 'claims that vanish',
    file: 'packages/operation/src/settle-attempts.ts',
    find: `: { kind: 'no-end' };`,
    put: `: { kind: 'not-sent' };`,
  },
  {
    name: 'a lost claim is claimed afresh',
    swarm: 'claims that vanish',
    file: 'packages/engine/src/postgres/attempt-store.ts',
    find: `    event: { type: 'lose-sight' },`,
    put: `    event: { type: 'evidence-unsent' },`,
    also: [
      {
        file: 'packages/operation/src/transition-rows-at-provider.ts',
        find: `  'evidence-unsent': when('nothing-may-have-been-sent', moveTo('approved'), moveTo('outcome_unknown')),`,
        put: `  'evidence-unsent': moveTo('approved'),`,
      },
    ],
  },
  {
    name: 'the same key is sent after its window',
    swarm: 'records shown long after',
    file: 'packages/engine/src/postgres/claim-store.ts',
    find: `  const windowMs = Math.max(0, contract.keyWindowMs - contract.keyWindowMarginMs);`,
    put: `  const windowMs = contract.keyWindowMs * 100;`,
  },
  {
    name: 'no last check before a resubmission',
    swarm: 'lost, and looked at meanwhile',
    file: 'packages/operation/src/last-check.ts',
    find: `  const inForce = approvalsInForce(facts);
  // Before every`,
    put: `  if (facts.resubmission) return { verdict: 'ok' };
  const inForce = approvalsInForce(facts);
  // Before every`,
  },
  {
    name: 'the reservation is released while the outcome is unknown',
    swarm: 'one payment, many refunds',
    file: 'packages/operation/src/state.ts',
    find: `  outcome_unknown: 'reserved',`,
    put: `  outcome_unknown: 'nothing',`,
  },
  {
    name: 'a pending refund holds no money',
    swarm: 'one payment, many refunds',
    file: 'packages/operation/src/state.ts',
    find: `  pending: 'reserved',`,
    put: `  pending: 'nothing',`,
  },
  {
    name: 'one empty look-up proves that nothing happened',
    swarm: 'an absence that is believed',
    file: 'packages/providers/src/judge-absence.ts',
    find: `  if (terms.lookUp !== 'by-payment') return 'absent-yet';`,
    put: `  if (facts.nowMs > 0) return 'absent-final';`,
  },
  {
    name: 'no quiet period before an absence counts',
    swarm: 'an absence that is believed',
    file: 'packages/providers/src/judge-absence.ts',
    find: `endedAtMs + terms.quietPeriodMs`,
    put: `endedAtMs`,
  },
  {
    name: 'accepted and pending reads as refunded',
    swarm: 'refunds that do not last',
    file: 'packages/operation/src/settle.ts',
    find: `      return { kind: 'pending', record: best.record, attention };`,
    put: `      return { kind: 'confirmed', record: best.record, booked: best.record.amount, settledBy: null, attention };`,
  },
  {
    name: 'a failure after a success is not believed',
    swarm: 'refunds that do not last',
    file: 'packages/operation/src/settle-records.ts',
    find: `    succeeded && failed ? 'reversed' : succeeded`,
    put: `    succeeded`,
  },
  {
    name: 'what was refunded and did not last reads as never refunded',
    swarm: 'refunds that do not last',
    file: 'packages/operation/src/settle.ts',
    find: `      return { kind: 'reversed', record: best.record, attention };`,
    put: `      return { kind: 'failed', cause: { kind: 'never-arrived' }, attention };`,
  },
  {
    name: 'another operation’s refund counts as this one’s',
    swarm: 'answers of others',
    file: 'packages/operation/src/settle-records.ts',
    find: `  (record.operationId !== null && record.operationId !== subject.operationId);`,
    put: `  false;`,
  },
  {
    name: 'a refund of another amount is taken for ours',
    swarm: 'answers of others',
    file: 'packages/operation/src/settle-records.ts',
    find: `  !sameAmount(record.amount, subject.amount) || record.paymentReference`,
    put: `  record.paymentReference`,
  },
  {
    name: 'the fence is not looked at before sending',
    swarm: 'frozen between claim and request',
    file: 'packages/engine/src/execute/send-verdict.ts',
    find: `  if (facts.state !== 'submitting' || facts.fence !== claim.fence || facts.leaseUntilMs === null) {
    return { kind: 'stop', because: 'claim-lost' };
  }`,
    put: `  facts = { ...facts, leaseUntilMs: Math.max(facts.leaseUntilMs ?? 0, facts.nowMs + 9_000) };`,
  },
  {
    name: 'the claim forgets what has been approved',
    swarm: 'rules that change on hold',
    file: 'packages/operation/src/last-check.ts',
    find: `  if (completed === undefined) {
    reasons.push({`,
    put: `  if (completed === undefined && facts.approvals.length < 0) {
    reasons.push({`,
  },
  {
    name: 'a refund made by hand in between is not looked at',
    swarm: 'lost, and looked at meanwhile',
    file: 'packages/operation/src/last-check.ts',
    find: `    ({ reference }) => !facts.elsewhereKnownAtApproval.includes(reference),`,
    put: `    () => false,`,
  },
  {
    name: 'a reservation is taken without room',
    swarm: 'one payment, many refunds',
    file: 'packages/engine/src/postgres/operation-consequences.ts',
    find: `  const limits = limited && reserved > 0;`,
    put: `  const limits = limited && reserved < 0;`,
    also: [
      {
        file: 'packages/engine/src/intake/judge-approve.ts',
        find: `  if (amount.minor > refundable.minor) {`,
        put: `  if (amount.minor < 0) {`,
      },
    ],
  },
  {
    name: 'a claim without a row for its attempt',
    file: 'packages/engine/src/postgres/claim-store.ts',
    find: `  tx.unsent.attempts.push({`,
    put: `  [].push({`,
  },
  {
    name: 'evidence wakes nobody and settles nothing',
    swarm: 'nobody tells of it',
    file: 'packages/engine/src/postgres/observation-store.ts',
    find: `  if (type === undefined) return row;`,
    put: `  if (type === undefined || evidence.observations.at(-1)?.source === 'listing') return row;`,
  },
  {
    name: 'nobody is ever asked what became of it',
    swarm: 'claims that vanish',
    file: 'packages/engine/src/reconcile/unknown-verdict.ts',
    find: `  const personDueMs = facts.unknownSinceMs + settings.needsPersonAfterMs;`,
    put: `  const personDueMs = facts.unknownSinceMs + settings.needsPersonAfterMs * 1e6;`,
  },
  {
    name: 'two requests of one payment are in flight at once',
    sql: true,
    swarm: 'one rich payment, two workers',
    file: 'packages/operation/src/last-check.ts',
    find: `  if (facts.anotherInFlightOnPayment) return wait('payment');`,
    put: ``,
    also: [
      {
        file: 'packages/engine/src/postgres/parts.ts',
        find: `readFile(new URL(name, folder), 'utf8')`,
        put: `readFile(new URL(name, folder), 'utf8').then((text) =>
      text.replace('create unique index one_operation_in_flight', 'create index one_operation_in_flight'))`,
      },
    ],
  },
  {
    name: 'what is approved is not compared by its fingerprint',
    swarm: 'bad screens and bad networks',
    file: 'packages/engine/src/intake/judge-approve.ts',
    find: `  if (facts.fingerprint !== null && command.fingerprint !== facts.fingerprint) {`,
    put: `  if (facts.fingerprint === '') {`,
    also: [
      {
        file: 'packages/operation/src/last-check.ts',
        find: `    if (approval.fingerprint !== facts.fingerprint) continue;`,
        put: ``,
      },
    ],
  },
  {
    name: 'a refund that is told of twice counts twice',
    swarm: 'refunds that do not last',
    file: 'packages/operation/src/settle-records.ts',
    find: `  const ours = new Set(
    sightings`,
    put: `  const ours = Array.from(
    sightings`,
  },
  {
    name: 'the cursor is told before its event',
    swarm: 'bad screens and bad networks',
    file: 'packages/engine/src/postgres/feed.ts',
    find: `      const changes = await viewFeedSubjects(tx, rows, providerName);
      const next`,
    put: `      const changes = await viewFeedSubjects(tx, rows.slice(0, limit - 1), providerName);
      const next`,
  },
  {
    name: 'one approval is always enough',
    swarm: 'rules that become tighter',
    file: 'packages/operation/src/approvals-needed.ts',
    find: `): number => approvalRuleFor(policy, amount).needed;`,
    put: `): number => Math.min(1, approvalRuleFor(policy, amount).needed);`,
  },
  {
    name: 'a refusal is bound to its ID',
    swarm: 'one payment, many refunds',
    file: 'packages/engine/src/postgres/intake-propose.ts',
    find: `  if (problem !== undefined) return rejected(command, problem);
  const accepted`,
    put: `  const first = refusals.get(command.operationId) ?? problem;
  if (first !== undefined) {
    refusals.set(command.operationId, first);
    return rejected(command, first);
  }
  const accepted`,
    also: [
      {
        file: 'packages/engine/src/postgres/intake-propose.ts',
        find: `export const applyPropose = async (`,
        put: `const refusals = new Map();
export const applyPropose = async (`,
      },
    ],
  },
  {
    name: 'an item goes when the session has ended',
    swarm: 'bad screens and bad networks',
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
    swarm: 'bad screens and bad networks',
    file: 'packages/outbox/src/send/batch-verdict.ts',
    find: `  if (results.length === 0) return kept('not-understood', status, 'it does not name the command');`,
    put: `  if (results.length === 0) return { kind: 'verdict', result: { commandId: asked.commandId, status: 'applied' }, status };`,
  },
  {
    name: 'the version is not looked at: older news of an operation overwrites newer',
    swarm: 'answers overtaken by newer ones',
    file: 'packages/outbox/src/feed/cache-store.ts',
    find: `  known === undefined || told > known;`,
    put: `  known === undefined || told !== known;`,
  },
];
