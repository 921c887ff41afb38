import {
  approvesAutomatically,
  fingerprintOf,
  judgeLimits,
  type Command,
  type CommandResult,
  type LimitProblem,
  type Policy,
} from '@holdfast/operation';
import type { AuditData } from '../audit/audit-chain.ts';
import type { Principal } from '../engine-interface.ts';
import { personOf } from '../intake/access.ts';
import { judgeKnownId, judgeNewProposal, type ProposalFacts } from '../intake/judge-propose.ts';
import { judgeRefundMoney, unitsFor } from '../intake/judge-provider-money.ts';
import { problemOf } from '../intake/problem.ts';
import { shownByOrder } from '../query/order-view.ts';
import { amountOf } from '../query/operation-view.ts';
import { acceptOperation } from './accept-operation.ts';
import { approveAutomatically } from './approve-automatically.ts';
import { attachSeenRefunds } from './attach-seen-refunds.ts';
import { appendAudit, authorOf } from './audit-store.ts';
import { lockOperation, lockPayment } from './change-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import { keepConversation } from './conversation-store.ts';
import { count } from './counted-store.ts';
import { writeFeed } from './feed-writer.ts';
import { closeByProposal } from './follow-up.ts';
import type { IntakeDependencies } from './intake-dependencies.ts';
import { readOrder, readProposalFacts } from './intake-facts.ts';
import { readUse } from './limit-use.ts';
import { adjustNobodyCanApprove, nextLookAtProposal } from './nobody-can-approve.ts';
import { readOperation, readOrganisation, viewOperation } from './operation-reader.ts';
import type { OperationRow, OrderRow } from './schema.ts';

export type ProposeCommand = Extract<Command, { type: 'propose' }>;

/** Accepts a proposal once under its ID, for ever; the same again is answered with the operation as it is now. */
export const applyPropose = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  who: Principal,
  command: ProposeCommand,
): Promise<CommandResult> => {
  const known = await readOperation(tx, command.operationId);
  if (known !== undefined) return answerKnown(dependencies, tx, who, command, known);
  const order = await readOrder(tx, command.orderId);
  const payment = order && (await lockPayment(tx, order.provider, order.paymentReference));
  if (order === undefined || payment === undefined) return rejected(command, noSuchOrder(command));
  // Equal proposals sent at once wait for one another at the payment; the first one's row is seen from here on.
  const acceptedMeanwhile = await readOperation(tx, command.operationId);
  if (acceptedMeanwhile !== undefined) return answerKnown(dependencies, tx, who, command, acceptedMeanwhile);
  const units = unitsFor(dependencies.providers, tx.organisationId);
  const unsayable = judgeRefundMoney(units, command.amount, idsOf(command));
  if (unsayable !== undefined) return rejected(command, unsayable);
  const facts = await readProposalFacts(tx, command, order, payment, dependencies.providerName);
  const overLimits = await overLimitsOf(tx, who, command, order, facts.policy);
  const problem = judgeNewProposal(command.operationId, command, facts, overLimits);
  if (problem !== undefined) return rejected(command, problem);
  const accepted = await accept(dependencies, tx, who, command, order, facts);
  const alreadyThere = await attachSeenRefunds(tx, accepted.id);
  const row = await afterAcceptance(dependencies, tx, who, facts, { id: accepted.id, alreadyThere });
  return {
    commandId: command.commandId,
    status: 'applied',
    operation: await viewOperation(tx, row, dependencies.providerName),
  };
};

const overLimitsOf = async (
  tx: OrganisationTransaction,
  { actor }: Principal,
  { operationId, amount }: ProposeCommand,
  { provider, paymentReference }: OrderRow,
  policy: Policy,
): Promise<readonly LimitProblem[]> => {
  const subject = { act: 'propose', person: personOf(actor), role: actor.role } as const;
  const limited = { ...subject, operationId, amount, provider, paymentReference, at: tx.now };
  return judgeLimits(policy, await readUse(tx, policy, limited, 'everything'));
};

/** The policy approves it by itself, or whoever could is looked for. */
const afterAcceptance = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  { actor }: Principal,
  facts: ProposalFacts,
  accepted: { readonly id: string; readonly alreadyThere: number },
): Promise<OperationRow> => {
  const row = await lockOperation(tx, accepted.id);
  if (row === undefined) throw new Error(`operation ${accepted.id} is not there after its acceptance`);
  // What its own refunds at the provider settle, now or by the wake-up they left, is nobody's to approve.
  if (row.state !== 'proposed' || accepted.alreadyThere > 0) return row;
  const amount = amountOf(row);
  if (amount !== null && approvesAutomatically(facts.policy, actor, amount)) {
    return approveAutomatically(dependencies, tx, facts, row);
  }
  await adjustNobodyCanApprove(tx, row, dependencies.rules);
  return (await lockOperation(tx, accepted.id)) ?? row;
};

const cameThrough = ({ through }: Principal): AuditData => (through === undefined ? {} : { through });

const rejected = (
  command: ProposeCommand,
  problem: NonNullable<CommandResult['problem']>,
): CommandResult => ({
  commandId: command.commandId,
  status: 'rejected',
  problem,
});

const noSuchOrder = (command: ProposeCommand) =>
  problemOf('not-found', `There is no order ${command.orderId} here yet.`, idsOf(command));

const idsOf = ({ operationId, commandId }: ProposeCommand) => ({ operationId, commandId });

const answerKnown = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  who: Principal,
  command: ProposeCommand,
  known: OperationRow,
): Promise<CommandResult> => {
  const verdict = judgeKnownId(known, command);
  if (verdict.kind === 'mismatch' || verdict.kind === 'cancelled-before') {
    // The chain grows only under the operation's lock.
    const locked = (await lockOperation(tx, known.id)) ?? known;
    await appendAudit(tx, {
      operationId: locked.id,
      type: verdict.kind === 'mismatch' ? 'mismatch-refused' : 'late-proposal',
      state: locked.state,
      version: locked.version,
      by: authorOf(who, command),
      data: { ...(verdict.kind === 'mismatch' && { fields: verdict.fields }), ...cameThrough(who) },
    });
  }
  if (verdict.kind === 'mismatch') return rejected(command, verdict.problem);
  count(tx, 'replays_absorbed', known.id, 'intake');
  return {
    commandId: command.commandId,
    status: 'replayed',
    operation: await viewOperation(tx, known, dependencies.providerName),
  };
};

const fingerprintFor = (
  tx: OrganisationTransaction,
  accountId: string | null,
  command: ProposeCommand,
  order: OrderRow,
): string =>
  fingerprintOf({
    kind: 'refund',
    organisationId: tx.organisationId,
    providerAccountId: accountId,
    paymentReference: order.paymentReference,
    customerId: order.customerId,
    orderId: order.orderId,
    lines: command.lines ?? [],
    returnId: command.returnId ?? null,
    amount: command.amount.minor,
    currency: command.amount.currency,
    reason: command.reason,
  });

const accept = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  who: Principal,
  command: ProposeCommand,
  order: OrderRow,
  { policy, generation, payment }: Pick<ProposalFacts, 'policy' | 'generation' | 'payment'>,
): Promise<OperationRow> => {
  const expiresAt = new Date(tx.now.getTime() + policy.proposalExpiresAfterMs);
  const accountId = dependencies.providers.accountOf(tx.organisationId)?.accountId ?? null;
  const fingerprint = fingerprintFor(tx, accountId, command, order);
  const row = acceptOperation(tx, {
    id: command.operationId,
    state: 'proposed',
    generation,
    provider: order.provider,
    paymentReference: order.paymentReference,
    orderId: order.orderId,
    ticketId: command.ticketId ?? null,
    customerId: order.customerId,
    amountMinor: command.amount.minor,
    currency: command.amount.currency,
    lines: command.lines ?? [],
    returnId: command.returnId ?? null,
    reason: command.reason,
    note: command.note ?? null,
    replaces: command.replaces ?? null,
    differentFrom: command.differentFrom ?? [],
    fingerprint,
    atProposal: shownByOrder(order, payment),
    proposedBy: who.actor.id,
    proposedVia: who.actor.via,
    proposedPerson: personOf(who.actor),
    proposedRole: who.actor.role,
    proposedPolicyVersion: policy.version,
    proposedByAssistant: who.actor.assistant,
    expiresAt,
    wakeAt: nextLookAtProposal(tx.now, expiresAt, 'first'),
  });
  await appendAudit(tx, {
    operationId: row.id,
    type: 'propose',
    state: row.state,
    version: row.version,
    by: authorOf(who, command),
    data: {
      fingerprint,
      account: accountId,
      policyVersion: policy.version,
      person: personOf(who.actor),
      role: who.actor.role,
      via: who.actor.via,
      ...(who.actor.assistant && { assistant: true }),
      differentFrom: command.differentFrom ?? [],
      ...keepConversation(tx, command),
      ...cameThrough(who),
    },
  });
  writeFeed(tx, [{ subject: 'operation', subjectId: row.id, version: row.version }]);
  await closeByProposal(tx, row, authorOf(who, command));
  return row;
};

export const generationOf = async (tx: OrganisationTransaction): Promise<string> =>
  (await readOrganisation(tx)).generation;
