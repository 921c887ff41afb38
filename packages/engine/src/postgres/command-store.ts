import { and, eq, inArray } from 'drizzle-orm';
import type { Command } from '@holdfast/operation';
import { digestOfCommand } from '../intake/command-digest.ts';
import type { OrganisationTransaction } from './connection.ts';
import { commands, type CommandRow, type RecordedVerdict } from './schema.ts';

/** The verdict that bound a command's ID, if one did. */
export const readBound = async (
  tx: OrganisationTransaction,
  commandId: string,
): Promise<CommandRow | undefined> => {
  const [row] = await tx.db
    .select()
    .from(commands)
    .where(and(eq(commands.organisationId, tx.organisationId), eq(commands.commandId, commandId)));
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

/** Thrown inside a transaction to undo it: the same command ID was bound elsewhere meanwhile. */
export class BoundMeanwhile extends Error {}

/** Binds the ID to its first verdict. @throws BoundMeanwhile, which must undo the transaction */
export const bindCommand = async (
  tx: OrganisationTransaction,
  command: Command,
  actorId: string,
  verdict: RecordedVerdict,
): Promise<void> => {
  const bound = await tx.db
    .insert(commands)
    .values({
      organisationId: tx.organisationId,
      commandId: command.commandId,
      type: command.type,
      operationId: command.operationId,
      actorId,
      digest: digestOfCommand(command),
      verdict,
      decidedAt: tx.now,
    })
    .onConflictDoNothing()
    .returning({ commandId: commands.commandId });
  if (bound.length === 0) throw new BoundMeanwhile(`command ${command.commandId} was bound meanwhile`);
};
