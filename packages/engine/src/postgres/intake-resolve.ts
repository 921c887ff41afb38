import { and, eq, ne } from 'drizzle-orm';
import { settle, type OperatorFinding, type Settlement, type SettlementTerms } from '@holdfast/operation';
import type { Principal } from '../engine-interface.ts';
import { hashOfText } from '../audit/audit-chain.ts';
import { personOf } from '../intake/access.ts';
import {
  judgeResolve,
  type NamedReference,
  type ResolveCommand,
  type ResolveEffect,
} from '../intake/judge-resolve.ts';
import { problemOf } from '../intake/problem.ts';
import { namedAs } from '../mirror/named-as.ts';
import { amountOf } from '../query/operation-view.ts';
import { nextLookAtSettledMs } from '../reconcile/wake-up.ts';
import { authorOf } from './audit-store.ts';
import { changeOperation, lockPayment, type OperationPatch } from './change-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import { readEvidence } from './evidence-reader.ts';
import { outcomeOf, type DecisionOutcome } from './intake-outcome.ts';
import type { IntakeDependencies } from './intake-dependencies.ts';
import { correctPayment } from './mirror-store.ts';
import { keepResolveNote } from './resolve-note.ts';
import type { ResolutionRecord } from './schema-operation.ts';
import { observations, operations, type OperationRow } from './schema.ts';

/** Asks the provider about the reference that an operator names. Before the transaction, never inside it. */
export const askAboutReference = async (
  dependencies: IntakeDependencies,
  who: Principal,
  command: ResolveCommand,
): Promise<NamedReference | null> => {
  if (command.outcome !== 'confirmed' || command.providerReference === undefined) return null;
  const account = dependencies.providers.accountOf(who.organisationId);
  if (account === undefined) return { kind: 'cannot-be-asked' };
  const deadlineMs = dependencies.nowMs() + dependencies.providerTimeoutMs;
  const answer = await account.adapter.askAboutRefund(command.providerReference, deadlineMs);
  switch (answer.kind) {
    case 'answer':
      return { kind: 'record', record: answer.record };
    case 'not-found':
      return { kind: 'not-known-there' };
    case 'no-answer':
      return { kind: 'cannot-be-asked' };
  }
};

/** Settles by hand what the evidence did not settle, or clears attention from what is settled. */
export const applyResolve = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  who: Principal,
  command: ResolveCommand,
  row: OperationRow,
  answered: NamedReference | null,
): Promise<DecisionOutcome> => {
  const named: NamedReference | null =
    answered?.kind === 'record'
      ? { ...answered, record: namedAs(answered.record, row.paymentReference) }
      : answered;
  const judgement = judgeResolve(command, {
    state: row.state,
    version: row.version,
    attention: row.attention,
    amount: amountOf(row),
    paymentReference: row.paymentReference,
    person: personOf(who.actor),
    waiting: row.resolution?.waiting === true ? row.resolution : null,
    named,
    heldBy: await holderOf(tx, row, command.providerReference, named),
  });
  if (judgement.kind === 'refuse') return { ...judgement, kind: 'refused', row };
  return carryOut(dependencies, tx, who, command, row, judgement.effect);
};

const holderOf = async (
  tx: OrganisationTransaction,
  row: OperationRow,
  reference: string | undefined,
  named: NamedReference | null,
): Promise<string | null> => {
  if (reference === undefined || row.provider === null) return null;
  if (
    named?.kind === 'record' &&
    named.record.organisationId === tx.organisationId &&
    named.record.operationId !== null &&
    named.record.operationId !== row.id
  ) {
    return named.record.operationId;
  }
  const [holder] = await tx.db
    .select({ id: operations.id })
    .from(operations)
    .where(
      and(
        eq(operations.organisationId, tx.organisationId),
        eq(operations.provider, row.provider),
        eq(operations.providerReference, reference),
        ne(operations.id, row.id),
      ),
    )
    .limit(1);
  return holder?.id ?? null;
};

const carryOut = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  who: Principal,
  command: ResolveCommand,
  row: OperationRow,
  effect: ResolveEffect,
): Promise<DecisionOutcome> => {
  const change = {
    operationId: row.id,
    expectedVersion: row.version,
    by: authorOf(who, command),
    data: { outcome: command.outcome, noteHash: hashOfText(command.note) },
  };
  const event = { type: command.outcome === 'confirmed' ? 'resolve-confirmed' : 'resolve-failed' } as const;
  switch (effect.kind) {
    case 'clear-attention': {
      const answer = await changeOperation(tx, { ...change, event });
      if (answer.kind === 'moved') await keepResolveNote(tx, who, command);
      return outcomeOf(command, answer);
    }
    case 'wait-for-second':
      return waitForSecond(tx, who, command, change);
    case 'settle': {
      const settled = await settleByHand(dependencies, tx, who, command, row, effect);
      if (settled.kind === 'contradicted')
        return { kind: 'refused', binds: true, row, problem: settled.problem };
      const { patch, finding } = settled;
      const answer = await changeOperation(tx, { ...change, event, patch, settledHow: 'operator' });
      // Only what took effect is evidence: kept after a refusal it would settle the operation later.
      if (answer.kind === 'moved') {
        await keepFinding(tx, who, row.id, finding);
        await keepResolveNote(tx, who, command);
        await countAfresh(tx, row);
      }
      return outcomeOf(command, answer);
    }
  }
};

const waitForSecond = async (
  tx: OrganisationTransaction,
  who: Principal,
  command: ResolveCommand,
  change: Omit<Parameters<typeof changeOperation>[1], 'event'>,
): Promise<DecisionOutcome> => {
  const answer = await changeOperation(tx, {
    ...change,
    event: { type: 'attention-settled', visible: true },
    auditType: 'resolve-first',
    patch: {
      // Whoever has the case keeps it, and what nobody has stays nobody's: a first word takes nothing.
      resolution: {
        by: who.actor.id,
        person: personOf(who.actor),
        outcome: command.outcome,
        providerReference: command.providerReference ?? null,
        note: command.note,
        waiting: true,
        at: tx.now.toISOString(),
      },
    },
  });
  if (answer.kind === 'moved') await keepResolveNote(tx, who, command);
  return outcomeOf(command, answer);
};

/** What is kept of who settled it: each note stands with whoever wrote it. */
const settledWord = (
  tx: OrganisationTransaction,
  { actor }: Principal,
  { outcome, providerReference, note }: ResolveCommand,
  first: ResolutionRecord | null,
): ResolutionRecord => {
  const now = tx.now.toISOString();
  const word = { by: actor.id, person: personOf(actor), note, at: now };
  return {
    ...{ outcome, providerReference: providerReference ?? null, waiting: false },
    ...(first === null
      ? word
      : { by: first.by, person: first.person, note: first.note, at: first.at, second: word }),
  };
};

type ByHand =
  | { readonly kind: 'settled'; readonly patch: OperationPatch; readonly finding: OperatorFinding }
  | { readonly kind: 'contradicted'; readonly problem: ReturnType<typeof problemOf> };

const settleByHand = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  who: Principal,
  command: ResolveCommand,
  row: OperationRow,
  { record, firstPerson }: Extract<ResolveEffect, { kind: 'settle' }>,
): Promise<ByHand> => {
  // Whoever waits with another word has no part in this.
  const first = firstPerson === null ? null : row.resolution;
  const finding: OperatorFinding = {
    kind: 'operator-settled',
    outcome: command.outcome,
    by: first?.by ?? who.actor.id,
    secondBy: first === null ? null : who.actor.id,
    note: first?.note ?? command.note,
    ...(first === null ? {} : { secondNote: command.note }),
    record,
  };
  const adapter = dependencies.providers.accountOf(tx.organisationId)?.adapter;
  const settlement = await settlementWith(tx, row, finding, adapter?.contract);
  if (settlement.kind !== command.outcome) {
    const sentence = 'The evidence at the provider does not agree with that.';
    const problem = problemOf('not-eligible', sentence, {
      operationId: row.id,
      commandId: command.commandId,
      reasons: [{ reason: 'evidence-disagrees', sentence }],
    });
    return { kind: 'contradicted', problem };
  }
  const nowMs = tx.now.getTime();
  const lookAgainMs = adapter && nextLookAtSettledMs(nowMs, adapter.contract.lateFailureWindowMs, nowMs);
  return {
    kind: 'settled',
    finding,
    patch: {
      settlement,
      ...(record === null
        ? command.outcome === 'confirmed' && command.providerReference !== undefined
          ? // Held by its name alone, so that no other operation is confirmed on it.
            { providerReference: command.providerReference }
          : {}
        : {
            providerReference: record.reference,
            providerStatus: record.statusText,
            bookedMinor: record.amount.minor,
          }),
      resolution: settledWord(tx, who, command, first),
      wakeAt: lookAgainMs == null ? null : new Date(lookAgainMs),
    },
  };
};

/** A refund made by hand that is now this operation's no longer counts as elsewhere. */
const countAfresh = async (
  tx: OrganisationTransaction,
  { provider, paymentReference }: OperationRow,
): Promise<void> => {
  if (provider === null || paymentReference === null) return;
  const payment = await lockPayment(tx, provider, paymentReference);
  if (payment !== undefined) await correctPayment(tx, payment);
};

const keepFinding = async (
  tx: OrganisationTransaction,
  who: Principal,
  operationId: string,
  finding: OperatorFinding,
): Promise<void> => {
  await tx.db.insert(observations).values({
    organisationId: tx.organisationId,
    operationId,
    observedAt: tx.now,
    source: 'operator',
    finding,
    actorId: who.actor.id,
  });
};

const cautious: SettlementTerms = { finalAbsenceProves: 'a-person-decides' };

const settlementWith = async (
  tx: OrganisationTransaction,
  row: OperationRow,
  finding: OperatorFinding,
  terms: SettlementTerms = cautious,
): Promise<Settlement> => {
  const amount = amountOf(row);
  if (amount === null || row.paymentReference === null) throw new Error(`operation ${row.id} is bare`);
  const evidence = await readEvidence(tx, row.id, 'all');
  return settle(
    {
      organisationId: tx.organisationId,
      operationId: row.id,
      amount,
      paymentReference: row.paymentReference,
    },
    evidence.attempts,
    [...evidence.observations, { id: 'new', atMs: tx.now.getTime(), source: 'operator', finding }],
    terms,
  );
};
