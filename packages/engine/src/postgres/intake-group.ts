import { crashPoint } from '#crash-point';
import type { Command, CommandResult, LimitSubject } from '@holdfast/operation';
import type { Principal } from '../engine-interface.ts';
import type { SignatureVerdict } from '../intake/approval-signature.ts';
import { personOf } from '../intake/access.ts';
import { loadAuthority, type Giver } from './approver-authority.ts';
import { BoundMeanwhile } from './bound-meanwhile.ts';
import type { OrganisationTransaction } from './connection.ts';
import { codeOf, isDatabaseAway } from './database-trouble.ts';
import { applyDecision, type Named } from './intake-decide.ts';
import type { IntakeDependencies } from './intake-dependencies.ts';
import { applyPropose } from './intake-propose.ts';
import {
  loadApprovals,
  loadAuditHeads,
  loadBound,
  loadNames,
  loadSeenRefunds,
  loadUnnamed,
  lockOperations,
  type Patience,
} from './load-operations.ts';
import { lockDays } from './limit-use.ts';
import { readNames, readPolicy } from './operation-reader.ts';

export type GivenCommand = {
  readonly command: Command;
  /** The same batch asks the opposite of the same operation. */
  readonly opposite: boolean;
  readonly named: Named;
  readonly signature: SignatureVerdict;
};

/** What one caller gives, in order. */
export type GivenCommands = { readonly who: Principal; readonly commands: readonly GivenCommand[] };

/**
 * Applies what several callers give in one transaction: every row is locked and read first, each command is judged on
 * what those before it left, and all is written together. Should anything break that no verdict covers, nothing of it
 * was written, and each command is applied in a transaction of its own, so that one of them breaks alone.
 */
export const applyGroup = async (
  dependencies: IntakeDependencies,
  organisationId: string,
  groups: readonly GivenCommands[],
): Promise<readonly Promise<readonly CommandResult[]>[]> => {
  try {
    const results = await inOneTransaction(dependencies, organisationId, groups, 'briefly');
    return results.map((result) => Promise.resolve(result));
  } catch (trouble) {
    if (isDatabaseAway(trouble)) throw trouble;
  }
  return groups.map((group) => oneByOne(dependencies, organisationId, group));
};

const oneByOne = async (
  dependencies: IntakeDependencies,
  organisationId: string,
  { who, commands }: GivenCommands,
): Promise<readonly CommandResult[]> => {
  const results: CommandResult[] = [];
  // In order; after one that broke none of the same caller is applied.
  for (const command of commands) results.push(await alone(dependencies, organisationId, who, command));
  return results;
};

/** The database ended this transaction, and none of it was written, so that another one could go on. */
const deadlockDetected = '40P01';

const alone = async (
  dependencies: IntakeDependencies,
  organisationId: string,
  who: Principal,
  command: GivenCommand,
): Promise<CommandResult> => {
  let last: unknown;
  for (let tries = 0; tries < 5; tries += 1) {
    try {
      const group = [{ who, commands: [command] }];
      const [result] = (
        await inOneTransaction(dependencies, organisationId, group, 'as long as it takes')
      ).flat();
      if (result !== undefined) return result;
    } catch (trouble) {
      if (!(trouble instanceof BoundMeanwhile) && codeOf(trouble) !== deadlockDetected) throw trouble;
      last = trouble;
    }
  }
  // Whoever is told of a deadlock may send the same again.
  if (codeOf(last) === deadlockDetected) throw last;
  throw new Error(`command ${command.command.commandId} was bound elsewhere and cannot be read`);
};

const inOneTransaction = async (
  dependencies: IntakeDependencies,
  organisationId: string,
  groups: readonly GivenCommands[],
  patience: Patience,
): Promise<readonly (readonly CommandResult[])[]> => {
  const answers = await dependencies.inOrganisation(organisationId, async (tx) => {
    await load(tx, groups, patience);
    const results: CommandResult[][] = [];
    for (const { who, commands } of groups) {
      const own: CommandResult[] = [];
      for (const given of commands) own.push(await applyOne(dependencies, tx, who, given));
      results.push(own);
    }
    crashPoint('before-command-commits');
    return results;
  });
  crashPoint('after-command-before-answer');
  return answers;
};

const applyOne = (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  who: Principal,
  { command, ...given }: GivenCommand,
): Promise<CommandResult> =>
  command.type === 'propose'
    ? applyPropose(dependencies, tx, who, command)
    : applyDecision(dependencies, tx, who, command, given);

/** Whose limits what one caller gives may use up. */
const limitSubjects = ({ who: { actor }, commands }: GivenCommands): readonly LimitSubject[] =>
  commands.flatMap(({ command: { type: act } }) =>
    act === 'propose' || act === 'approve' ? [{ act, person: personOf(actor), role: actor.role }] : [],
  );

/** Who gives an approval here, as it will be recorded. */
const givers = ({ who: { actor }, commands }: GivenCommands): readonly Giver[] =>
  commands.some(({ command: { type } }) => type === 'approve')
    ? [{ actorId: actor.id, role: actor.role, via: actor.via }]
    : [];

/** Locks and reads in two journeys what all these commands are judged by. */
const load = async (
  tx: OrganisationTransaction,
  groups: readonly GivenCommands[],
  patience: Patience,
): Promise<void> => {
  const commands = groups.flatMap((group) => group.commands.map(({ command }) => command));
  const proposals = commands.flatMap((command) => (command.type === 'propose' ? [command] : []));
  const operationIds = [...new Set(commands.map(({ operationId }) => operationId))];
  const orderIds = [...new Set(proposals.map(({ orderId }) => orderId))];
  await lockOperations(tx, { operationIds, orderIds }, 'and what is beside them', patience);
  tx.memory.policy = await readPolicy(tx);
  await lockDays(tx, tx.memory.policy, groups.flatMap(limitSubjects));
  const known = operationIds.filter((id) => tx.memory.locked.has(id));
  const decisions = commands.filter(({ type }) => type !== 'propose').map(({ commandId }) => commandId);
  const callers = new Map(groups.map(({ who }) => [who.actor.id, who]));
  await Promise.all([
    loadBound(tx, decisions),
    loadApprovals(tx),
    loadSeenRefunds(tx),
    loadAuditHeads(tx, known),
    loadNames(tx, [...callers.keys()]),
    proposals.length === 0 ? undefined : loadUnnamed(tx, operationIds),
  ]);
  await Promise.all([
    rememberCallers(tx, callers),
    loadAuthority(tx, [...[...tx.memory.approvalsOf.values()].flat(), ...groups.flatMap(givers)]),
  ]);
};

/** Names live with the actors alone, so that history can show them and a person can still be erased. */
export const rememberCallers = async (
  tx: OrganisationTransaction,
  callers: ReadonlyMap<string, { readonly actor: Pick<Principal['actor'], 'id' | 'name' | 'assistant'> }>,
): Promise<void> => {
  const names = await readNames(tx, [...callers.keys()]);
  // Written only where it changed: an upsert would have every command of one person wait for the others.
  const changed = [...callers.values()]
    .map(({ actor }) => actor)
    .filter(({ id, name, assistant }) => names.nameOf(id) !== name || names.isAssistant(id) !== assistant)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  if (changed.length === 0) return;
  await tx.ask(
    `insert into actors (org_id, actor_id, name, assistant, updated_at)
      select $1, r.id, r.name, r.assistant, $3::timestamptz
      from jsonb_to_recordset($2::jsonb) as r (id text, name text, assistant boolean)
      on conflict (org_id, actor_id) do update
      set name = excluded.name, assistant = excluded.assistant, updated_at = excluded.updated_at`,
    [
      tx.organisationId,
      JSON.stringify(changed.map(({ id, name, assistant }) => ({ id, name, assistant }))),
      tx.now.toISOString(),
    ],
  );
  for (const { id, name, assistant } of changed) {
    tx.memory.names.set(id, {
      organisationId: tx.organisationId,
      actorId: id,
      name,
      assistant,
      updatedAt: tx.now,
    });
  }
};
