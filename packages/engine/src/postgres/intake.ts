import type { Command, CommandResult } from '@holdfast/operation';
import type { Engine, Principal, SubmittedCommand } from '../engine-interface.ts';
import { createGathering } from '../grouping/gather.ts';
import { statementOf, unsigned, type SignatureVerdict } from '../intake/approval-signature.ts';
import { refusedAccess } from '../intake/access.ts';
import { oppositeDecisions } from '../intake/opposite-decisions.ts';
import { problemOf } from '../intake/problem.ts';
import { readBoundIds } from './command-store.ts';
import type { IntakeDependencies } from './intake-dependencies.ts';
import { applyGroup, type GivenCommand, type GivenCommands } from './intake-group.ts';
import { askAboutReference } from './intake-resolve.ts';

/** Commands of one transaction: enough that its commit weighs little, few enough that its locks are short. */
const mostOfOneGroup = 200;
/** One group is written while the next one is read. */
const groupsAtOnce = 2;

/**
 * Takes commands in. What one caller gives is applied in order; what several give at the same moment is applied in
 * one transaction, command by command, and what one of them comes to spoils no other.
 */
export const createIntake = (dependencies: IntakeDependencies): Engine['apply'] => {
  const gather = createGathering<GivenCommands, readonly CommandResult[]>({
    atOnce: groupsAtOnce,
    most: mostOfOneGroup,
    weightOf: ({ commands }) => commands.length,
    carryOut: (organisationId, groups) => applyGroup(dependencies, organisationId, groups),
  });
  return async (who, submitted) => {
    const known = submitted.flatMap((one) => (one.ok ? [one.command] : []));
    const opposite = await findOpposite(dependencies, who, known);
    const results = new Map<SubmittedCommand, CommandResult>();
    const acceptable: (readonly [SubmittedCommand, Command])[] = [];
    for (const one of submitted) {
      const refusal = refusalOf(dependencies, who, one);
      if (refusal !== undefined) results.set(one, refusal);
      else if (one.ok) acceptable.push([one, one.command]);
    }
    // In order: what a person did first comes first.
    for (let begin = 0; begin < acceptable.length; begin += mostOfOneGroup) {
      const part = acceptable.slice(begin, begin + mostOfOneGroup);
      const commands: GivenCommand[] = [];
      for (const [, command] of part) {
        // Whatever asks the provider does so before the transaction, never inside it.
        const named = command.type === 'resolve' ? await askAboutReference(dependencies, who, command) : null;
        const signature = await signatureOf(dependencies, who, command);
        commands.push({ command, opposite: opposite.has(command.commandId), named, signature });
      }
      const answers = await gather(who.organisationId, { who, commands });
      part.forEach(([one], index) => {
        const answer = answers[index];
        if (answer !== undefined) results.set(one, answer);
      });
    }
    return submitted.flatMap((one) => results.get(one) ?? []);
  };
};

/** Verified before the transaction: the arithmetic holds no lock. Its verdict is judged in order, inside. */
const signatureOf = async (
  { verifyAssertion }: IntakeDependencies,
  { actor, organisationId }: Principal,
  command: Command,
): Promise<SignatureVerdict> => {
  if (command.type !== 'approve' || command.assertion === undefined) return unsigned;
  if (actor.via !== 'session') return { kind: 'wrong', because: 'not-a-person' };
  if (verifyAssertion === undefined) return { kind: 'wrong', because: 'unknown-passkey' };
  const { assertion } = command;
  return verifyAssertion(actor, statementOf(organisationId, actor, command, assertion), assertion);
};

const findOpposite = async (
  dependencies: IntakeDependencies,
  who: Principal,
  batch: readonly Command[],
): Promise<ReadonlySet<string>> => {
  const suspected = oppositeDecisions(batch, new Set());
  if (suspected.size === 0) return suspected;
  const settled = await dependencies.inOrganisation(who.organisationId, (tx) =>
    readBoundIds(tx, [...suspected]),
  );
  return oppositeDecisions(batch, settled);
};

/** Why a command is not even looked at, if it is not: nothing in the database has a say in it. */
const refusalOf = (
  dependencies: IntakeDependencies,
  who: Principal,
  submitted: SubmittedCommand,
): CommandResult | undefined => {
  if (!submitted.ok) {
    return { commandId: submitted.commandId, status: 'rejected', problem: submitted.problem };
  }
  const { command } = submitted;
  const problem = refusedAccess(who, command, dependencies.rules) ?? unfit(command);
  return problem && { commandId: command.commandId, status: 'rejected', problem };
};

const unfit = (command: Command) =>
  command.type === 'propose' && command.commandId !== command.operationId
    ? problemOf('invalid', 'A proposal’s command ID is its operation ID.', {
        operationId: command.operationId,
        commandId: command.commandId,
        issues: [{ path: 'commandId', message: 'must be the operation ID' }],
      })
    : undefined;
