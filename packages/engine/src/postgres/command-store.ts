import { and, eq, inArray } from 'drizzle-orm';
import type { Command } from '@holdfast/operation';
import { digestOfCommand } from '../intake/command-digest.ts';
import type { OrganisationTransaction } from './connection.ts';
import { codecOf } from './row-codec.ts';
import { commands, type CommandRow, type RecordedVerdict } from './schema.ts';

const commandCodec = codecOf(commands);

/** The verdict that bound a command's ID, if one did. */
export const readBound = async (
  tx: OrganisationTransaction,
  commandId: string,
): Promise<CommandRow | undefined> => {
  const known = tx.memory.bound.get(commandId);
  if (known !== undefined) return known ?? undefined;
  const [row] = await tx.rows(commandCodec, 'where t.org_id = $1 and t.command_id = $2', [
    tx.organisationId,
    commandId,
  ]);
  return row;
};

export const readBoundIds = async (
  tx: OrganisationTransaction,
  commandIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  if (commandIds.length === 0) return new Set();
  const rows = await tx.db
    .select({ commandId: commands.commandId })
    .from(commands)
    .where(and(eq(commands.organisationId, tx.organisationId), inArray(commands.commandId, [...commandIds])));
  return new Set(rows.map((row) => row.commandId));
};

/** Binds the ID to its first verdict. Bound elsewhere meanwhile, the transaction ends with `BoundMeanwhile`. */
export const bindCommand = (
  tx: OrganisationTransaction,
  command: Command,
  actorId: string,
  verdict: RecordedVerdict,
): void => {
  const row: CommandRow = {
    organisationId: tx.organisationId,
    commandId: command.commandId,
    type: command.type,
    operationId: command.operationId,
    actorId,
    digest: digestOfCommand(command),
    verdict,
    decidedAt: tx.now,
  };
  tx.unsent.commands.push(row);
  tx.memory.bound.set(command.commandId, row);
};
