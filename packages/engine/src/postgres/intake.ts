import { sql } from 'drizzle-orm';
import type { Command, CommandResult } from '@holdfast/operation';
import type { Engine, Principal, SubmittedCommand } from '../engine-interface.ts';
import { refusedAccess } from '../intake/access.ts';
import { oppositeDecisions } from '../intake/opposite-decisions.ts';
import { problemOf } from '../intake/problem.ts';
import { readBoundIds } from './command-store.ts';
import type { OrganisationTransaction } from './connection.ts';
import { applyDecision } from './intake-decide.ts';
import type { IntakeDependencies } from './intake-dependencies.ts';
import { applyPropose } from './intake-propose.ts';
import { actors } from './schema.ts';

/** Takes commands in, each in a transaction of its own: what one of them comes to spoils no other. */
export const createIntake =
  (dependencies: IntakeDependencies): Engine['apply'] =>
  async (who, submitted) => {
    const known = submitted.flatMap((one) => (one.ok ? [one.command] : []));
    const settled = await dependencies.inOrganisation(who.organisationId, async (tx) => {
      await rememberActor(tx, who);
      return readBoundIds(
        tx,
        known.map(({ commandId }) => commandId),
      );
    });
    const opposite = oppositeDecisions(known, settled);
    const results: CommandResult[] = [];
    // In order: what a person did first comes first.
    for (const one of submitted) results.push(await applyOne(dependencies, who, one, opposite));
    return results;
  };

const applyOne = async (
  dependencies: IntakeDependencies,
  who: Principal,
  submitted: SubmittedCommand,
  opposite: ReadonlySet<string>,
): Promise<CommandResult> => {
  if (!submitted.ok) {
    return { commandId: submitted.commandId, status: 'rejected', problem: submitted.problem };
  }
  const { command } = submitted;
  const problem = refusedAccess(who.actor, command, dependencies.rules) ?? unfit(command);
  if (problem !== undefined) return { commandId: command.commandId, status: 'rejected', problem };
  return command.type === 'propose'
    ? applyPropose(dependencies, who, command)
    : applyDecision(dependencies, who, command, opposite.has(command.commandId));
};

const unfit = (command: Command) =>
  command.type === 'propose' && command.commandId !== command.operationId
    ? problemOf('invalid', 'A proposal’s command ID is its operation ID.', {
        operationId: command.operationId,
        commandId: command.commandId,
        issues: [{ path: 'commandId', message: 'must be the operation ID' }],
      })
    : undefined;

/** Names live here alone, so that history can show them and a person can still be erased. */
const rememberActor = async (tx: OrganisationTransaction, { actor }: Principal): Promise<void> => {
  await tx.db
    .insert(actors)
    .values({
      organisationId: tx.organisationId,
      actorId: actor.id,
      name: actor.name,
      assistant: actor.assistant,
      updatedAt: tx.now,
    })
    .onConflictDoUpdate({
      target: [actors.organisationId, actors.actorId],
      set: { name: actor.name, assistant: actor.assistant, updatedAt: tx.now },
      setWhere: sql`${actors.name} <> excluded.name or ${actors.assistant} <> excluded.assistant`,
    });
};
