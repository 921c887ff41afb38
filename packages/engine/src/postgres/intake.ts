import { crashPoint } from '#crash-point';
import { and, eq } from 'drizzle-orm';
import type { Command, CommandResult } from '@holdfast/operation';
import type { Engine, Principal, SubmittedCommand } from '../engine-interface.ts';
import { refusedAccess } from '../intake/access.ts';
import { oppositeDecisions } from '../intake/opposite-decisions.ts';
import { problemOf } from '../intake/problem.ts';
import { readBoundIds } from './command-store.ts';
import type { InOrganisation, OrganisationTransaction } from './connection.ts';
import { applyDecision } from './intake-decide.ts';
import type { IntakeDependencies } from './intake-dependencies.ts';
import { applyPropose } from './intake-propose.ts';
import { actors } from './schema.ts';

/** Takes commands in, each in a transaction of its own: what one of them comes to spoils no other. */
export const createIntake =
  (dependencies: IntakeDependencies): Engine['apply'] =>
  async (who, submitted) => {
    const remembering = {
      ...dependencies,
      inOrganisation: rememberingActor(dependencies.inOrganisation, who),
    };
    const known = submitted.flatMap((one) => (one.ok ? [one.command] : []));
    const opposite = await findOpposite(remembering, who, known);
    const results: CommandResult[] = [];
    // In order: what a person did first comes first.
    for (const one of submitted) results.push(await applyOne(remembering, who, one, opposite));
    return results;
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

/** Puts the giver's name down in the first transaction that is made for them. */
const rememberingActor = (inOrganisation: InOrganisation, who: Principal): InOrganisation => {
  let remembered = false;
  return async (organisationId, work) => {
    const result = await inOrganisation(organisationId, async (tx) => {
      if (!remembered) await rememberActor(tx, who);
      const answer = await work(tx);
      crashPoint('before-command-commits');
      return answer;
    });
    crashPoint('after-command-before-answer');
    remembered = true;
    return result;
  };
};

/** Names live here alone, so that history can show them and a person can still be erased. */
const rememberActor = async (tx: OrganisationTransaction, { actor }: Principal): Promise<void> => {
  const [known] = await tx.db
    .select({ name: actors.name, assistant: actors.assistant })
    .from(actors)
    .where(and(eq(actors.organisationId, tx.organisationId), eq(actors.actorId, actor.id)));
  // Written only where it changed: an upsert would have every command of one person wait for the others.
  if (known?.name === actor.name && known.assistant === actor.assistant) return;
  const columns = { name: actor.name, assistant: actor.assistant, updatedAt: tx.now };
  await tx.db
    .insert(actors)
    .values({ organisationId: tx.organisationId, actorId: actor.id, ...columns })
    .onConflictDoUpdate({ target: [actors.organisationId, actors.actorId], set: columns });
};
