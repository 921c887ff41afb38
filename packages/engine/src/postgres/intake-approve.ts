import {
  judgeLimits,
  madeElsewhere,
  problemSlug,
  type LedgerRefund,
  type Operation,
  type Policy,
} from '@holdfast/operation';
import type { AuditData } from '../audit/audit-chain.ts';
import type { Principal } from '../engine-interface.ts';
import { auditOfSignature, type SignatureVerdict } from '../intake/approval-signature.ts';
import { personOf } from '../intake/access.ts';
import { judgeApproval, type ApprovalFacts, type ApproveCommand } from '../intake/judge-approve.ts';
import { eligibilityFacts, type ProposalFacts } from '../intake/judge-propose.ts';
import { amountOf } from '../query/operation-view.ts';
import { countingPeople, isProposer, proposalLackingOf } from './approval-standing.ts';
import { appendAudit, authorOf, type AuditAuthor } from './audit-store.ts';
import { changeOperation, lockPayment, type OperationPatch } from './change-operation.ts';
import { isWhole } from './claim-store-facts.ts';
import type { OrganisationTransaction } from './connection.ts';
import { outcomeOf, type DecisionOutcome } from './intake-outcome.ts';
import type { IntakeDependencies } from './intake-dependencies.ts';
import { orderOf, readProposalFacts } from './intake-facts.ts';
import { readUse } from './limit-use.ts';
import { readApprovals, readOrganisation } from './operation-reader.ts';
import type { ApprovalRow, OperationRow } from './schema.ts';
import { recordSignature } from './signature-store.ts';

/** Records an approval; the completing one reserves the money and starts the time in which it can be taken back. */
export const applyApprove = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  who: Principal,
  command: ApproveCommand,
  row: OperationRow,
  signature: SignatureVerdict,
): Promise<DecisionOutcome> => {
  const amount = amountOf(row);
  const change = {
    operationId: row.id,
    expectedVersion: row.version,
    by: authorOf(who, command),
  };
  // A cancellation remembered for an ID that never arrived: there is nothing to judge, the table answers.
  if (amount === null || row.provider === null || row.paymentReference === null || row.reason === null) {
    return outcomeOf(command, await changeOperation(tx, { ...change, event: { type: 'approve' } }));
  }
  const order = await orderOf(tx, row);
  const payment = await lockPayment(tx, row.provider, row.paymentReference);
  if (payment === undefined) throw new Error(`operation ${row.id} has no payment`);
  const facts = await readProposalFacts(
    tx,
    { operationId: row.id, replaces: row.replaces },
    order,
    payment,
    dependencies.providerName,
  );
  const inForce = (await readApprovals(tx, [row.id])).get(row.id) ?? [];
  const overLimits = isWhole(row) ? await proposalLackingOf(tx, facts.policy, row) : [];
  const judgement = judgeApproval(command, {
    state: row.state,
    fingerprint: row.fingerprint,
    approvingPerson: personOf(who.actor),
    isProposer: await isProposer(tx, row, {
      ...who.actor,
      actorId: who.actor.id,
      person: personOf(who.actor),
    }),
    signed: signature.kind === 'signed',
    nowMs: facts.nowMs,
    expiresAtMs: row.expiresAt?.getTime() ?? null,
    ...(await readAuthority(tx, who, facts, row, inForce)),
    order,
    neighbours: facts.neighbours,
    eligibility: eligibilityFacts(row.id, { ...row, amount, reason: row.reason }, facts, overLimits),
  });
  if (judgement.kind === 'refuse') {
    if (problemSlug(judgement.problem) === 'forbidden') await auditRefused(tx, row, change.by);
    return { ...judgement, kind: 'refused', row };
  }
  const patch = judgement.effect.completes ? await approvedPatch(dependencies, tx, facts) : {};
  const answer = await changeOperation(tx, {
    ...change,
    event: { type: judgement.effect.completes ? 'approve' : 'approve-partly' },
    patch,
    data: approvalData(who, command, signature),
  });
  if (answer.kind === 'moved') recordApproval(tx, who, command, { inForce, signature, policy: facts.policy });
  return outcomeOf(command, answer);
};

const approvalData = (who: Principal, command: ApproveCommand, signature: SignatureVerdict): AuditData => ({
  fingerprint: command.fingerprint,
  person: personOf(who.actor),
  role: who.actor.role,
  via: who.actor.via,
  ...seenData(command),
  ...auditOfSignature(signature),
});

/** What the approver had before their eyes, where the client says it. */
const seenData = ({ seen }: ApproveCommand): AuditData =>
  seen === undefined
    ? {}
    : {
        seenOrderVersion: seen.orderVersion,
        seenRefundableMinor: seen.refundable.minor,
        seenCurrency: seen.refundable.currency,
      };

/** What the policy lets this person approve, and which approvals before theirs count by it. */
const readAuthority = async (
  tx: OrganisationTransaction,
  { actor }: Principal,
  { policy }: ProposalFacts,
  row: OperationRow,
  inForce: readonly ApprovalRow[],
): Promise<Pick<ApprovalFacts, 'overLimits' | 'approvedBy'>> => {
  if (!isWhole(row)) return { overLimits: [], approvedBy: [] };
  const subject = { act: 'approve', person: personOf(actor), role: actor.role } as const;
  const { id: operationId, provider, paymentReference, amountMinor: minor, currency } = row;
  const about = { operationId, provider, paymentReference, amount: { minor, currency }, at: tx.now };
  return {
    overLimits: judgeLimits(policy, await readUse(tx, policy, { ...subject, ...about }, 'everything')),
    approvedBy: await countingPeople(tx, policy, row, inForce),
  };
};

/** Who tries to approve their own is told no, and that they tried is kept. */
const auditRefused = (tx: OrganisationTransaction, row: OperationRow, by: AuditAuthor): Promise<void> =>
  appendAudit(tx, {
    operationId: row.id,
    type: 'approval-refused',
    state: row.state,
    version: row.version,
    by,
    data: { because: 'own-proposal' },
  });

type GivenUnder = {
  readonly inForce: readonly ApprovalRow[];
  readonly signature: SignatureVerdict;
  readonly policy: Policy;
};

const recordApproval = (
  tx: OrganisationTransaction,
  who: Principal,
  command: ApproveCommand,
  { inForce, signature, policy }: GivenUnder,
): void => {
  const row: ApprovalRow = {
    organisationId: tx.organisationId,
    operationId: command.operationId,
    commandId: command.commandId,
    actorId: who.actor.id,
    person: personOf(who.actor),
    role: who.actor.role,
    via: who.actor.via,
    fingerprint: command.fingerprint,
    signed: signature.kind === 'signed',
    policyVersion: policy.version,
    approvedAt: tx.now,
    voidedAt: null,
    voidReason: null,
  };
  tx.unsent.approvals.push(row);
  if (signature.kind === 'signed') recordSignature(tx, who, command, signature.proof);
  tx.memory.approvalsOf.set(command.operationId, [...inForce, row]);
};

export const approvedPatch = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  facts: Pick<ProposalFacts, 'policy' | 'refunds'>,
): Promise<OperationPatch> => {
  const undoUntil = dependencies.undoMs > 0 ? new Date(tx.now.getTime() + dependencies.undoMs) : null;
  return {
    approvedAt: tx.now,
    undoUntil,
    approvedPolicyVersion: facts.policy.version,
    knownElsewhere: facts.refunds.filter((refund) => madeElsewhere(refund, tx.organisationId)).map(asForeign),
    sentBack: null,
    waitingFor: await waitingFor(dependencies, tx, undoUntil),
    wakeAt: undoUntil ?? tx.now,
    expiresAt: new Date(tx.now.getTime() + facts.policy.approvalExpiresAfterMs),
  };
};

const asForeign = ({ reference, amount, atMs }: LedgerRefund) => ({ reference, amount, atMs });

/** The first of the reasons that keep it from being claimed, in the order of the check before sending. */
const waitingFor = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  undoUntil: Date | null,
): Promise<Operation['waitingFor']> => {
  if ((await readOrganisation(tx)).holdOn) return 'hold';
  if (dependencies.providers.accountOf(tx.organisationId) === undefined) return 'provider-account';
  return undoUntil === null ? null : 'undo';
};
