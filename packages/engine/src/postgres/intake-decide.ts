import type { CommandResult, Problem } from '@holdfast/operation';
import type { Principal } from '../engine-interface.ts';
import { problemOfSignature, type SignatureVerdict } from '../intake/approval-signature.ts';
import { digestOfCommand } from '../intake/command-digest.ts';
import { problemOf } from '../intake/problem.ts';
import { actorsNamedBy, toldProblem, withWhatStands } from '../intake/what-stands.ts';
import { lockOperation } from './change-operation.ts';
import { bindCommand, readBound } from './command-store.ts';
import type { OrganisationTransaction } from './connection.ts';
import { count } from './counted-store.ts';
import { applyApprove } from './intake-approve.ts';
import type { IntakeDependencies } from './intake-dependencies.ts';
import { applyEnd, rememberCancellation } from './intake-end.ts';
import { applyResolve, type askAboutReference } from './intake-resolve.ts';
import { applyWithdraw } from './intake-withdraw.ts';
import { judgePasskey } from './signature-store.ts';
import type { Decision, DecisionOutcome } from './intake-outcome.ts';
import {
  readNames,
  readOperation,
  readOperations,
  viewOperation,
  viewOperationsAlone,
} from './operation-reader.ts';
import type { CommandRow, OperationRow } from './schema.ts';

/** What the provider says of the reference that an operator names, where one is named. Asked before the transaction. */
export type Named = Awaited<ReturnType<typeof askAboutReference>>;

/** Applies a decision once; its command ID is bound by the first verdict about state or eligibility. */
export const applyDecision = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  who: Principal,
  command: Decision,
  given: Omit<DecisionContext, 'row'>,
): Promise<CommandResult> => {
  const bound = await readBound(tx, command.commandId);
  if (bound !== undefined) return replay(dependencies, tx, who, command, bound);
  // What cannot be used of the command itself is said before anything it is about is looked at.
  const signature = await judgePasskey(tx, given.signature);
  if (command.type === 'approve' && signature.kind === 'wrong') {
    const problem = problemOfSignature(command, signature.because);
    return { commandId: command.commandId, status: 'rejected', problem };
  }
  const row = await lockOperation(tx, command.operationId);
  // The same command sent twice at once waits for itself at the lock.
  const boundMeanwhile = await readBound(tx, command.commandId);
  if (boundMeanwhile !== undefined) return replay(dependencies, tx, who, command, boundMeanwhile);
  const outcome = await decide(dependencies, tx, who, command, { ...given, row });
  return answer(dependencies, tx, who, command, outcome);
};

type DecisionContext = {
  readonly row: OperationRow | undefined;
  readonly opposite: boolean;
  readonly named: Named;
  readonly signature: SignatureVerdict;
};

const decide = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  who: Principal,
  command: Decision,
  { row, opposite, named, signature }: DecisionContext,
): Promise<DecisionOutcome> => {
  const ids = { operationId: command.operationId, commandId: command.commandId };
  if (row === undefined) {
    if (command.type === 'cancel') return rememberCancellation(tx, who, command);
    const problem = problemOf('not-found', 'This operation is not known here yet.', ids);
    return { kind: 'refused', binds: false, row, problem };
  }
  if (opposite) {
    const detail = 'Opposite decisions about it came together; neither was applied. Decide again.';
    return { kind: 'refused', binds: true, row, problem: problemOf('stale', detail, ids) };
  }
  switch (command.type) {
    case 'approve':
      return applyApprove(dependencies, tx, who, command, row, signature);
    case 'withdraw':
      return applyWithdraw(tx, who, command, row);
    case 'deny':
    case 'cancel':
      return applyEnd(tx, who, command, row);
    case 'resolve':
      return applyResolve(dependencies, tx, who, command, row, named);
  }
};

const answer = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  who: Principal,
  command: Decision,
  outcome: DecisionOutcome,
): Promise<CommandResult> => {
  const shown =
    outcome.row === undefined
      ? {}
      : { operation: await viewOperation(tx, outcome.row, dependencies.providerName) };
  if (outcome.kind === 'done') {
    bindCommand(tx, command, who.actor.id, { status: 'applied' });
    return { commandId: command.commandId, status: 'applied', ...shown };
  }
  const problem = withWhatStands(outcome.problem, outcome.row);
  if (outcome.binds) bindCommand(tx, command, who.actor.id, { status: 'rejected', problem });
  return {
    commandId: command.commandId,
    status: 'rejected',
    ...shown,
    problem: await tell(dependencies, tx, problem),
  };
};

/** What is stored holds IDs alone; names are put in when it is told, and told again. */
const tell = async (
  { providerName }: IntakeDependencies,
  tx: OrganisationTransaction,
  problem: Problem,
): Promise<Problem> => {
  const { nameOf } = await readNames(tx, actorsNamedBy(problem));
  const beside = (problem.operations ?? []).map(({ id }) => id);
  const views = await viewOperationsAlone(tx, await readOperations(tx, beside), providerName);
  return toldProblem(problem, nameOf, new Map(views.map((view) => [view.id, view])));
};

const replay = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  who: Principal,
  command: Decision,
  bound: CommandRow,
): Promise<CommandResult> => {
  // The same words from another person are another decision: nobody is told yes for what somebody else decided.
  if (bound.digest !== digestOfCommand(command) || bound.actorId !== who.actor.id) {
    return {
      commandId: command.commandId,
      status: 'rejected',
      problem: problemOf('operation-mismatch', 'This command ID already stands for something else.', {
        operationId: command.operationId,
        commandId: command.commandId,
        recorded: { type: bound.type, operationId: bound.operationId },
        received: { type: command.type, operationId: command.operationId },
      }),
    };
  }
  count(tx, 'replays_absorbed', bound.operationId, 'command');
  const row = await readOperation(tx, bound.operationId);
  const operation = row && (await viewOperation(tx, row, dependencies.providerName));
  const shown = operation === undefined ? {} : { operation };
  return bound.verdict.status === 'applied'
    ? { commandId: command.commandId, status: 'replayed', ...shown }
    : {
        commandId: command.commandId,
        status: 'rejected',
        ...shown,
        problem: await tell(dependencies, tx, bound.verdict.problem),
      };
};
